package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"mago/domain/arena"
	"mago/domain/bot"
	"mago/domain/game"
)

// arenaCommand lets bots play against each other.
type arenaCommand struct {
	Bots      []string `arg:"" help:"3 to 6 bots by level, easy, standard or strong, maybe with a number of samples: standard:50."`
	Deals     int      `default:"100" help:"How many deals are played, each in all rotations of the seats."`
	Seed      uint64   `default:"1" help:"What the deals follow from."`
	Bidding   string   `default:"open" enum:"open,plus_minus_one,hidden,secret" help:"How bids are made."`
	Length    string   `default:"full" enum:"full,five,tournament" help:"Which rounds are played."`
	Foresight bool     `help:"Play the first round blind."`
	Workers   int      `default:"1" help:"How many deals are played at once."`
	JSON      bool     `help:"Print the standings as JSON." name:"json"`
}

// Run is called by kong.
func (cmd *arenaCommand) Run(ctx context.Context, to streams) error {
	t, err := cmd.tournament()
	if err != nil {
		return err
	}
	bar := progress{to: to.log, of: cmd.Deals, on: isTerminal(to.log)}
	blocks, err := playAll(ctx, t, cmd.Deals, cmd.Workers, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	return cmd.print(to.out, t.Summarize(blocks))
}

func (cmd *arenaCommand) tournament() (*arena.Tournament, error) {
	t := &arena.Tournament{Seed: cmd.Seed, CPU: threadCPU}
	for _, name := range cmd.Bots {
		p, err := playerOf(name)
		if err != nil {
			return nil, err
		}
		t.Players = append(t.Players, p)
	}
	t.Rules.Players, t.Rules.Foresight = len(t.Players), cmd.Foresight
	t.Rules.Bidding, _ = game.ParseBidding(cmd.Bidding)
	t.Rules.Length, _ = game.ParseLength(cmd.Length)
	if cmd.Deals < 1 || cmd.Workers < 1 {
		return nil, errors.New("there must be one deal and one worker at least")
	}
	return t, t.Rules.Valid()
}

// playerOf reads LEVEL or LEVEL:SAMPLES.
func playerOf(name string) (arena.Player, error) {
	level, text, found := strings.Cut(name, ":")
	l, ok := game.ParseLevel(level)
	samples := bot.Samples(l)
	if found {
		n, err := strconv.Atoi(text)
		if ok = ok && err == nil && n > 0 && n <= 1e6; ok {
			samples = n
		}
	}
	if !ok {
		return arena.Player{}, fmt.Errorf("%q is no bot: easy, standard, strong, or one of them with a number of samples, like standard:50", name)
	}
	p := arena.Fair(l, samples)
	p.Name = name
	return p, nil
}

// playAll plays so many deals with so many workers. The order of the blocks is the deals', whoever played them.
func playAll(ctx context.Context, t *arena.Tournament, deals, workers int, done func()) ([]arena.Block, error) {
	blocks, errs := make([]arena.Block, deals), make([]error, workers)
	next := make(chan int)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			defer pinThread()()
			for deal := range next {
				var err error
				if blocks[deal], err = t.Play(deal); err != nil {
					errs[w] = errors.Join(errs[w], err)
				}
				done()
			}
		})
	}
	for deal := range deals {
		select {
		case next <- deal:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	all.Wait()
	return blocks, errors.Join(append(errs, ctx.Err())...)
}

func (cmd *arenaCommand) print(to io.Writer, standings []arena.Standing) error {
	if cmd.JSON {
		out, err := json.MarshalIndent(struct {
			Engine    string           `json:"engine"`
			Players   []string         `json:"players"`
			Deals     int              `json:"deals"`
			Games     int              `json:"games"`
			Seed      uint64           `json:"seed"`
			Bidding   string           `json:"bidding"`
			Length    string           `json:"length"`
			Foresight bool             `json:"foresight"`
			Standings []arena.Standing `json:"standings"`
		}{bot.Engine, cmd.Bots, cmd.Deals, cmd.Deals * len(cmd.Bots), cmd.Seed, cmd.Bidding, cmd.Length, cmd.Foresight, standings}, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(to, "%s\n", out)
		}
		return err
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "%d deals, %d games\n\nbot\tseats\tscore\tmargin\tbids met\twins\tCPU\tp99\tmost\n", cmd.Deals, cmd.Deals*len(cmd.Bots))
	for _, s := range standings {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%.1f ± %.1f\t%+.1f ± %.1f\t%.1f ± %.1f %%\t%.1f ± %.1f %%\t%s\t%s\t%s\n", s.Name, s.Seats,
			s.Score.Mean, s.Score.StdErr, s.Margin.Mean, s.Margin.StdErr, 100*s.Met.Mean, 100*s.Met.StdErr, 100*s.Wins.Mean, 100*s.Wins.StdErr,
			milliseconds(s.CPUMean), milliseconds(s.CPU99), milliseconds(s.CPUMost))
	}
	return w.Flush()
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f ms", 1000*seconds) }

// progress is a line on a terminal that fills up.
type progress struct {
	to       io.Writer
	on       bool
	lock     sync.Mutex
	done, of int
}

func (p *progress) show() {
	p.lock.Lock()
	defer p.lock.Unlock()
	const width = 40
	if p.done++; p.on {
		full := width * p.done / p.of
		_, _ = fmt.Fprintf(p.to, "\r[%s%s] %d of %d deals", strings.Repeat("#", full), strings.Repeat(".", width-full), p.done, p.of)
	}
}

func (p *progress) end() {
	if p.on {
		_, _ = fmt.Fprintln(p.to)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

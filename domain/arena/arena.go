// Package arena is duplicate tournaments between players: every deal is played in all rotations of the seats, so that nobody is lucky. A tournament is
// a pure function of its seed.
package arena

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"mago/domain/bot"
	"mago/domain/game"
)

// Player is one of those who compete.
type Player struct {
	Name string
	// Choose returns the move of a seat on turn. It is handed the whole state so that a test can cheat; see Fair.
	Choose func(*game.State, game.Seat) (bot.Choice, bool)
}

// Fair returns the bot of a level, which sees the view of its seat alone.
func Fair(l game.Level, samples int) Player {
	return Player{Name: l.String(), Choose: func(s *game.State, seat game.Seat) (bot.Choice, bool) {
		v := s.View(seat)
		return bot.Decide(l, v, bot.SeedFor(s.Secrets.BotKey, &v), samples)
	}}
}

// Tournament says what is played. Rules.Players is the number of the players, whatever it says.
type Tournament struct {
	Rules   game.Rules
	Players []Player
	Seed    uint64
	// CPU returns the time that the calling thread has computed; nil measures nothing.
	CPU func() time.Duration
}

// Result is what one of the players came to in a block.
type Result struct {
	Games     int
	Score     int     // sum of the totals
	Wins      float64 // a shared win counts its share
	Bids, Met int
	CPU       []time.Duration // of each choice; empty where nothing measures it
}

// Block is one deal of all rounds, played in all rotations: the results by player.
type Block struct {
	Deal    int
	Results []Result
}

// Play plays the block of a deal. Blocks of a tournament may be played in any order, or at once.
func (t *Tournament) Play(deal int) (Block, error) {
	n := len(t.Players)
	b := Block{Deal: deal, Results: make([]Result, n)}
	for turn := range n {
		if err := t.game(&b, turn); err != nil {
			return b, fmt.Errorf("deal %d, rotation %d: %w", deal, turn, err)
		}
	}
	return b, nil
}

// game plays a deal with the players moved on by some seats: seat s is player s+turn.
func (t *Tournament) game(b *Block, turn int) error {
	s, err := t.seated(b.Deal)
	if err != nil {
		return err
	}
	n := len(t.Players)
	at := func(seat game.Seat) int { return (int(seat) + turn) % n }
	for s.Status == game.Playing {
		seat := s.Turn().All()[0]
		i := at(seat)
		choice, ok := t.choose(&s, seat, t.Players[i], &b.Results[i])
		if !ok {
			return fmt.Errorf("%s has no move in seat %d, version %d", t.Players[i].Name, seat, s.Version)
		}
		if err := step(&s, choice.Command()); err != nil {
			return fmt.Errorf("%s in seat %d, version %d: %w", t.Players[i].Name, seat, s.Version, err)
		}
	}
	t.tally(b, &s, at)
	return nil
}

func (t *Tournament) choose(s *game.State, seat game.Seat, p Player, r *Result) (bot.Choice, bool) {
	if t.CPU == nil {
		return p.Choose(s, seat)
	}
	from := t.CPU()
	c, ok := p.Choose(s, seat)
	r.CPU = append(r.CPU, t.CPU()-from)
	return c, ok
}

func (t *Tournament) tally(b *Block, s *game.State, at func(game.Seat) int) {
	winners := game.Winners(s.Places[:s.Rules.Players], s.Left[:])
	for i := range s.Rules.Players {
		r := &b.Results[at(game.Seat(i))]
		r.Games++
		r.Score += s.Totals[i]
		for _, round := range s.Scores[:s.Scored] {
			r.Bids++
			if round.Bids[i] == round.Tricks[i] {
				r.Met++
			}
		}
		for _, w := range winners {
			if int(w) == i {
				r.Wins += 1 / float64(len(winners))
			}
		}
	}
}

// seated is the game of a deal with everybody at the table. Its secrets follow from the tournament's seed: they protect nothing.
func (t *Tournament) seated(deal int) (s game.State, err error) {
	rules := t.Rules
	rules.Players = len(t.Players)
	create := game.CreateGame{ID: fmt.Sprintf("arena-%d-%d", t.Seed, deal), Host: "0", Rules: rules, AutoStart: true}
	draw := func(i int) [32]byte {
		return sha256.Sum256(binary.BigEndian.AppendUint32([]byte(create.ID+"/"), uint32(i))) //nolint:gosec // small
	}
	create.Secrets.BotKey = draw(0)
	for i := range create.Secrets.Seeds {
		create.Secrets.Seeds[i] = draw(i + 1)
	}
	if err := step(&s, create); err != nil {
		return s, err
	}
	for i := 1; i < rules.Players; i++ {
		if err := step(&s, game.JoinGame{User: fmt.Sprint(i), Seat: game.NoSeat}); err != nil {
			return s, err
		}
	}
	return s, nil
}

func step(s *game.State, c game.Command) error {
	events, err := game.Decide(*s, c)
	for _, e := range events {
		*s = game.Evolve(*s, e, 0)
	}
	return err
}

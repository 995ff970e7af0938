package bot_test

import (
	"os"
	"sync"
	"testing"

	"mago/domain/arena"
	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
)

// standings plays so many deals of four players, two at once.
func standings(t *testing.T, deals int, players ...arena.Player) []arena.Standing {
	t.Helper()
	tr := &arena.Tournament{Players: players, Seed: 1}
	blocks, errs := make([]arena.Block, deals), make([]error, deals)
	var all sync.WaitGroup
	for half := range 2 {
		all.Go(func() {
			for i := half; i < deals; i += 2 {
				blocks[i], errs[i] = tr.Play(i)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	out := tr.Summarize(blocks)
	for _, s := range out {
		t.Logf("%s: mean %.1f ± %.1f, bids met %.1f %%, wins %.1f %%", s.Name, s.Score.Mean, s.Score.StdErr, 100*s.Met.Mean, 100*s.Wins.Mean)
	}
	return out
}

// against seats one player with three of another.
func against(one, other arena.Player) []arena.Player {
	return []arena.Player{one, other, other, other}
}

// The gate that a change of the bots has to pass: 100 games with few samples, always the same. With the race detector it is a fifth of them, and a lower bar.
func TestStandardIsStrongEnough(t *testing.T) {
	t.Parallel()
	deals, least := 25, 360.
	if raced {
		deals, least = 5, 300
	}
	got := standings(t, deals, against(arena.Fair(game.StandardBot, 50), arena.Fair(game.EasyBot, 0))...)[0]
	if got.Score.Mean < least || got.Met.Mean < .67 {
		t.Errorf("mean %.1f, bids met %.1f %%", got.Score.Mean, 100*got.Met.Mean)
	}
}

// Who sees all hands plays far better than a bot may: else what standard infers would be too good to be true.
func TestCheatingPays(t *testing.T) {
	t.Parallel()
	deals := soak(5, 8)
	if raced {
		deals = 1
	}
	cheat := arena.Player{Name: "cheat", Choose: func(s *game.State, seat game.Seat) (bot.Choice, bool) {
		v := s.View(seat)
		return bot.Cheat(s, seat, bot.SeedFor(s.Secrets.BotKey, &v), 100)
	}}
	got := standings(t, deals, against(cheat, arena.Fair(game.StandardBot, 50))...)
	if got[0].Margin.Mean < 40 {
		t.Errorf("%.1f points ahead", got[0].Margin.Mean)
	}
}

// simple is a plainer bot than easy, to measure by: it bids its wizards and high cards, takes what it can while it wants tricks, and ducks when it doesn't.
func simple(s *game.State, seat game.Seat) (bot.Choice, bool) {
	v := s.View(seat)
	c, ok := bot.Easy(v)
	if !ok || len(v.Others) > 0 {
		return c, ok
	}
	switch c.Phase {
	case game.PlaceBids:
		c.Bid = v.You.Can.Bid[0]
		for _, bid := range v.You.Can.Bid {
			if bid <= sure(&v) {
				c.Bid = bid
			}
		}
	case game.PlayTricks:
		c.Card = simpleCard(&v)
	default:
	}
	return c, true
}

func sure(v *game.View) (n int) {
	for _, c := range v.You.Hand {
		switch {
		case c.IsWizard(), c.Suit() != card.NoSuit && c.Suit() == v.Round.Trump && c.Rank() > 6,
			c.Rank() > 11 && c.Suit() != card.NoSuit:
			n++
		}
	}
	return n
}

func simpleCard(v *game.View) card.Card {
	var trick []card.Card
	for _, p := range v.Trick.Plays {
		trick = append(trick, p.Card)
	}
	wants := v.Seats[v.You.Seat].Bid > v.Seats[v.You.Seat].Tricks
	value := func(c card.Card) int {
		switch {
		case c.IsWizard():
			return 40
		case c.IsJester():
			return 0
		case c.Suit() == v.Round.Trump:
			return 20 + c.Rank()
		default:
			return c.Rank()
		}
	}
	best, most := card.None, -1000
	for _, c := range v.You.Can.Play {
		takes := game.Winner(append(append([]card.Card{}, trick...), c), v.Round.Trump) == len(trick)
		points := value(c)
		if takes != wants {
			points = -100 - points // what it can't help with: rid of the lowest
		}
		if points > most {
			best, most = c, points
		}
	}
	return best
}

// TestStrength plays what the levels are measured by; the bars lie a little below what was measured. 400 games each take minutes.
func TestStrength(t *testing.T) {
	t.Parallel()
	if os.Getenv("MAGO_SOAK") == "" {
		t.Skip("only in the long run: MAGO_SOAK=1")
	}
	easy, plain := arena.Fair(game.EasyBot, 0), arena.Player{Name: "simple", Choose: simple}
	standard, strong := arena.Fair(game.StandardBot, 250), arena.Fair(game.StrongBot, 500)
	for name, c := range map[string]struct {
		players         []arena.Player
		deals           int
		mean, met, wins float64
	}{
		"simple against itself":        {against(plain, plain), 100, 0, 0, 0},
		"standard against three easy":  {against(standard, easy), 100, 400, .76, .85},
		"standard against three plain": {against(standard, plain), 100, 385, .73, .85},
		"four standard":                {against(standard, standard), 25, 340, .69, 0},
		"strong against three":         {against(strong, standard), 25, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := standings(t, c.deals, c.players...)[0]
			if got.Score.Mean < c.mean || got.Met.Mean < c.met || got.Wins.Mean < c.wins {
				t.Errorf("mean %.1f, bids met %.1f %%, wins %.1f %%", got.Score.Mean, 100*got.Met.Mean, 100*got.Wins.Mean)
			}
			if name == "strong against three" && got.Margin.Mean < -20 { // no lead is shown yet, but it must not be behind by more than chance
				t.Errorf("%.1f points behind standard", -got.Margin.Mean)
			}
		})
	}
}

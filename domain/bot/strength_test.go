package bot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
)

// session is a game played by the round's own functions, without events: only the views are the game's.
type session struct {
	state    game.State
	rng      *rand.Rand
	met, bid int
}

func newSession(r game.Rules, rng *rand.Rand) *session {
	return &session{state: game.State{Status: game.Playing, Rules: r}, rng: rng}
}

// play plays all rounds, every seat by the same player.
func (g *session) play(player func(game.View) (bot.Choice, bool)) {
	s := &g.state
	dealer := game.Seat(g.rng.IntN(s.Rules.Players))
	for n := 1; n <= s.Rules.Rounds(); n++ {
		deck := card.Deck()
		g.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		hands, turned := game.Deal(&deck, s.Rules.Players, s.Rules.CardsEach(n))
		s.Round = game.NewRound(s.Rules, n, dealer, hands, turned)
		if suit, by := s.Round.TrumpOf(); by != game.ByDealer {
			s.Round.SetTrump(suit)
		}
		for s.Round.Phase != game.RoundOver {
			for _, seat := range s.Turn().All() {
				c, _ := player(s.View(seat))
				g.move(c)
			}
		}
		g.score()
		dealer = s.Round.Next(dealer)
	}
}

func (g *session) move(c bot.Choice) {
	r := &g.state.Round
	switch c.Phase {
	case game.ChooseTrump:
		r.SetTrump(c.Suit)
	case game.PlaceBids:
		r.PlaceBid(c.Seat, c.Bid)
		r.Revealed = r.Phase == game.PlayTricks && r.Bidding == game.HiddenBidding
	default:
		k := c.Card
		if k == card.Hidden {
			k = r.Hands[c.Seat].First()
		}
		r.PlayCard(c.Seat, k)
	}
	if r.Phase == game.PlayTricks && r.TrickComplete() {
		winner := r.SeatOfPlay(game.Winner(r.InTrick(), r.Trump))
		g.state.LastTrick = game.Trick{Round: int(r.Number), Number: int(r.Trick), Leader: r.Leader, Plays: r.Plays, Winner: winner}
		g.state.Past.Add(r)
		r.TakeTrick(winner)
	}
}

func (g *session) score() {
	r := &g.state.Round
	for i := range r.Players {
		bid, tricks := int(r.Bids[i]), int(r.Tricks[i])
		g.state.Totals[i] += game.Points(bid, tricks)
		g.bid++
		if bid == tricks {
			g.met++
		}
	}
}

// result is what many games come to.
type result struct {
	mean, stderr float64 // of the final scores; games count, since the seats of one hang together
	met          float64 // share of the bids
}

func selfPlay(r game.Rules, games int) result {
	var sum, squares, met, bids float64
	for n := range games {
		g := newSession(r, rand.New(rand.NewPCG(2024, uint64(n))))
		g.play(bot.Easy)
		mean := 0.0
		for _, total := range g.state.Totals[:r.Players] {
			mean += float64(total) / float64(r.Players)
		}
		sum, squares = sum+mean, squares+mean*mean
		met, bids = met+float64(g.met), bids+float64(g.bid)
	}
	n := float64(games)
	return result{mean: sum / n, stderr: math.Sqrt((squares/n - sum*sum/n/n) / n), met: met / bids}
}

// The bounds lie a little below what the level reaches.
func TestEasyPlaysWellEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules     game.Rules
		mean, met float64
	}{
		{game.Rules{Players: 4}, 195, .52},
		{game.Rules{Players: 4, Bidding: game.HiddenBidding}, 195, .51},
	} {
		got := selfPlay(c.rules, soak(40, 25))
		t.Logf("%v: mean %.1f ± %.1f, bids met %.1f %%", c.rules.Bidding, got.mean, got.stderr, 100*got.met)
		if got.mean < c.mean || got.met < c.met {
			t.Errorf("%v: mean %.1f, bids met %.1f %%", c.rules.Bidding, got.mean, 100*got.met)
		}
	}
}

// TestStrengthByOptions prints how the level does with other numbers of players and ways of bidding.
func TestStrengthByOptions(t *testing.T) {
	t.Parallel()
	if os.Getenv("MAGO_SOAK") == "" {
		t.Skip("only in the long run: MAGO_SOAK=1")
	}
	for players := game.MinPlayers; players <= game.MaxPlayers; players++ {
		for _, bidding := range []game.Bidding{game.OpenBidding, game.PlusMinusOne, game.HiddenBidding, game.SecretBidding} {
			t.Run(fmt.Sprintf("%d %v", players, bidding), func(t *testing.T) {
				got := selfPlay(game.Rules{Players: players, Bidding: bidding, Foresight: true}, 400)
				t.Logf("%d, %v: mean %.1f ± %.1f, bids met %.1f %%", players, bidding, got.mean, got.stderr, 100*got.met)
				if got.met < 1/float64(players) {
					t.Errorf("bids met %.1f %%", 100*got.met)
				}
			})
		}
	}
}

package bot_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
)

// soak is n, or many times n where MAGO_SOAK asks for the long run.
func soak(n, times int) int {
	if os.Getenv("MAGO_SOAK") != "" {
		return n * times
	}
	return n
}

func allRules() (out []game.Rules) {
	for players := game.MinPlayers; players <= game.MaxPlayers; players++ {
		for _, b := range []game.Bidding{game.OpenBidding, game.PlusMinusOne, game.HiddenBidding, game.SecretBidding} {
			for _, l := range []game.Length{game.Full, game.Five, game.Tournament} {
				for _, foresight := range []bool{false, true} {
					out = append(out, game.Rules{Players: players, Bidding: b, Length: l, Foresight: foresight})
				}
			}
		}
	}
	return out
}

// play is a game that is played through its commands.
type play struct {
	tb    testing.TB
	state game.State
	dealt card.Set // the cards dealt in the round, played or not
}

func newPlay(tb testing.TB, r game.Rules, n uint64) *play {
	tb.Helper()
	p := &play{tb: tb}
	var s game.Secrets
	for i := range s.Seeds {
		binary.BigEndian.PutUint64(s.Seeds[i][:], n)
		s.Seeds[i][8] = byte(i)
	}
	p.must(game.CreateGame{ID: "0190b2a4-0000-7000-8000-000000000001", Host: "0", Rules: r, AutoStart: true, Secrets: s})
	for i := 1; i < r.Players; i++ {
		p.must(game.JoinGame{User: fmt.Sprint(i), Seat: game.NoSeat})
	}
	return p
}

func (p *play) must(c game.Command) {
	p.tb.Helper()
	events, err := game.Decide(p.state, c)
	if err != nil {
		p.tb.Fatalf("%+v: %#v: %v", p.state.Rules, c, err)
	}
	for _, e := range events {
		p.state = game.Evolve(p.state, e, 1)
		if deal, ok := e.(game.Dealt); ok {
			p.dealt = 0
			for _, h := range deal.Hands {
				p.dealt |= h.Cards
			}
		}
	}
}

// turn is one of the seats on turn.
func (p *play) turn(rng *rand.Rand) game.Seat {
	seats := p.state.Turn().All()
	return seats[rng.IntN(len(seats))]
}

// random is a legal move at random, as a player without a bot would make it.
func (p *play) random(seat game.Seat, rng *rand.Rand) game.Command {
	can := p.state.View(seat).You.Can
	switch {
	case len(can.Trump) > 0:
		return game.NameTrump{Seat: seat, Suit: can.Trump[rng.IntN(len(can.Trump))]}
	case len(can.Bid) > 0:
		return game.PlaceBid{Seat: seat, Tricks: can.Bid[rng.IntN(len(can.Bid))]}
	default:
		return game.PlayCard{Seat: seat, Card: can.Play[rng.IntN(len(can.Play))]}
	}
}

// Against chance and against each other, in all options: a seat on turn has a choice and the game accepts it; a seat that is not
// has none; the same view gives the same choice.
func TestEveryChoiceIsLegal(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		for n := range soak(1, 10) {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			p := newPlay(t, r, uint64(1000*n+i))
			for p.state.Status == game.Playing {
				seat, on := p.turn(rng), p.state.Turn()
				for other := range game.Seat(r.Players) {
					if on.Has(other) {
						continue
					}
					if c, ok := bot.Easy(p.state.View(other)); ok {
						t.Fatalf("%+v: %+v out of turn", r, c)
					}
				}
				c, ok := bot.Easy(p.state.View(seat))
				if again, _ := bot.Easy(p.state.View(seat)); !ok || again != c {
					t.Fatalf("%+v: %t, first %+v, then %+v", r, ok, c, again)
				}
				if rng.IntN(3) == 0 {
					p.must(p.random(seat, rng))
					continue
				}
				p.must(c.Command())
			}
		}
	}
}

func TestACommandIsMarkedAndMeantForItsTrick(t *testing.T) {
	t.Parallel()
	p := newPlay(t, game.Rules{Players: 4}, 1)
	for p.state.Round.Trick < 2 {
		c, _ := bot.Easy(p.state.View(p.state.Turn().All()[0]))
		p.must(c.Command())
	}
	seat := p.state.Turn().All()[0]
	c, _ := bot.Easy(p.state.View(seat))
	want := game.PlayCard{Seat: seat, Card: c.Card, Auto: game.AutoBot, Meant: game.Meant{Round: 2, Trick: 2}}
	if got := c.Command(); got != want {
		t.Errorf("got %#v, not %#v", got, want)
	}
}

// What a view lacks, or has too much of, is no reason to fall over.
func TestOddViews(t *testing.T) {
	t.Parallel()
	round := &game.RoundView{Number: 1, CardsEach: 1, Trump: card.Suit(9), Phase: game.PlayTricks}
	can := game.Can{Play: card.OfSuit(card.Elves).Cards()}
	deck := card.Deck()
	for name, v := range map[string]game.View{
		"nothing":          {},
		"spectator":        {Round: round},
		"no round":         {You: &game.You{Can: can}},
		"no hand":          {Round: round, You: &game.You{Can: can}},
		"no trick":         {Round: round, You: &game.You{Can: can, Hand: can.Play}},
		"the whole deck":   {Round: round, You: &game.You{Can: game.Can{Play: deck[:]}, Hand: deck[:]}},
		"hidden cards":     {Round: round, You: &game.You{Can: game.Can{Play: []card.Card{card.Hidden, card.None}}, Hand: []card.Card{card.Hidden}}},
		"strange seats":    {Round: round, You: &game.You{Can: can}, Seats: []game.SeatView{{Seat: -1, Bid: 100}}, Trick: &game.TrickView{Plays: []game.Play{{Seat: -3, Card: 200}}}},
		"nobody and blind": {Round: round, You: &game.You{Can: game.Can{Bid: []int{0, 1}}}, Others: []game.OtherHand{{Seat: 7}}},
	} {
		c, ok := bot.Easy(v)
		if acts := v.Round != nil && v.You != nil; ok != acts {
			t.Errorf("%s: %+v, %t", name, c, ok)
		}
	}
}

func BenchmarkEasy(b *testing.B) {
	for _, players := range []int{3, 4, 6} {
		b.Run(fmt.Sprintf("players=%d", players), func(b *testing.B) {
			var views []game.View
			g := newSession(game.Rules{Players: players}, rand.New(rand.NewPCG(1, 1)))
			g.play(func(v game.View) (bot.Choice, bool) {
				views = append(views, v)
				return bot.Easy(v)
			})
			b.ReportAllocs()
			for i := range b.N {
				bot.Easy(views[i%len(views)])
			}
		})
	}
}

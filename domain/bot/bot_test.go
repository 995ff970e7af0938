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

// thought is the choice of a level above easy. The same view, seed and samples give the same, whatever happens meanwhile outside of what the seat sees or may
// use; and what the game has shown is never impossible.
func (p *play) thought(level game.Level, seat game.Seat, samples int) bot.Choice {
	p.tb.Helper()
	v := p.state.View(seat)
	seed := bot.SeedFor(p.state.Secrets.BotKey, &v)
	c, how, ok := bot.Think(level, v, seed, samples)
	if !ok || how.Rescued {
		p.tb.Fatalf("%+v: %+v, %+v, %t", p.state.Rules, c, how, ok)
	}
	w := p.state.View(seat)
	w.Version, w.UpdatedAt = w.Version+1, w.UpdatedAt+1
	for i := range w.Seats {
		if w.Rules.Bidding.Simultaneous() && w.Seats[i].Bid == game.NoBid {
			w.Seats[i].HasBid = !w.Seats[i].HasBid
		}
	}
	if again, _, _ := bot.Think(level, w, seed, samples); again != c {
		p.tb.Fatalf("%+v: first %+v, then %+v", p.state.Rules, c, again)
	}
	return c
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
				if level := game.StandardBot + game.Level(rng.IntN(2)); rng.IntN(8) == 0 {
					c = p.thought(level, seat, 10)
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
		for level := game.EasyBot; level <= game.StrongBot; level++ {
			c, ok := bot.Decide(level, v, bot.Seed{}, 10)
			if acts := v.Round != nil && v.You != nil; ok != acts {
				t.Errorf("%s: %v: %+v, %t", name, level, c, ok)
			}
		}
	}
}

// A view that shows what can't be is answered all the same, and the answer tells of it.
func TestImpossibleViews(t *testing.T) {
	t.Parallel()
	s := deal(game.Rules{}, "G5", "E2 E8 E12 W3", "D3 D4 D5 D6", "H2 H3 H4 H5")
	for seat, bid := range []int{1, 1, 1} {
		s.Round.PlaceBid(game.Seat(seat), bid)
	}
	s.Round.PlayCard(1, cards("D3").First())
	s.Round.PlayCard(2, cards("H2").First())
	for name, change := range map[string]func(*game.View){
		"nothing":             func(*game.View) {},
		"a card too many":     func(v *game.View) { v.Seats[2].Cards++ },
		"a card played twice": func(v *game.View) { v.Trick.Plays[1].Card = v.Trick.Plays[0].Card },
		"a strange leader":    func(v *game.View) { v.Trick.Leader = 17 },
		"a bid of 90":         func(v *game.View) { v.Seats[1].Bid = 90 },
		"no bid of one's own": func(v *game.View) { v.Seats[0].Bid = game.NoBid },
		"no seats":            func(v *game.View) { v.Seats = nil },
		"no trick":            func(v *game.View) { v.Trick = nil },
		"a trick too many":    func(v *game.View) { v.Past.Add(&s.Round) },
		"no cards each":       func(v *game.View) { v.Round.CardsEach = 0 },
		"a card not in hand":  func(v *game.View) { v.You.Can.Play[0] = cards("E13").First() },
		"hidden cards":        func(v *game.View) { v.You.Can.Play = []card.Card{card.Hidden, card.None} },
		"a bid while playing": func(v *game.View) { v.You.Can.Bid = []int{0, 1} },
		"the trump is open":   func(v *game.View) { v.Round.Phase, v.Trick = game.ChooseTrump, nil },
		"not on turn":         func(v *game.View) { v.Trick.Plays, v.Seats[2].Cards = v.Trick.Plays[:1], 4 },
	} {
		v := s.View(0)
		change(&v)
		c, how, ok := bot.Think(game.StandardBot, v, bot.Seed{1}, 10)
		if !ok || how.Rescued != (name != "nothing") || how.Deals > 0 == how.Rescued {
			t.Errorf("%s: %+v, %+v, %t", name, c, how, ok)
		}
	}
}

// While the trump is open nobody has bid: a view that says so is no reason to bid for ever.
func TestBidsBeforeTheTrump(t *testing.T) {
	t.Parallel()
	s := deal(game.Rules{}, "W4", "E2 E8 E12 W3", "D3 D4 D5 D6", "H2 H3 H4 H5")
	for _, made := range []bool{false, true} {
		v := s.View(0)
		for i := range v.Seats {
			if made {
				v.Seats[i].Bid = 0
			}
		}
		if c, how, ok := bot.Think(game.StandardBot, v, bot.Seed{1}, 10); !ok || how.Rescued != made || c.Phase != game.ChooseTrump {
			t.Errorf("bids made %t: %+v, %+v, %t", made, c, how, ok)
		}
	}
	for _, level := range []game.Level{game.NoBot, 9} { // which no bot has
		easy, _ := bot.Easy(s.View(0))
		if c, ok := bot.Decide(level, s.View(0), bot.Seed{1}, 10); !ok || c != easy {
			t.Errorf("level %d: %+v, %t", level, c, ok)
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

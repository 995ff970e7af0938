package bot_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
)

// A player is fair if what its seat may not know changes nothing: at decisions of all options the hidden cards are dealt again, hidden bids
// and the game's secrets drawn again, and view and choice must be the same.
func TestHiddenThingsChangeNoChoice(t *testing.T) {
	t.Parallel()
	decisions := 0
	all := allRules()
	for i := range soak(len(all), 7) {
		r := all[i%len(all)]
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		p := newPlay(t, r, uint64(i))
		for p.state.Status == game.Playing {
			seat := p.turn(rng)
			v := p.state.View(seat)
			level := game.EasyBot + game.Level(rng.IntN(3))
			seed := bot.SeedFor(p.state.Secrets.BotKey, &v)
			c, _ := bot.Easy(v)
			if p.state.Round.Number == 1 || rng.IntN(8) == 0 {
				decisions++
				samples := 8
				if rng.IntN(8) == 0 {
					samples = 60 // so many that choices are given up on the way
				}
				c, _ = bot.Decide(level, v, seed, samples)
				other := p.redealt(seat, rng)
				if w := other.View(seat); !reflect.DeepEqual(v, w) {
					t.Fatalf("%+v: the view changed: %+v, %+v", r, v, w)
				} else if d, ok := bot.Decide(level, w, seed, samples); !ok || c != d {
					t.Fatalf("%+v: the choice changed: %+v, %+v", r, c, d)
				}
			}
			p.must(c.Command())
		}
	}
	t.Logf("%d decisions", decisions)
	if decisions < soak(3000, 7) {
		t.Errorf("only %d decisions", decisions)
	}
}

// redealt is the game as it might be for all that a seat knows. It may be a deal that what others have played rules out: the view stays the same, and that is what counts.
func (p *play) redealt(viewer game.Seat, rng *rand.Rand) *game.State {
	s := p.state
	r := &s.Round
	inHands := card.Set(0)
	for _, h := range r.Hands {
		inHands |= h
	}
	played := p.dealt &^ inHands
	hidden := func(seat game.Seat) bool { return (seat == viewer) == s.Rules.Blind(int(r.Number)) }
	var pool []card.Card
	for _, c := range card.Deck() {
		seen := played.Has(c) || c == r.Turned
		for seat := range game.Seat(r.Players) {
			seen = seen || !hidden(seat) && r.Hands[seat].Has(c)
		}
		if !seen {
			pool = append(pool, c)
		}
	}
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	for seat := range game.Seat(r.Players) {
		if hidden(seat) {
			n := r.Hands[seat].Len()
			r.Hands[seat], pool = card.SetOf(pool[:n]...), pool[n:]
		}
		if r.Bidding.Simultaneous() && !r.Revealed && seat != viewer && r.Bids[seat] != game.NoBid {
			r.Bids[seat] = int8(rng.IntN(int(r.CardsEach) + 1))
		}
	}
	for i := s.Scored; i < len(s.Secrets.Seeds); i++ {
		s.Secrets.Seeds[i][0]++
	}
	s.Secrets.BotKey[0]++
	return &s
}

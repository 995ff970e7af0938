package game

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mago/domain/card"
)

// The past of a round is what was played in it: the events say the same, and everybody sees it.
func TestPastTricks(t *testing.T) {
	t.Parallel()
	for i, rules := range allRules() {
		g := newTable(t, rules, secrets(uint64(i)))
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		type trick struct {
			leader Seat
			cards  []card.Card
		}
		var want []trick
		var playing trick
		for g.state.Status == Playing {
			moves := g.moves()
			for _, e := range g.must(moves[rng.IntN(len(moves))]) {
				switch e := e.(type) {
				case Dealt:
					want = nil
				case CardPlayed:
					if len(playing.cards) == 0 {
						playing.leader = e.Seat
					}
					playing.cards = append(playing.cards, e.Card)
				case TrickWon:
					want, playing = append(want, playing), trick{}
				}
			}
			v := g.state.View(Spectator)
			if g.state.Status != Playing {
				want = nil
			}
			if v.Past.Len() != len(want) || v.Past != g.state.Past {
				t.Fatalf("%+v: %d tricks, not %d", rules, v.Past.Len(), len(want))
			}
			for n, w := range want {
				if leader, cards := v.Past.Trick(n); leader != w.leader || !slices.Equal(cards, w.cards) {
					t.Fatalf("%+v: trick %d: seat %d led %v, not seat %d %v", rules, n+1, leader, cards, w.leader, w.cards)
				}
			}
		}
	}
}

package bot

import (
	"math/rand/v2"
	"testing"

	"mago/domain/card"
	"mago/domain/game"
)

// Races whose points are known beforehand: by choice and deal, by how many tricks the bid is missed in a round that is over.
func TestARaceIsWonByTheBest(t *testing.T) {
	t.Parallel()
	const price = costOfDraw + 3 // of a deal with three choices and one card to play
	always := func(misses int8) func(int) int8 { return func(int) int8 { return misses } }
	for name, c := range map[string]struct {
		deals  int // that the budget has with all choices
		misses [3]func(deal int) int8
		want   int
		tried  int // deals of the first choice
	}{
		"clearly the best, so soon decided": {640, [3]func(int) int8{always(3), always(0), always(1)}, 1, portion},
		"a few deals tell nothing": {8, [3]func(int) int8{always(1), func(deal int) int8 {
			if deal < 2 {
				return 3
			}
			return 0
		}, always(1)}, 1, 8},
		"what is within chance goes on": {640, [3]func(int) int8{
			func(deal int) int8 { return int8(deal % 2) },
			func(deal int) int8 {
				if deal < portion {
					return int8((deal + 1) % 2)
				}
				return 0
			}, always(9),
		}, 1, 0},
		"equal ones use up the budget": {256, [3]func(int) int8{always(1), always(1), always(1)}, 0, 256},
		"no budget":                    {0, [3]func(int) int8{always(5), always(0), always(0)}, 0, 0},
	} {
		s := study{
			knowledge: &knowledge{round: game.Round{Players: 3, Phase: game.RoundOver, Bids: noBids(3)}, holders: make([]holder, 4)},
			rng:       newRandom(Seed{1}), style: style{noise: 8}, budget: c.deals * price,
		}
		s.round.Hands[0] = cardsOf("E1")
		drawn, tried := 0, [3]int{}
		got := pick(&s, func(n int) []playout {
			drawn += n
			return make([]playout, n)
		}, []int{0, 1, 2}, func(p *playout, choice int) {
			p.Players, p.Phase = 3, game.RoundOver
			p.Bids[0] = c.misses[choice](tried[choice])
			tried[choice]++
		})
		if got != c.want || c.tried > 0 && tried[0] != c.tried || c.deals == 0 && drawn > 0 || s.budget < 0 || s.Playouts != tried[0]+tried[1]+tried[2] {
			t.Errorf("%s: chose %d, tried on %v deals, %d of the budget left", name, got, tried, s.budget)
		}
	}
}

// Cards that are left out of a choice win and lose against any cards of the others as the one that stands for them does; none that is left in is equal to the next.
func TestDifferentCards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ hand, others, want string }{
		"neighbours":                    {"E5 E6 E7", "E1 E13 D1", "E5"},
		"one between":                   {"E5 E7", "E6", "E5 E7"},
		"what lay between is gone":      {"E5 E7", "E8", "E5"},
		"suits end":                     {"D13 E1", "G1", "D13 E1"},
		"wizards and jesters are equal": {"W1 W3 J2 J4", "W2 J1", "W1 J2"},
		"two groups":                    {"E1 E2 E5 E6", "E3", "E1 E5"},
	} {
		if got := different(cardsOf(c.hand), cardsOf(c.others)); got != cardsOf(c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		deck := card.Deck()
		rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		before, hand, behind := deck[:rng.IntN(3)], card.SetOf(deck[3:11]...), deck[11:11+1+rng.IntN(4)]
		trump := card.Suit(rng.IntN(5))
		left := different(hand, card.SetOf(before...)|card.SetOf(behind...))
		for c := range (hand &^ left).All() {
			alike := false
			for other := range left.All() {
				same := other.Suit() == c.Suit()
				for i := range len(behind) + 1 {
					same = same && wins(before, c, behind[:i], trump) == wins(before, other, behind[:i], trump)
				}
				alike = alike || same
			}
			if !alike {
				t.Fatalf("%v is not like any of %v, with %v played and %v behind", c, left, before, behind)
			}
		}
	}
}

func wins(before []card.Card, c card.Card, behind []card.Card, trump card.Suit) bool {
	trick := append(append(append([]card.Card{}, before...), c), behind...)
	return game.Winner(trick, trump) == len(before)
}

package bot

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"mago/domain/card"
)

func cardsOf(codes string) (s card.Set) {
	for _, code := range strings.Fields(codes) {
		c, err := card.Parse(code)
		if err != nil {
			panic(err)
		}
		s = s.With(c)
	}
	return s
}

var (
	dwarves = card.OfSuit(card.Dwarves)
	elves   = card.OfSuit(card.Elves)
	giants  = card.OfSuit(card.Giants)
	humans  = card.OfSuit(card.Humans)
)

// enumerate calls f with every deal that is possible.
func enumerate(pool card.Set, holders []holder, hands []card.Set, f func()) {
	if pool == 0 {
		f()
		return
	}
	c := pool.First()
	for i, h := range holders {
		if hands[i].Len() < h.size && !h.voids.Has(c) {
			hands[i] = hands[i].With(c)
			enumerate(pool.Without(c), holders, hands, f)
			hands[i] = hands[i].Without(c)
		}
	}
}

// Every deal that is possible comes as often as any other, and no other comes: chi-square over all of them.
func TestSamplerIsUniform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pool    string
		holders []holder
	}{
		"no voids":                 {"D1 D2 E3 W1 J1 H4", []holder{{2, 0}, {2, 0}, {2, 0}}},
		"one void":                 {"D1 D2 D3 E3 E4 W1 J1", []holder{{2, dwarves}, {3, 0}, {2, 0}}},
		"two voids, one suit":      {"D1 D2 D3 E3 E4 W1 J1 H1", []holder{{2, dwarves}, {2, dwarves}, {4, 0}}},
		"two voids, two suits":     {"D1 D2 E3 E4 W1 J1 H1", []holder{{2, dwarves}, {2, elves}, {2, 0}, {1, 0}}},
		"three bound, a rest":      {"D1 D2 E3 E4 G1 G2 W1", []holder{{2, dwarves}, {2, elves | giants}, {1, giants}, {2, 0}}},
		"all bound, nothing left":  {"D1 D2 E3 E4 G1 W1", []holder{{2, dwarves}, {2, elves}, {2, giants}, {0, 0}}},
		"tight: wizards only":      {"D1 D2 E3 W1 W2", []holder{{2, dwarves | elves | giants | humans}, {2, 0}, {1, elves}}},
		"one deal alone":           {"D1 E3", []holder{{1, dwarves}, {1, elves}, {0, 0}}},
		"a holder without cards":   {"D1 D2 E1 E2", []holder{{0, dwarves}, {2, elves}, {2, 0}}},
		"an uneven one, void in 3": {"D1 D2 E1 G1 H1 H2 H3 J1", []holder{{3, dwarves | elves | giants}, {4, 0}, {1, humans}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool, n := cardsOf(c.pool), len(c.holders)
			counts := map[string]int{}
			hands := make([]card.Set, n)
			enumerate(pool, c.holders, hands, func() { counts[fmt.Sprint(hands)] = 0 })
			s := newSampler(pool, c.holders)
			rng := newRandom(Seed{1, 2, 3})
			each := 60
			if os.Getenv("MAGO_SOAK") != "" {
				each = 1000
			}
			for range each * len(counts) {
				s.deal(rng, hands)
				key := fmt.Sprint(hands)
				if _, ok := counts[key]; !ok {
					t.Fatalf("%s is not possible", key)
				}
				counts[key]++
			}
			chi, df := 0.0, float64(len(counts)-1)
			for _, n := range counts {
				d := float64(n - each)
				chi += d * d / float64(each)
			}
			if df > 0 && math.Abs(chi-df) > 4.5*math.Sqrt(2*df)+3 {
				t.Errorf("%d deals: chi-square %.1f", len(counts), chi)
			}
		})
	}
}

// ways counted again in big numbers, without classes, sharing or order.
func bigWays(suits []int, specials int, holders []holder) *big.Int {
	memo := map[string]*big.Int{}
	var count func(i int, left [5]int) *big.Int
	count = func(i int, left [5]int) *big.Int {
		if i == len(holders) {
			if left == [5]int{} {
				return big.NewInt(1)
			}
			return new(big.Int)
		}
		key := fmt.Sprint(i, left)
		if n, ok := memo[key]; ok {
			return n
		}
		total := new(big.Int)
		var each func(k, size int, left [5]int, ways *big.Int)
		each = func(k, size int, left [5]int, ways *big.Int) {
			if k == 5 {
				if size == 0 {
					total.Add(total, new(big.Int).Mul(ways, count(i+1, left)))
				}
				return
			}
			for n := 0; n <= min(size, left[k]); n++ {
				if k < 4 && n > 0 && holders[i].voids&card.OfSuit(card.Suits[k]) != 0 {
					break
				}
				next := left
				next[k] -= n
				each(k+1, size-n, next, new(big.Int).Mul(ways, new(big.Int).Binomial(int64(left[k]), int64(n))))
			}
		}
		each(0, holders[i].size, left, big.NewInt(1))
		memo[key] = total
		return total
	}
	return count(0, [5]int{suits[0], suits[1], suits[2], suits[3], specials})
}

func TestWaysOfLargeDeals(t *testing.T) {
	t.Parallel()
	for name, holders := range map[string][]holder{
		"six players, all void": {{5, dwarves}, {5, elves}, {5, giants}, {5, humans}, {5, dwarves | elves}, {1, 0}},
		"three players":         {{19, dwarves}, {18, elves}, {0, 0}},
		"four, late":            {{8, dwarves | elves}, {8, giants}, {8, humans}, {2, 0}},
		"one bound":             {{9, dwarves}, {9, 0}, {3, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := 0
			for _, h := range holders {
				size += h.size
			}
			var pool card.Set
			for i := range size { // in turn from the suits, so that all have some
				if i%7 < 6 {
					pool = pool.With(nextOf(pool, card.OfSuit(card.Suits[i%4])))
				} else {
					pool = pool.With(nextOf(pool, card.Wizards|card.Jesters))
				}
			}
			var suits []int
			for _, s := range card.Suits {
				suits = append(suits, (pool & card.OfSuit(s)).Len())
			}
			s := newSampler(pool, holders)
			total := s.count(s.start())
			got := new(big.Int).Lsh(new(big.Int).SetUint64(total.high), 64)
			got.Add(got, new(big.Int).SetUint64(total.low))
			free := 0
			for _, i := range s.free {
				free += holders[i].size
			}
			for _, i := range s.free { // the free are served in so many ways whatever the bound hold
				got.Mul(got, new(big.Int).Binomial(int64(free), int64(holders[i].size)))
				free -= holders[i].size
			}
			if want := bigWays(suits, (pool & (card.Wizards | card.Jesters)).Len(), holders); got.Cmp(want) != 0 {
				t.Errorf("%v ways, not %v", got, want)
			}
		})
	}
}

func nextOf(pool, from card.Set) card.Card {
	if c := (from &^ pool).First(); c != card.None {
		return c
	}
	return (deck &^ pool).First()
}

func TestNoDealIsPossible(t *testing.T) {
	t.Parallel()
	if s := newSampler(cardsOf("D1 D2 E1"), []holder{{2, dwarves}, {1, 0}}); s != nil {
		t.Errorf("%+v ways to deal two cards without dwarves from one", s.count(s.start()))
	}
}

func BenchmarkSampler(b *testing.B) {
	holders := []holder{{8, dwarves}, {8, elves}, {8, giants}, {8, humans}, {8, dwarves | elves}, {6, 0}}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			newSampler(deck&^cardsOf("D1 D2 D3 E1 E2 E3 G1 G2 G3 H1 H2 H3 W1 J1"), holders)
		}
	})
	b.Run("deal", func(b *testing.B) {
		s, r, hands := newSampler(deck&^cardsOf("D1 D2 D3 E1 E2 E3 G1 G2 G3 H1 H2 H3 W1 J1"), holders), newRandom(Seed{1}), make([]card.Set, 6)
		for b.Loop() {
			s.deal(r, hands)
		}
	})
}

package shuffle

import (
	"encoding/binary"
	"math"
	"os"
	"testing"

	"mago/domain/card"
)

const gameID = "0190b2a4-0000-7000-8000-000000000001"

// draws is how many decks or dealers a statistic is made of.
func draws() int {
	if os.Getenv("MAGO_SOAK") != "" {
		return 200_000
	}
	return 20_000
}

// seedOf returns a fixed seed of its own for every i.
func seedOf(i int) (s Seed) {
	binary.BigEndian.PutUint64(s[:], uint64(i))
	return s
}

func TestEntropyKeepsSeedsApart(t *testing.T) {
	t.Parallel()
	tables := [][]string{
		{"a", "bc", ""},
		{"ab", "c", ""},
		{"abc", "", ""},
		{"", "abc", ""},
		{"", "", "abc"},
		{"a", "b", "c"},
		{"c", "b", "a"},
		{"", "", ""},
		{"", "", "", ""},
		{"a", "bc"},
		{"a", "bc", "", ""},
		{"\x00\x00\x00\x01a", "", ""},
		{"", "\x00\x00\x00\x01a", ""},
		{"β", "", ""},
		{"\u03b2 ", "", ""},
		{"é", "", ""},
		{"e\u0301", "", ""},
	}
	seen := map[Entropy][]string{}
	for _, seeds := range tables {
		e := Mix(seeds)
		if other, ok := seen[e]; ok {
			t.Errorf("%q and %q mix to the same", seeds, other)
		}
		seen[e] = seeds
	}
}

// Everything that goes into a key must change what comes out of it, and so must the boundaries between label, game and round.
func TestKeyDependsOnAllOfIt(t *testing.T) {
	t.Parallel()
	e := Mix([]string{"a", "b", "c"})
	keys := map[[32]byte]string{}
	for name, k := range map[string][32]byte{
		"base":    Key(seedOf(1), "mago/deal/v1", gameID, 1, e),
		"seed":    Key(seedOf(2), "mago/deal/v1", gameID, 1, e),
		"label":   Key(seedOf(1), "mago/dealer/v1", gameID, 1, e),
		"game":    Key(seedOf(1), "mago/deal/v1", gameID[:35]+"2", 1, e),
		"round":   Key(seedOf(1), "mago/deal/v1", gameID, 2, e),
		"entropy": Key(seedOf(1), "mago/deal/v1", gameID, 1, Mix([]string{"a", "b", "d"})),
		"framing": Key(seedOf(1), "mago/deal/v10", gameID[1:], 1, e),
	} {
		if other, ok := keys[k]; ok {
			t.Errorf("%s and %s give the same key", name, other)
		}
		keys[k] = name
	}
}

func TestADeckIsAllSixtyCards(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		deck := Deck(seedOf(i), gameID, i%20+1, Mix(nil))
		if s := card.SetOf(deck[:]...); s.Len() != card.Count || s != card.SetOf(allCards()...) {
			t.Fatalf("deck %d: %v", i, deck)
		}
	}
}

func allCards() []card.Card {
	d := card.Deck()
	return d[:]
}

// chiSquareOfDecks counts which card lies where. The counts of a row, and of a column, add up to the number of decks, so a
// fair shuffle gives (59/60)·Σ(O−E)²/E a chi-square distribution with 59² degrees of freedom.
func chiSquareOfDecks(decks int, deck func(i int) [card.Count]card.Card) float64 {
	var at [card.Count][card.Count]int
	for i := range decks {
		for place, c := range deck(i) {
			at[c-1][place]++
		}
	}
	sum, want := 0.0, float64(decks)/card.Count
	for _, row := range at {
		for _, n := range row {
			sum += (float64(n) - want) * (float64(n) - want) / want
		}
	}
	return sum * (card.Count - 1) / card.Count
}

// deviations returns how many standard deviations a chi-square value lies from its mean, by Wilson and Hilferty's cube root.
func deviations(chi2, degrees float64) float64 {
	v := 2 / (9 * degrees)
	return (math.Cbrt(chi2/degrees) - (1 - v)) / math.Sqrt(v)
}

const degreesOfDecks = (card.Count - 1) * (card.Count - 1)

// Five deviations on either side: chance goes beyond them about once in two million runs, and the seeds here are fixed. A value
// far below the mean would show cards spread more evenly than chance does.
const bound = 5

func TestEveryCardLiesAnywhere(t *testing.T) {
	t.Parallel()
	e := Mix([]string{"a", "b", "c"})
	z := deviations(chiSquareOfDecks(draws(), func(i int) [card.Count]card.Card { return Deck(seedOf(i), gameID, 1, e) }), degreesOfDecks)
	if math.Abs(z) > bound {
		t.Errorf("card × position is %.1f deviations from chance", z)
	}
}

// The statistic must find the well-known wrong shuffle, which swaps every card with any other.
func TestTheStatisticFindsANaiveShuffle(t *testing.T) {
	t.Parallel()
	z := deviations(chiSquareOfDecks(5_000, func(i int) [card.Count]card.Card {
		n := numbers{source: blocks(seedOf(i))}
		d := card.Deck()
		for at := range d {
			other := n.below(card.Count)
			d[at], d[other] = d[other], d[at]
		}
		return d
	}), degreesOfDecks)
	if z < 4*bound {
		t.Errorf("the naive shuffle is only %.1f deviations from chance", z)
	}
}

func TestAnySeatMayDealFirst(t *testing.T) {
	t.Parallel()
	e := Mix(nil)
	for players := 3; players <= 6; players++ {
		count := make([]int, players)
		for i := range draws() {
			count[Dealer(seedOf(i), gameID, e, players)]++
		}
		chi2, want := 0.0, float64(draws())/float64(players)
		for _, n := range count {
			chi2 += (float64(n) - want) * (float64(n) - want) / want
		}
		if z := deviations(chi2, float64(players-1)); z > bound {
			t.Errorf("%d players deal first %v times: %.1f deviations from chance", players, count, z)
		}
	}
}

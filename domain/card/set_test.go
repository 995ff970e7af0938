package card

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSetsAgainstMaps holds the 64 bits against the obvious set.
func TestSetsAgainstMaps(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var set Set
	members := map[Card]bool{}
	for range 5000 {
		c := Card(rng.IntN(Count) + 1)
		if rng.IntN(2) == 0 {
			set = set.With(c)
			members[c] = true
		} else {
			set = set.Without(c)
			delete(members, c)
		}
		var want []Card
		for _, d := range Deck() {
			if members[d] {
				want = append(want, d)
			}
			if set.Has(d) != members[d] {
				t.Fatalf("Has(%v) in %v", d, set)
			}
		}
		if set.Len() != len(want) || !slices.Equal(set.Cards(), want) || set != SetOf(want...) {
			t.Fatalf("%v is not %v", set, want)
		}
		for i, d := range want {
			if set.Nth(i) != d {
				t.Fatalf("card %d of %v is %v", i, set, set.Nth(i))
			}
		}
		if len(want) > 0 && set.First() != want[0] {
			t.Fatalf("first of %v is %v", set, set.First())
		}
	}
}

func TestTheEmptySet(t *testing.T) {
	t.Parallel()
	var s Set
	if s.Len() != 0 || s.First() != None || s.Cards() == nil || len(s.Cards()) != 0 || s.String() != "" {
		t.Errorf("the empty set is %v", s)
	}
}

func TestSetsBySuit(t *testing.T) {
	t.Parallel()
	var all Set
	for _, suit := range Suits {
		if OfSuit(suit).Len() != Ranks {
			t.Errorf("%v has %v", suit, OfSuit(suit))
		}
		for c := range OfSuit(suit).All() {
			if c.Suit() != suit {
				t.Errorf("%v is among the %v", c, suit)
			}
		}
		all |= OfSuit(suit)
	}
	if Wizards.String() != "W1 W2 W3 W4" || Jesters.String() != "J1 J2 J3 J4" || OfSuit(NoSuit) != 0 {
		t.Errorf("wizards %v, jesters %v, no suit %v", Wizards, Jesters, OfSuit(NoSuit))
	}
	if deck := Deck(); all|Wizards|Jesters != SetOf(deck[:]...) || (all|Wizards|Jesters).Len() != Count {
		t.Error("suits, wizards and jesters are not the deck")
	}
	if SetOf(Of(Elves, 2), Of(Humans, 5)).String() != "E2 H5" {
		t.Error("a set is not written as its codes")
	}
}

func TestAllStopsWhenTold(t *testing.T) {
	t.Parallel()
	n := 0
	for range SetOf(1, 2, 3).All() {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("saw %d cards", n)
	}
}

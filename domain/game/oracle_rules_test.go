package game

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mago/domain/card"
)

func codes(cs []card.Card) []string {
	out := []string{}
	for _, c := range cs {
		out = append(out, c.String())
	}
	return out
}

var trumpLetters = map[string]card.Suit{"": card.NoSuit, "D": card.Dwarves, "E": card.Elves, "G": card.Giants, "H": card.Humans}

// tricks calls f with every trick of 1 to most of the cards, in every order.
func tricks(from []string, most int, f func(trick []string)) {
	var grow func(trick []string)
	grow = func(trick []string) {
		if len(trick) > 0 {
			f(trick)
		}
		if len(trick) == most {
			return
		}
		for _, c := range from {
			if !slices.Contains(trick, c) {
				grow(append(slices.Clip(trick), c))
			}
		}
	}
	grow(nil)
}

func sameWinner(t *testing.T, trick []string) {
	t.Helper()
	for letter, suit := range trumpLetters {
		if got, want := Winner(cards(strings.Join(trick, " ")), suit), oracleWinner(trick, letter); got != want {
			t.Fatalf("%v with trump %q goes to card %d, the oracle says %d", trick, letter, got, want)
		}
	}
}

func TestOracleAgreesOnEveryWinner(t *testing.T) {
	t.Parallel()
	t.Run("of all pairs", func(t *testing.T) {
		t.Parallel()
		tricks(oracleDeck(), 2, func(trick []string) { sameWinner(t, trick) })
	})
	t.Run("of a few cards of each kind", func(t *testing.T) {
		t.Parallel()
		tricks(strings.Fields("D1 D13 E4 E5 G9 W1 W2 J1 J2"), 4, func(trick []string) { sameWinner(t, trick) })
	})
	t.Run("of random tricks", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(1, 1))
		deck := oracleDeck()
		for range soak(2000, 100) {
			rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
			sameWinner(t, deck[:1+rng.IntN(6)])
		}
	})
}

func sameLegal(t *testing.T, hand, trick []string) {
	t.Helper()
	got := MayPlay(card.SetOf(cards(strings.Join(hand, " "))...), cards(strings.Join(trick, " ")))
	want := card.SetOf(cards(strings.Join(oracleMayPlay(hand, trick), " "))...)
	if got != want || got == 0 {
		t.Fatalf("on %v of %v may be played %v, the oracle says %v", trick, hand, got, want)
	}
}

func TestOracleAgreesOnEveryLegalPlay(t *testing.T) {
	t.Parallel()
	t.Run("of two cards on any three of a few", func(t *testing.T) {
		t.Parallel()
		few := strings.Fields("D1 D13 E4 E5 G9 W1 W2 J1 J2")
		tricks(few, 3, func(trick []string) {
			tricks(few, 2, func(hand []string) { sameLegal(t, hand, trick) })
		})
	})
	t.Run("of random hands", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(2, 1))
		deck := oracleDeck()
		for range soak(5000, 100) {
			rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
			k := rng.IntN(6)
			sameLegal(t, deck[k:k+1+rng.IntN(20)], deck[:k])
		}
	})
}

func TestOracleAgreesOnBidsAndPoints(t *testing.T) {
	t.Parallel()
	for _, r := range allRules() {
		if r.Bidding.Simultaneous() || r.Foresight || r.Length != Full {
			continue
		}
		for each := 1; each <= 3; each++ {
			round := NewRound(r, each, 0, [MaxPlayers]card.Set{}, card.None)
			round.SetTrump(card.NoSuit)
			sameBids(t, round, []int{})
		}
	}
	for bid := range MaxCards + 1 {
		for taken := range MaxCards + 1 {
			if got, want := Points(bid, taken), oraclePoints(bid, taken); got != want {
				t.Errorf("bid %d took %d: %d, the oracle says %d", bid, taken, got, want)
			}
		}
	}
}

func sameBids(t *testing.T, r Round, made []int) {
	t.Helper()
	if len(made) == int(r.Players) {
		return
	}
	seat := Seat((len(made) + 1) % int(r.Players))
	bids := r.Legal(seat).Bids.All()
	if want := oracleBids(r.Bidding.String(), int(r.Players), int(r.CardsEach), made); !slices.Equal(bids, want) {
		t.Fatalf("after %v: %v, the oracle says %v", made, bids, want)
	}
	for _, b := range bids {
		next := r
		next.PlaceBid(seat, b)
		sameBids(t, next, append(slices.Clip(made), b))
	}
}

// TestOracleAgreesOnPlaces for all totals of a few, and all ways to leave.
func TestOracleAgreesOnPlaces(t *testing.T) {
	t.Parallel()
	for players := MinPlayers; players <= 4; players++ {
		n := 1
		for range players {
			n *= 3
		}
		seats := make([]string, players)
		for i := range seats {
			seats[i] = fmt.Sprint(i)
		}
		for k := range n {
			totals := make([]int, players)
			for i := range totals {
				totals[i], k = 10*(k%3)-10, k/3
			}
			samePlaces(t, totals, nil)
			tricks(seats, players, func(order []string) { samePlaces(t, totals, order) })
		}
	}
}

func samePlaces(t *testing.T, totals []int, order []string) {
	t.Helper()
	left, leavers := make([]int, len(totals)), []int{}
	for i, seat := range order {
		s := int(seat[0] - '0')
		left[s] = i + 1
		leavers = append(leavers, s)
	}
	places := Places(totals, left)
	winners := []int{}
	for _, s := range Winners(places, left) {
		winners = append(winners, int(s))
	}
	wantPlaces, wantWinners := oraclePlaces(totals, leavers)
	if !slices.Equal(places, wantPlaces) || !slices.Equal(winners, wantWinners) {
		t.Fatalf("totals %v, left %v: places %v winners %v, the oracle says %v and %v", totals, leavers, places, winners, wantPlaces, wantWinners)
	}
}

func TestOracleAgreesOnSchedules(t *testing.T) {
	t.Parallel()
	for _, r := range allRules() {
		var got []int
		for round := 1; round <= r.Rounds(); round++ {
			got = append(got, r.CardsEach(round))
		}
		if want := oracleSchedule(r.Players, r.Length.String()); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, the oracle says %v", r, got, want)
		}
	}
}

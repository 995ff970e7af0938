package game

import (
	"slices"
	"strings"
	"testing"

	"mago/domain/card"
)

// perftDeals are fixed first or second rounds; nodes[d] is the number of sequences of d+1 decisions, counted by the engine and by the oracle.
var perftDeals = []struct {
	name   string
	rules  Rules
	number int
	hands  []string
	turned string
	nodes  []int
}{
	{
		name: "one card, open", rules: Rules{}, number: 1,
		hands: []string{"D1", "E1", "W1"}, turned: "H3",
		nodes: []int{2, 4, 8, 8, 8, 8},
	},
	{
		name: "one card, plus minus one", rules: Rules{Bidding: PlusMinusOne}, number: 1,
		hands: []string{"D1", "E1", "W1"}, turned: "H3",
		nodes: []int{2, 4, 5, 5, 5, 5},
	},
	{
		name: "one card, hidden", rules: Rules{Bidding: HiddenBidding}, number: 1,
		hands: []string{"D1", "E1", "W1"}, turned: "H3",
		nodes: []int{6, 24, 48, 48, 48, 48},
	},
	{
		name: "one card, the dealer chooses", rules: Rules{}, number: 1,
		hands: []string{"D1", "E1", "W1"}, turned: "W2",
		nodes: []int{4, 8, 16, 32, 32, 32, 32},
	},
	{
		name: "two cards, one suit", rules: Rules{}, number: 2,
		hands: []string{"D1 D2", "D3 D4", "D5 D6"}, turned: "H3",
		nodes: []int{3, 9, 27, 54, 108, 216, 216, 216, 216},
	},
	{
		name: "two cards, must follow", rules: Rules{}, number: 2,
		hands: []string{"D1 E2", "E3 D4", "E5 D6"}, turned: "D13",
		nodes: []int{3, 9, 27, 54, 54, 54, 54, 54, 54},
	},
	{
		name: "two cards, wizards and jesters", rules: Rules{Bidding: PlusMinusOne}, number: 2,
		hands: []string{"W1 E2", "J3 D4", "E5 J1"}, turned: "J4",
		nodes: []int{3, 9, 21, 42, 84, 168, 168, 168, 168},
	},
	{
		name: "two cards, four players, secret", rules: Rules{Bidding: SecretBidding}, number: 2,
		hands: []string{"W1 E2", "J3 D4", "E5 J1", "E6 E7"}, turned: "H1",
		nodes: []int{12, 108, 648, 1944, 3888, 7776, 15552, 31104, 31104, 31104, 31104, 31104},
	},
	{
		name: "three cards, plus minus one", rules: Rules{Bidding: PlusMinusOne}, number: 3,
		hands: []string{"W1 E2 D3", "J3 D4 D5", "E5 J1 H2"}, turned: "W4",
		nodes: []int{4, 16, 64, 216, 648, 1944, 4320, 8640, 17280, 32832, 32832, 32832, 32832},
	},
}

// perft counts the sequences of decisions through the round's own functions.
func perft(r Round, depth int) (nodes int) {
	if depth == 0 {
		return 1
	}
	for _, s := range r.Turn().All() {
		legal := r.Legal(s)
		if legal.Trump {
			for _, suit := range card.Suits {
				next := r
				next.SetTrump(suit)
				nodes += perft(next, depth-1)
			}
		}
		for _, b := range legal.Bids.All() {
			next := r
			next.PlaceBid(s, b)
			nodes += perft(next, depth-1)
		}
		for c := range legal.Plays.All() {
			next := r
			next.PlayCard(s, c)
			if next.TrickComplete() {
				next.TakeTrick(next.SeatOfPlay(Winner(next.InTrick(), next.Trump)))
			}
			nodes += perft(next, depth-1)
		}
	}
	return nodes
}

// oraclePerft counts them by the oracle, which plays each sequence from the beginning.
func oraclePerft(deck []string, players int, bidding string, number, depth int, path []string) (nodes int) {
	if depth == len(path) {
		return 1
	}
	o := &oracleGame{
		players: players, bidding: bidding, length: "full", totals: make([]int, players),
		deck: func(round int) []string {
			if round == number {
				return deck
			}
			return oracleDeck()
		},
		seed: func(int) string { return "" },
	}
	o.deal(number, 0)
	for _, move := range path {
		o.make(move)
	}
	if o.round != number {
		return 0 // the round is over
	}
	for _, move := range o.moves() {
		nodes += oraclePerft(deck, players, bidding, number, depth, append(slices.Clip(path), move))
	}
	return nodes
}

func TestPerft(t *testing.T) {
	t.Parallel()
	for _, d := range perftDeals {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			d.rules.Players = len(d.hands)
			var hands [MaxPlayers]card.Set
			for i, h := range d.hands {
				hands[i] = card.SetOf(cards(h)...)
			}
			r := NewRound(d.rules, d.number, 0, hands, cards(d.turned)[0])
			if suit, by := r.TrumpOf(); by != ByDealer {
				r.SetTrump(suit)
			}
			deck := strings.Fields(strings.Join(d.hands, " ") + " " + d.turned)
			for i, want := range d.nodes {
				if got := perft(r, i+1); got != want {
					t.Errorf("%d sequences of %d decisions, not %d", got, i+1, want)
				}
				if want > soak(1500, 10) {
					continue // too many for the oracle
				}
				if got := oraclePerft(deck, d.rules.Players, d.rules.Bidding.String(), d.number, i+1, nil); got != want {
					t.Errorf("the oracle counts %d sequences of %d decisions, not %d", got, i+1, want)
				}
			}
			if n := perft(r, len(d.nodes)+1); n != 0 {
				t.Errorf("%d sequences are longer than the round", n)
			}
		})
	}
}

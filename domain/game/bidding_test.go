package game

import (
	"fmt"
	"slices"
	"testing"

	"mago/domain/card"
)

func bid(seat Seat, tricks int) BidPlaced { return BidPlaced{Round: 1, Seat: seat, Tricks: tricks} }

func TestBidsInTurnFromTheDealersLeft(t *testing.T) {
	t.Parallel()
	given := bidding(Rules{}, "E5", hands3...)
	play(t, []scene{
		{name: "the dealer's left is first", given: given, when: PlaceBid{Seat: 1, Tricks: 1}, then: []Event{bid(1, 1)}},
		{name: "the dealer is not", given: given, when: PlaceBid{Seat: 0, Tricks: 1}, refused: NotYourTurn},
		{name: "nor the next but one", given: given, when: PlaceBid{Seat: 2, Tricks: 1}, refused: NotYourTurn},
		{name: "then the next", given: then(given, bid(1, 0)), when: PlaceBid{Seat: 2}, then: []Event{bid(2, 0)}},
		{name: "the dealer is last", given: then(given, bid(1, 0), bid(2, 0)), when: PlaceBid{Seat: 0, Tricks: 1}, then: []Event{bid(0, 1)}},
		{name: "a bid can't be changed", given: then(given, bid(1, 0)), when: PlaceBid{Seat: 1, Tricks: 1}, refused: AlreadyBid},
		{name: "nor made again", given: then(given, bid(1, 1)), when: PlaceBid{Seat: 1, Tricks: 1}, refused: AlreadyBid},
		{name: "a negative bid", given: given, when: PlaceBid{Seat: 1, Tricks: -1}, refused: BidNotAllowed},
		{name: "more than the round's cards", given: given, when: PlaceBid{Seat: 1, Tricks: 2}, refused: BidNotAllowed},
		{name: "far too many", given: given, when: PlaceBid{Seat: 1, Tricks: 64}, refused: BidNotAllowed},
		{name: "no seat at the table", given: given, when: PlaceBid{Seat: NoSeat}, refused: NotFound},
		{name: "no such seat", given: given, when: PlaceBid{Seat: 3}, refused: NotFound},
		{
			name: "who decided for the player is told", given: given, when: PlaceBid{Seat: 1, Auto: AutoBot},
			then: []Event{BidPlaced{Round: 1, Seat: 1, Auto: AutoBot}},
		},
	})
}

// TestABidOfZeroIsNotNone: what is kept as 0 by default can't be told from a bid.
func TestABidOfZeroIsNotNone(t *testing.T) {
	t.Parallel()
	s := fold(bidding(Rules{}, "E5", hands3...)...)
	for _, seat := range s.View(Spectator).Seats {
		if seat.HasBid || seat.Bid != NoBid {
			t.Errorf("nobody has bid: %+v", seat)
		}
	}
	s = Evolve(s, bid(1, 0), 1)
	if seat := s.View(Spectator).Seats[1]; !seat.HasBid || seat.Bid != 0 {
		t.Errorf("a bid of 0 is seen as %+v", seat)
	}
	if s.Turn() != 1<<2 {
		t.Errorf("after a bid of 0 %v may bid", s.Turn().All())
	}
}

func TestPlusMinusOneWorkedCases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ others, may []int }{
		{[]int{0, 0}, []int{0}},
		{[]int{0, 1}, []int{1}},
		{[]int{1, 1}, []int{0, 1}},
	} {
		t.Run(fmt.Sprintf("after bids %v the dealer may bid %v", test.others, test.may), func(t *testing.T) {
			t.Parallel()
			s := fold(bidding(Rules{Bidding: PlusMinusOne}, "E5", hands3...)...)
			for i, b := range test.others {
				if got := s.Round.Legal(Seat(i + 1)).Bids.All(); !slices.Equal(got, []int{0, 1}) {
					t.Errorf("seat %d is bound: %v", i+1, got)
				}
				s = Evolve(s, bid(Seat(i+1), b), 1)
			}
			if got := s.Round.Legal(0).Bids.All(); !slices.Equal(got, test.may) {
				t.Errorf("the dealer may bid %v", got)
			}
			for b := range 2 {
				_, err := Decide(s, PlaceBid{Seat: 0, Tricks: b})
				if want := map[bool]Code{true: "", false: BidNotAllowed}[slices.Contains(test.may, b)]; codeOf(err) != want {
					t.Errorf("bid %d: %v", b, err)
				}
			}
		})
	}
}

// TestPlusMinusOneInEveryWay goes through all bids of all others for small rounds.
func TestPlusMinusOneInEveryWay(t *testing.T) {
	t.Parallel()
	for players := MinPlayers; players <= MaxPlayers; players++ {
		for each := 1; each <= 4; each++ {
			r := NewRound(Rules{Players: players, Bidding: PlusMinusOne}, each, 1, [MaxPlayers]card.Set{}, cards("E1")[0])
			r.SetTrump(0)
			everyBid(t, r, 0)
		}
	}
}

func everyBid(t *testing.T, r Round, made int) {
	t.Helper()
	if r.Phase == PlayTricks {
		sum := 0
		for _, b := range r.Bids[:r.Players] {
			sum += int(b)
		}
		if sum == int(r.CardsEach) {
			t.Fatalf("the bids %v add up to the tricks", r.Bids)
		}
		return
	}
	seat := Seat((int(r.Dealer) + 1 + made) % int(r.Players))
	if r.Turn() != 1<<seat {
		t.Fatalf("%v may bid, not %d", r.Turn().All(), seat)
	}
	bids := r.Legal(seat).Bids.All()
	least := int(r.CardsEach) + 1
	if seat == r.Dealer {
		least--
	}
	if len(bids) < least || len(bids) == 0 {
		t.Fatalf("only %v after %v", bids, r.Bids)
	}
	for _, b := range bids {
		next := r
		next.PlaceBid(seat, b)
		everyBid(t, next, made+1)
	}
}

func TestHiddenBidsAreShownBehindTheLast(t *testing.T) {
	t.Parallel()
	given := bidding(Rules{Bidding: HiddenBidding}, "E5", hands3...)
	most := then(given, bid(0, 1), bid(2, 0))
	play(t, []scene{
		{name: "the dealer first", given: given, when: PlaceBid{Seat: 0, Tricks: 1}, then: []Event{bid(0, 1)}},
		{name: "any order", given: then(given, bid(0, 1)), when: PlaceBid{Seat: 2}, then: []Event{bid(2, 0)}},
		{name: "only once", given: most, when: PlaceBid{Seat: 2, Tricks: 1}, refused: AlreadyBid},
		{
			name: "the last shows all", given: most, when: PlaceBid{Seat: 1, Tricks: 1},
			then: []Event{bid(1, 1), BidsRevealed{Round: 1, Bids: []int{1, 1, 0}}},
		},
		{name: "no card before the last", given: most, when: PlayCard{Seat: 1, Card: cards("D2")[0]}, refused: WrongPhase},
	})
}

func TestSecretBidsAreShownWhenTheRoundIsScored(t *testing.T) {
	t.Parallel()
	rules := Rules{Bidding: SecretBidding}
	given := bidding(rules, "E5", hands3...)
	play(t, []scene{
		{name: "any order", given: then(given, bid(2, 1)), when: PlaceBid{Seat: 0}, then: []Event{bid(0, 0)}},
		{name: "the last shows nothing", given: then(given, bid(0, 1), bid(2, 0)), when: PlaceBid{Seat: 1, Tricks: 1}, then: []Event{bid(1, 1)}},
	})
	end := then(playing(rules, "E5", []int{1, 0, 1}, hands3...),
		CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: cards("D2")[0]}, CardPlayed{Round: 1, Trick: 1, Seat: 2, Card: cards("D3")[0]})
	events, err := Decide(fold(end...), PlayCard{Seat: 0, Card: cards("D1")[0]})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range events[:5] {
		order = append(order, TypeOf(e))
	}
	if want := []string{"card_played", "trick_won", "bids_revealed", "round_scored", "dealt"}; !slices.Equal(order, want) {
		t.Errorf("events %v", order)
	}
	if got := events[2].(BidsRevealed).Bids; !slices.Equal(got, []int{1, 1, 0}) {
		t.Errorf("revealed %v", got)
	}
	if got := events[3].(RoundScored).Points; !slices.Equal(got, []int{-10, -10, -10}) {
		t.Errorf("points %v", got)
	}
}

func TestSetsOfBidsAndSeats(t *testing.T) {
	t.Parallel()
	all := BidSet(1)<<(MaxCards+1) - 1
	if got := all.All(); len(got) != 21 || got[0] != 0 || got[20] != 20 || all.Has(-1) || all.Has(21) || BidSet(^uint32(0)).Has(21) {
		t.Errorf("bids %v", got)
	}
	if got := SeatSet(0b100101).All(); !slices.Equal(got, []Seat{0, 2, 5}) || SeatSet(255).Has(NoSeat) {
		t.Errorf("seats %v", got)
	}
}

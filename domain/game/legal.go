package game

import (
	"math/bits"

	"mago/domain/card"
)

// Actions is the one list of what a seat may do now. Deciding refuses what is not in it, views show it, bots choose from it.
type Actions struct {
	Trump bool     // name any of the four suits
	Bids  BidSet   // bids that may be made
	Plays card.Set // cards that may be played
}

// BidSet is a set of bids from 0 to 20 as bits.
type BidSet uint32

// Has tells whether a bid is in the set; no bid outside 0 to 20 is.
func (b BidSet) Has(tricks int) bool { return tricks >= 0 && tricks <= MaxCards && b>>tricks&1 == 1 }

// All returns the bids in rising order, never nil.
func (b BidSet) All() []int {
	out := make([]int, 0, bits.OnesCount32(uint32(b)))
	for n := range MaxCards + 1 {
		if b.Has(n) {
			out = append(out, n)
		}
	}
	return out
}

// SeatSet is a set of seats as bits.
type SeatSet uint8

// Has tells whether a seat is in the set.
func (s SeatSet) Has(seat Seat) bool { return seat >= 0 && s>>seat&1 == 1 }

// With returns the set with a seat in it, or without it.
func (s SeatSet) With(seat Seat, in bool) SeatSet {
	if in {
		return s | 1<<seat
	}
	return s &^ (1 << seat)
}

// All returns the seats in rising order, never nil.
func (s SeatSet) All() []Seat {
	out := make([]Seat, 0, MaxPlayers)
	for seat := range Seat(MaxPlayers) {
		if s.Has(seat) {
			out = append(out, seat)
		}
	}
	return out
}

// Turn returns the seats that may act: one, or in a simultaneous bidding all who have not bid.
func (r *Round) Turn() SeatSet {
	switch r.Phase {
	case ChooseTrump:
		if r.Turned.IsWizard() {
			return 1 << r.Dealer
		}
	case PlaceBids:
		if r.Bidding.Simultaneous() {
			return r.yetToBid()
		}
		return 1 << r.nextBidder()
	case PlayTricks:
		if !r.TrickComplete() {
			return 1 << r.SeatOfPlay(int(r.Played))
		}
	case NoRound, RoundOver:
	}
	return 0
}

// Legal returns what a seat may do now; nothing if it is not on turn.
func (r *Round) Legal(s Seat) Actions {
	if !r.Turn().Has(s) {
		return Actions{}
	}
	switch r.Phase {
	case ChooseTrump:
		return Actions{Trump: true}
	case PlaceBids:
		return Actions{Bids: r.legalBids()}
	case PlayTricks:
		return Actions{Plays: MayPlay(r.Hands[s], r.InTrick())}
	case NoRound, RoundOver:
	}
	return Actions{}
}

func (r *Round) yetToBid() SeatSet {
	var out SeatSet
	for s, b := range r.Bids[:r.Players] {
		if b == NoBid {
			out |= 1 << s
		}
	}
	return out
}

// nextBidder is the first seat from the dealer's left that has not bid.
func (r *Round) nextBidder() Seat {
	s := r.Next(r.Dealer)
	for r.Bids[s] != NoBid {
		s = r.Next(s)
	}
	return s
}

// legalBids returns 0 to the round's cards. With plus_minus_one the last bidder alone is bound: the sum of all bids may not
// equal the number of tricks. A legal bid always remains, since only one is refused and there are at least two.
func (r *Round) legalBids() BidSet {
	all := BidSet(1)<<(r.CardsEach+1) - 1
	if r.Bidding != PlusMinusOne || r.bidsMade() != int(r.Players)-1 {
		return all
	}
	rest := int(r.CardsEach)
	for _, b := range r.Bids[:r.Players] {
		if b != NoBid {
			rest -= int(b)
		}
	}
	if rest < 0 {
		return all
	}
	return all &^ (1 << rest)
}

package game

import (
	"math/bits"

	"mago/domain/card"
)

// Forced returns the move that the round's turn leaves no choice in and that tells nothing but what is public: the last card of a hand, or the one
// bid that the others' bids leave. The only legal card of several is no such move: it would tell what the hand lacks.
func (r *Round) Forced() (seat Seat, bid int, last bool, ok bool) {
	turn := r.Turn()
	if bits.OnesCount8(uint8(turn)) != 1 {
		return NoSeat, NoBid, false, false
	}
	seat = Seat(bits.TrailingZeros8(uint8(turn))) //nolint:gosec // below 6
	switch r.Phase {
	case PlaceBids:
		if r.Bidding == PlusMinusOne {
			if bids := r.legalBids(); bits.OnesCount32(uint32(bids)) == 1 {
				return seat, bits.TrailingZeros32(uint32(bids)), false, true
			}
		}
	case PlayTricks:
		if r.Hands[seat].Len() == 1 {
			return seat, NoBid, true, true
		}
	case NoRound, ChooseTrump, RoundOver:
	}
	return NoSeat, NoBid, false, false
}

// playForced makes the forced moves that follow, where the rules ask for it.
func (d *decision) playForced() error {
	for d.state.Status == Playing && d.state.Rules.AutoPlayForced {
		seat, bid, last, ok := d.state.Round.Forced()
		if !ok {
			return nil
		}
		var move Command = PlaceBid{Seat: seat, Tricks: bid, Auto: AutoForced}
		if last {
			c := d.state.Round.Hands[seat].First()
			if d.state.Rules.Blind(int(d.state.Round.Number)) {
				c = card.Hidden
			}
			move = PlayCard{Seat: seat, Card: c, Auto: AutoForced}
		}
		if err := d.decide(move); err != nil {
			return err
		}
	}
	return nil
}

package bot

import (
	"math/bits"

	"mago/domain/card"
)

// The stages of a round that have values of their own.
const (
	afterLoss = iota // another leads the next trick
	afterWin         // the seat leads the next trick
	beforeFollowing
	beforeLeading
	stages
)

const (
	leftClasses = 12
	needClasses = 6
	cells       = 34 // quarters of a trick from -4 to 4, and one to read beyond
)

var leftClass = [21]uint8{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 10, 11, 11, 11, 11, 11}

// aim is what a seat wants with the cards that are left to it: so many more tricks.
type aim struct {
	stage, left, class uint8 // where its values stand
	ended              bool  // behind the last card
	from               int32 // tricks, as 1/unit
	miss               int32 // tricks, as 1/unit, by which the bid is missed anyway
	met                int32 // points for the bid if it is met
	points             int32 // as 1/unit, behind the last card
}

func aimAt(stage, left, need, bid int) (a aim) {
	a.met = int32(20 + 10*bid) //nolint:gosec // small
	if left == 0 {
		a.ended, a.points = true, a.met*unit
		if need != 0 {
			a.points = int32(-10*max(need, -need)) * unit //nolint:gosec // small
		}
		return a
	}
	class, miss, from := min(4, need+1), 0, need
	switch {
	case need < 0:
		class, miss, from = 0, -need, 0
	case need > left:
		class, miss, from = 5, need-left, left
	}
	a.stage, a.left, a.class = uint8(stage), leftClass[left], uint8(class) //nolint:gosec // small
	a.from, a.miss = int32(from)*unit, int32(miss)*unit
	return a
}

// worth is the points, as 1/unit, that a seat makes on average whose cards would take mean tricks on average, as 1/unit.
func (a *aim) worth(mean int32) int32 {
	if a.ended {
		return a.points
	}
	d := max(0, min(8*unit-1, a.from-mean+4*unit))
	cell, part := d>>8, d&255
	v := &weights.Values[a.stage][a.left][a.class]
	low, high := &v[cell], &v[cell+1]
	met := (int32(low.Met)*(256-part) + int32(high.Met)*part) >> 8
	off := (int32(low.Off)*(256-part) + int32(high.Off)*part) >> 8
	return a.met*met - 10*(off+a.miss)
}

// value is what seats came to in a state: how often they met the bid, as 1/unit, and by how many tricks, as 1/unit, they missed it.
type value struct{ Met, Off int16 }

// highest returns the highest card of a set that is not empty.
func highest(s card.Set) card.Card { return card.Card(63 - bits.LeadingZeros64(uint64(s))) } //nolint:gosec // at most 63

// sigmoid is the chance for log odds of sum/64.
func sigmoid(sum int32) int32 {
	return int32(sigmoids[max(0, min(1023, sum+512))])
}

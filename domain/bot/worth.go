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

// worth is the points, as 1/unit, that a seat makes on average which wants so many more tricks with so many cards left,
// which would take mean tricks on average.
func worth(stage, left, need, bid int, mean int32) int32 {
	if left == 0 {
		if need == 0 {
			return int32(20+10*bid) * unit //nolint:gosec // small
		}
		return int32(-10*max(need, -need)) * unit //nolint:gosec // small
	}
	class, miss := min(4, need+1), 0
	from := need
	switch {
	case need < 0:
		class, miss, from = 0, -need, 0
	case need > left:
		class, miss, from = 5, need-left, left
	}
	d := max(0, min(8*unit-1, int32(from)*unit-mean+4*unit))
	cell, part := d>>8, d&255
	v := &weights.Values[stage][leftClass[left]][class]
	met := (int32(v[cell].Met)*(256-part) + int32(v[cell+1].Met)*part) >> 8
	off := (int32(v[cell].Off)*(256-part) + int32(v[cell+1].Off)*part) >> 8
	return int32(20+10*bid)*met - 10*(off+int32(miss)*unit) //nolint:gosec // small
}

// value is what seats came to in a state: how often they met the bid, as 1/unit, and by how many tricks, as 1/unit, they missed it.
type value struct{ Met, Off int16 }

// highest returns the highest card of a set that is not empty.
func highest(s card.Set) card.Card { return card.Card(63 - bits.LeadingZeros64(uint64(s))) } //nolint:gosec // at most 63

// sigmoid is the chance for log odds of sum/64.
func sigmoid(sum int32) int32 {
	return int32(sigmoids[max(0, min(1023, sum+512))])
}

package bot

import (
	"bytes"
	_ "embed" // the weights
	"encoding/binary"
	"math"
	"strconv"

	"mago/domain/card"
	"mago/domain/game"
)

// later are log odds, as 1/64, that a card takes a trick after the one in play: summands by class of card and by what they stand on. The last index
// of those that have it is how much of the unseen cards is in hands.
type later struct {
	Higher    [3][card.Ranks][8]int16     // unseen cards of the suit that are higher
	Wizards   [4][5][8]int16              // unseen wizards
	Trumps    [card.Ranks + 1][8]int16    // unseen trumps, for a card beside them
	Suit      [3][card.Ranks + 1][8]int16 // unseen cards of the suit
	OwnHigher [3][6]int16
	OwnLower  [3][7]int16
	Left      [4][game.MaxCards + 1]int16 // cards in the hand
	Players   [4][game.MaxPlayers + 1]int16
	Pressure  [4][9]int16
}

// now are the same for the trick in play.
type now struct {
	Higher  [3][card.Ranks][8]int16
	Wizards [3][5][8]int16
	Trumps  [card.Ranks + 1][8]int16
	Suit    [3][card.Ranks + 1][8]int16                // unseen cards of the suit to follow
	Behind  [3][game.MaxPlayers][game.MaxPlayers]int16 // seats yet to play, and how many of them want tricks
	Left    [3][game.MaxCards + 1]int16
	Ruff    [game.MaxPlayers]int16 // for a trump on another suit: seats yet to play
}

// weights are what playouts choose by.
var weights = read(numbers)

type weightTables struct {
	Later  later
	Now    now
	Values [stages][leftClasses][needClasses][cells]value
}

// numbers are the weights in the order of their declaration. They were fitted on games of the rule of the playouts against itself, with 3 to 6 players and all ways of
// bidding, one card in twelve at random: 16 times 6,000 games, each time a logistic regression of the chances (what a seat wants was among the factors, and is
// left out here) and counts of what seats came to, both going on from the time before.
//
//go:embed weights.txt
var numbers []byte

func read(text []byte) *weightTables {
	var raw []byte
	for word := range bytes.FieldsSeq(text) {
		n, err := strconv.ParseInt(string(word), 10, 16)
		if err != nil {
			panic(err) // a file of the build
		}
		raw = binary.LittleEndian.AppendUint16(raw, uint16(n)) //nolint:gosec // two's complement
	}
	w := new(weightTables)
	if n, err := binary.Decode(raw, binary.LittleEndian, w); err != nil || n != len(raw) {
		panic("weights.txt has another shape")
	}
	return w
}

// sigmoids are the chances, as 1/unit, for log odds from -8 to 8 in steps of 1/64.
var sigmoids = func() (out [1024]int16) {
	for i := range out {
		out[i] = int16(math.Round(unit / (1 + math.Exp(-float64(i-512)/64))))
	}
	return out
}()

// likelihoods are 1,000,000 · e^(-n/64), and never nothing.
var likelihoods = func() (out [1024]uint32) {
	for i := range out {
		out[i] = 1 + uint32(math.Round(1e6*math.Exp(-float64(i)/64)))
	}
	return out
}()

package game

import "fmt"

// Bounds that hold for every game.
const (
	MinPlayers = 3
	MaxPlayers = 6
	MaxRounds  = 20 // with three players
	MaxCards   = 20 // in a hand
)

// Bidding says when and with what bound bids are made and shown.
type Bidding uint8

// The ways of bidding.
const (
	OpenBidding   Bidding = iota // in turn, each seen at once
	PlusMinusOne                 // open, but the sum of the bids may not equal the round's tricks
	HiddenBidding                // all at the same time, shown together before the first card
	SecretBidding                // all at the same time, shown when the round is scored
)

var biddings = [...]string{"open", "plus_minus_one", "hidden", "secret"}

func (b Bidding) String() string { return biddings[b] }

// Simultaneous tells whether bids are made in any order and unseen.
func (b Bidding) Simultaneous() bool { return b == HiddenBidding || b == SecretBidding }

// ParseBidding is the inverse of String.
func ParseBidding(name string) (Bidding, bool) { return parseName[Bidding](biddings[:], name) }

// Length says which rounds are played.
type Length uint8

// The lengths of a game.
const (
	Full       Length = iota // 1, 2, 3 … cards, until a deal uses all 60
	Five                     // the rounds of 1 to 5 cards
	Tournament               // ten rounds
)

var lengths = [...]string{"full", "five", "tournament"}

func (l Length) String() string { return lengths[l] }

// ParseLength is the inverse of String.
func ParseLength(name string) (Length, bool) { return parseName[Length](lengths[:], name) }

func parseName[T ~uint8](names []string, name string) (T, bool) {
	for i, n := range names {
		if n == name {
			return T(i), true
		}
	}
	return 0, false
}

// Rules are the options of a game. Every combination is legal for every number of players.
type Rules struct {
	Players   int // 3 to 6
	Bidding   Bidding
	Length    Length
	Foresight bool // in a first round of one card, a player sees everybody's card but their own

	AutoPlayForced bool // the server makes moves that leave no choice and tell nothing: see Round.Forced
}

// Valid tells whether all of the options are in range.
func (r Rules) Valid() error {
	switch {
	case r.Players < MinPlayers || r.Players > MaxPlayers:
		return fmt.Errorf("players must be %d to %d, not %d", MinPlayers, MaxPlayers, r.Players)
	case int(r.Bidding) >= len(biddings):
		return fmt.Errorf("no such bidding: %d", r.Bidding)
	case int(r.Length) >= len(lengths):
		return fmt.Errorf("no such length: %d", r.Length)
	}
	return nil
}

// Rounds returns the number of rounds.
func (r Rules) Rounds() int {
	switch r.Length {
	case Five:
		return 5
	case Tournament:
		return 10
	case Full:
		return fullRounds(r.Players)
	}
	return 0
}

// fullRounds is how many rounds of 1, 2, 3 … cards there are until a deal uses all 60.
func fullRounds(players int) int { return 60 / players }

// tournament is the Amigo tournament's cards in each round, by players. With 3 and 6 players they follow a pattern too, but a table is plainer.
var tournament = map[int][10]int{
	3: {2, 4, 6, 8, 10, 12, 14, 16, 18, 20},
	4: {1, 3, 5, 7, 9, 11, 12, 13, 14, 15},
	5: {2, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	6: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
}

// CardsEach returns how many cards each player is dealt in a round, from 1 to Rounds().
func (r Rules) CardsEach(round int) int {
	if r.Length == Tournament {
		return tournament[r.Players][round-1]
	}
	return round
}

// ForesightEffective tells whether the game has a blind round. A first round of two cards has none.
func (r Rules) ForesightEffective() bool { return r.Foresight && r.CardsEach(1) == 1 }

// Blind tells whether players see every card but their own in the round.
func (r Rules) Blind(round int) bool { return round == 1 && r.ForesightEffective() }

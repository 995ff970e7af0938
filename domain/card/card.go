// Package card is the deck of Wizard: 60 cards, their codes, and sets of them.
//
// 13 dwarves, elves, giants and humans with ranks 1 to 13, 4 wizards and 4 jesters. The four wizards are equal in
// play, and so are the four jesters; their numbers only tell the cards apart.
package card

import (
	"fmt"
	"strconv"
)

// Card is one of the 60 cards, 1 to 60 in the order of Deck. The zero Card is None.
type Card uint8

const (
	// None stands where there is no card.
	None Card = 0
	// Hidden stands for a card that the viewer may not know. It is in no deck and no Set, and is written "??".
	Hidden Card = 63

	// Count is the number of cards in the deck.
	Count = 60
	// Ranks is the number of cards in each suit.
	Ranks = 13

	firstWizard = 4*Ranks + 1
	firstJester = firstWizard + 4
)

// Suit is one of the four suits. The zero Suit is NoSuit.
type Suit uint8

// The suits, in the order of the deck.
const (
	NoSuit Suit = iota
	Dwarves
	Elves
	Giants
	Humans
)

// Suits are the four suits in order.
var Suits = [4]Suit{Dwarves, Elves, Giants, Humans}

const letters = "DEGH"

var names = [5]string{"", "dwarves", "elves", "giants", "humans"}

// String returns the suit's name as clients write it, "" for NoSuit.
func (s Suit) String() string { return names[s] }

// ParseSuit is the inverse of String for the four suits.
func ParseSuit(name string) (Suit, error) {
	for _, s := range Suits {
		if names[s] == name {
			return s, nil
		}
	}
	return NoSuit, fmt.Errorf("%q is no suit", name)
}

// Of returns the card of a suit with a rank from 1 to 13.
func Of(s Suit, rank int) Card { return Card(int(s-1)*Ranks + rank) } //nolint:gosec // at most 63

// Wizard returns the n-th wizard, n from 1 to 4.
func Wizard(n int) Card { return Card(firstWizard + n - 1) } //nolint:gosec // at most 63

// Jester returns the n-th jester, n from 1 to 4.
func Jester(n int) Card { return Card(firstJester + n - 1) } //nolint:gosec // at most 63

// Valid tells whether c is one of the 60 cards.
func (c Card) Valid() bool { return c >= 1 && c <= Count }

// IsWizard tells whether c is a wizard.
func (c Card) IsWizard() bool { return c >= firstWizard && c < firstJester }

// IsJester tells whether c is a jester.
func (c Card) IsJester() bool { return c >= firstJester && c <= Count }

// Suit returns the card's suit, NoSuit for wizards, jesters, None and Hidden.
func (c Card) Suit() Suit {
	if c == None || c >= firstWizard {
		return NoSuit
	}
	return Suit((c-1)/Ranks) + 1
}

// Rank returns 1 to 13 for a suit card, the number 1 to 4 for a wizard or jester, and 0 for None and Hidden.
func (c Card) Rank() int {
	switch {
	case !c.Valid():
		return 0
	case c >= firstJester:
		return int(c-firstJester) + 1
	case c >= firstWizard:
		return int(c-firstWizard) + 1
	default:
		return int(c-1)%Ranks + 1
	}
}

// String returns the card's code: D1…D13, E1…, G1…, H1…, W1…W4, J1…J4; "??" for Hidden and "" for None.
func (c Card) String() string {
	switch {
	case c == Hidden:
		return "??"
	case !c.Valid():
		return ""
	case c.IsJester():
		return "J" + strconv.Itoa(c.Rank())
	case c.IsWizard():
		return "W" + strconv.Itoa(c.Rank())
	default:
		return string(letters[c.Suit()-1]) + strconv.Itoa(c.Rank())
	}
}

// Parse reads the code of one of the 60 cards or "??" for Hidden. Nothing else is a card: no lower case, no leading zeros.
func Parse(code string) (Card, error) {
	if c, ok := codes[code]; ok {
		return c, nil
	}
	return None, fmt.Errorf("%q is no card", code)
}

// codes is filled once and only read.
var codes = func() map[string]Card {
	m := map[string]Card{Hidden.String(): Hidden}
	for _, c := range Deck() {
		m[c.String()] = c
	}
	return m
}()

// Deck returns the 60 cards in order: D1…D13, E1…E13, G1…G13, H1…H13, W1…W4, J1…J4.
func Deck() [Count]Card {
	var d [Count]Card
	for i := range d {
		d[i] = Card(i + 1)
	}
	return d
}

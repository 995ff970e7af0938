package card

import (
	"iter"
	"math/bits"
	"strings"
)

// Set is a set of cards as 64 bits. The zero Set is empty; == compares sets. Hidden and None are in no Set.
type Set uint64

// suitMask has the bits of the 13 dwarves; the other suits follow it at distances of 13.
const suitMask Set = (1<<Ranks - 1) << 1

// The two kinds of cards that may be played whatever the suit to follow is.
const (
	Wizards Set = 0xF << firstWizard
	Jesters Set = 0xF << firstJester
)

// SetOf returns the set of the given cards.
func SetOf(cards ...Card) Set {
	var s Set
	for _, c := range cards {
		s = s.With(c)
	}
	return s
}

// OfSuit returns the 13 cards of a suit.
func OfSuit(s Suit) Set { return suitMask << (Ranks * (s - 1)) }

// With returns the set with c in it.
func (s Set) With(c Card) Set { return s | 1<<c }

// Without returns the set with c not in it.
func (s Set) Without(c Card) Set { return s &^ (1 << c) }

// Has tells whether c is in the set.
func (s Set) Has(c Card) bool { return s>>c&1 == 1 }

// Len returns the number of cards.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// First returns the lowest card, None if the set is empty.
func (s Set) First() Card {
	if s == 0 {
		return None
	}
	return Card(bits.TrailingZeros64(uint64(s))) //nolint:gosec // at most 63
}

// Nth returns the card with n lower cards in the set. n is from 0 to Len()-1.
func (s Set) Nth(n int) Card {
	for range n {
		s &= s - 1
	}
	return s.First()
}

// All yields the cards in the order of the deck.
func (s Set) All() iter.Seq[Card] {
	return func(yield func(Card) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(s.First()) {
				return
			}
		}
	}
}

// Cards returns the cards in the order of the deck, never nil.
func (s Set) Cards() []Card {
	out := make([]Card, 0, s.Len())
	for c := range s.All() {
		out = append(out, c)
	}
	return out
}

// String returns the codes, separated by spaces.
func (s Set) String() string {
	var b strings.Builder
	for c := range s.All() {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.String())
	}
	return b.String()
}

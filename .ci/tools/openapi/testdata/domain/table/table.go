// Package table is what a DTO borrows from another package.
package table

// Suit is one of two.
type Suit string

const (
	Dwarves Suit = "dwarves"
	Elves   Suit = "elves"
)

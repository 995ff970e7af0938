package bot

import (
	"math"

	"mago/domain/card"
	"mago/domain/game"
)

// factors is what the chance of a card is made of, as log odds. In order: 1; the log odds that nobody beats it when its suit is led; how much of
// the unseen cards is in hands; one's own higher and lower cards of its suit; 1 / cards left.
type factors [6]float64

// now is the chance that a card takes the trick in play.
func (t *table) now(c card.Card) float64 {
	trick := append(t.trick, c) // in the one place behind the trick, over the card asked for before
	switch {
	case game.Winner(trick, t.trump) != len(trick)-1 || c.IsJester():
		return 0 // that all the others play jesters is left out
	case c.IsWizard():
		return 1
	}
	return t.stands(c, game.SuitToFollow(trick), true)
}

// later is the chance that a card of the hand takes a trick after the one in play.
func (t *table) later(c card.Card) float64 {
	if c.IsJester() {
		return 0
	}
	x := factors{0: 1, 2: float64(t.left*len(t.others)) / float64(max(1, t.unseen.Len())), 5: 1 / float64(t.left)}
	w := &ofWizard
	if !c.IsWizard() {
		p := t.stands(c, c.Suit(), false)
		x[1] = math.Log((p + 1e-3) / (1 - p + 1e-3))
		own := t.hand & card.OfSuit(c.Suit())
		x[3] = float64((own & above(c)).Len())
		x[4] = float64(own.Len()-1) - x[3]
		switch {
		case t.trump == card.NoSuit:
			w = &withoutTrump
		case c.Suit() == t.trump:
			w = &ofTrump
		default:
			w = &beside
		}
	}
	sum := 0.0
	for i := range x {
		sum += w[i] * x[i]
	}
	if t.bid == game.NoBid {
		sum += beforeBid + together*x[2]*t.together
	}
	return 1 / (1 + math.Exp(-sum))
}

// stands is the chance that a card which is ahead in its trick is not beaten: by anybody, or by those who have yet to play to the trick.
func (t *table) stands(c card.Card, follow card.Suit, inPlay bool) float64 {
	p, can := 1.0, t.canBeat(c, follow)
	for _, o := range t.others {
		if !inPlay || !o.played {
			p *= 1 - o.will*can
		}
	}
	return p
}

// canBeat is the chance that one hand can beat a card where a suit is to be followed: by a wizard, by a higher card of its suit, or,
// having none of the suit to follow, by a trump.
func (t *table) canBeat(c card.Card, follow card.Suit) float64 {
	wizards, higher, trumps := (t.unseen & card.Wizards).Len(), 0, 0
	if c.Suit() == follow {
		higher = (t.unseen & above(c)).Len()
	}
	switch {
	case follow == t.trump || t.trump == card.NoSuit:
	case c.Suit() == t.trump:
		trumps = (t.unseen & above(c)).Len()
	default:
		trumps = (t.unseen & card.OfSuit(t.trump)).Len()
	}
	void := t.lacks[(t.unseen & card.OfSuit(follow)).Len()]
	return 1 - t.lacks[wizards]*(t.lacks[higher]-void*(1-t.lacks[trumps]))
}

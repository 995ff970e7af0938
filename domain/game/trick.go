package game

import "mago/domain/card"

// SuitToFollow looks at the cards of a trick in the order played. The first that is not a jester decides: a suit card
// must be followed; a wizard frees everybody for the rest of the trick. NoSuit: nobody need follow.
func SuitToFollow(plays []card.Card) card.Suit {
	for _, c := range plays {
		if !c.IsJester() {
			return c.Suit()
		}
	}
	return card.NoSuit
}

// MayPlay returns the cards of a hand that may be played on a trick: who holds the suit to follow plays it, or a wizard, or a jester.
func MayPlay(hand card.Set, plays []card.Card) card.Set {
	suit := SuitToFollow(plays)
	if suit == card.NoSuit || hand&card.OfSuit(suit) == 0 {
		return hand
	}
	return hand & (card.OfSuit(suit) | card.Wizards | card.Jesters)
}

// Winner returns the index of the card that takes a trick: the first wizard; else the highest trump; else the highest
// card of the suit to follow; else the first jester.
func Winner(plays []card.Card, trump card.Suit) int {
	best := 0
	for i, c := range plays {
		if c.IsWizard() {
			return i
		}
		if beats(c, plays[best], trump) {
			best = i
		}
	}
	return best
}

// beats tells whether a card that is no wizard takes the trick from the one that held it so far. The first suit card
// to meet a jester is of the suit to follow, so a card of a third suit never gets here as the best.
func beats(c, best card.Card, trump card.Suit) bool {
	switch {
	case c.IsJester():
		return false
	case best.IsJester():
		return true
	case c.Suit() == best.Suit():
		return c.Rank() > best.Rank()
	default:
		return c.Suit() == trump
	}
}

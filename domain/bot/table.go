package bot

import (
	"slices"

	"mago/domain/card"
	"mago/domain/game"
)

// deck has all 60 cards.
const deck = card.Set(1<<(card.Count+1) - 2)

// table is what a seat sees, in the form that chances are reckoned from.
type table struct {
	hand       card.Set
	unseen     card.Set // what others may hold; a view shows the last trick only, so cards of the tricks before are among them
	trump      card.Suit
	trick      []card.Card // in play
	left       int         // cards in the hand
	bid, taken int
	together   float64 // where all bid at the same time 1 / seats, else 0
	others     []opponent
	lacks      [card.Ranks + 1]float64 // chance that another hand has none of so many unseen cards
	chance     [card.Count + 1]float64 // of each card of the hand to take a later trick
}

// opponent is another seat.
type opponent struct {
	will   float64 // chance to beat a card that it can beat
	played bool    // to the trick in play
}

// look reads a view, with a trump that may be still to be named.
func look(v *game.View, trump card.Suit) *table {
	t := &table{trump: trump, left: max(1, len(v.You.Hand)), bid: game.NoBid}
	t.hand = known(v.You.Hand...)
	t.unseen = deck &^ t.hand &^ known(v.Round.Turned)
	if v.Trick != nil {
		t.trick = t.see(v.Trick)
	}
	if v.LastTrick != nil && v.LastTrick.Round == v.Round.Number {
		t.see(v.LastTrick)
	}
	share := min(1, float64(t.left)/float64(max(1, t.unseen.Len())))
	t.lacks[0] = 1
	for i := 1; i < len(t.lacks); i++ {
		t.lacks[i] = t.lacks[i-1] * (1 - share)
	}
	t.meet(v)
	if v.Rules.Bidding.Simultaneous() {
		t.together = 1 / float64(max(1, len(v.Seats)))
	}
	for c := range t.hand.All() {
		t.chance[c] = t.later(c)
	}
	return t
}

// see takes the cards of a trick from the unseen, and returns them.
func (t *table) see(trick *game.TrickView) []card.Card {
	cards := make([]card.Card, len(trick.Plays), len(trick.Plays)+1)
	for i, p := range trick.Plays {
		cards[i] = p.Card
	}
	t.unseen &^= known(cards...)
	return cards
}

// meet reads the seats: what each of them wants.
func (t *table) meet(v *game.View) {
	for _, s := range v.Seats {
		if s.Seat == v.You.Seat {
			t.bid, t.taken = s.Bid, s.Tricks
			continue
		}
		played := v.Trick != nil && slices.ContainsFunc(v.Trick.Plays, func(p game.Play) bool { return p.Seat == s.Seat })
		t.others = append(t.others, opponent{t.will(s), played})
	}
}

// will is the chance that a seat beats a card when it can, of which it has no choice with its last card.
func (t *table) will(s game.SeatView) float64 {
	var w float64
	switch need := s.Bid - s.Tricks; {
	case s.Bid == game.NoBid:
		w = unknown
	case need <= 0:
		w = sated
	default:
		w = hungry + (1-hungry)*min(1, float64(need)/float64(t.left))
	}
	return w + (1-w)/float64(t.left)
}

func known(cards ...card.Card) (s card.Set) {
	for _, c := range cards {
		if c.Valid() {
			s = s.With(c)
		}
	}
	return s
}

// above has the cards of the same suit that are higher.
func above(c card.Card) card.Set { return card.OfSuit(c.Suit()) &^ (1<<(c+1) - 1) }

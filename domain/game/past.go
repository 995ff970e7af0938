package game

import "mago/domain/card"

// PastTricks is the complete tricks of the round in play, from its first. It is public, and a plain value. It is no part of Round, which is copied
// millions of times and need not know them.
type PastTricks struct {
	leaders [MaxCards]Seat
	cards   [card.Count]card.Card // of one trick after the other, each in the order played
	tricks  int8
	players int8
}

// Len returns how many tricks there are.
func (p *PastTricks) Len() int { return int(p.tricks) }

// Trick returns the leader and the cards of a trick in the order played, i from 0. The cards are not to be written to.
func (p *PastTricks) Trick(i int) (leader Seat, plays []card.Card) {
	n := int(p.players)
	return p.leaders[i], p.cards[i*n : (i+1)*n]
}

// Add adds the trick that is complete in the round, which is the one after the last added. A trick of another round than the last one's is the first again.
func (p *PastTricks) Add(r *Round) {
	if r.Trick == 1 {
		*p = PastTricks{}
	}
	n := int(r.Players)
	if int(p.tricks) == MaxCards || (int(p.tricks)+1)*n > card.Count {
		return
	}
	p.leaders[p.tricks], p.players = r.Leader, r.Players
	copy(p.cards[int(p.tricks)*n:], r.Plays[:n])
	p.tricks++
}

package bot

import (
	"math"

	"mago/domain/card"
	"mago/domain/game"
)

// The choices of seats in playouts: like the rule of thumb of Easy, from weights that were fitted for it, in a fifth of a microsecond.

// quickCard chooses one of the cards that a seat on turn may play.
func (p *playout) quickCard(s game.Seat, may card.Set) card.Card {
	p.see(s)
	found, most := card.None, int32(math.MinInt32)
	for rest := oneOfEach(may); rest != 0; rest &= rest - 1 {
		c := rest.First()
		if points := p.worthOf(s, c); points > most {
			found, most = c, points
		}
	}
	return found
}

// worthOf is the points, as 1/unit, that a seat which has looked at its hand makes on average with a card.
func (p *playout) worthOf(s game.Seat, c card.Card) int32 {
	need, bid, left := int(p.Bids[s]-p.Tricks[s]), int(p.Bids[s]), p.hand.Len()-1
	mean, now := p.mean-p.chance[c], p.now(c)
	points := int32(0)
	if now > 0 {
		points = now * (worth(afterWin, left, need-1, bid, mean) / 8)
	}
	if now < unit {
		points += (unit - now) * (worth(afterLoss, left, need, bid, mean) / 8)
	}
	return points / (unit / 8)
}

// quickBid chooses one of the bids that are allowed to a seat.
func (p *playout) quickBid(s game.Seat, allowed game.BidSet) int {
	p.see(s)
	found, most := 0, int32(math.MinInt32)
	for bid := range p.hand.Len() + 1 {
		if allowed.Has(bid) {
			if points := p.worthOfBid(s, bid); points > most {
				found, most = bid, points
			}
		}
	}
	return found
}

// worthOfBid is the points, as 1/unit, that a seat which has looked at its hand makes on average with a bid.
func (p *playout) worthOfBid(s game.Seat, bid int) int32 {
	stage := beforeFollowing
	if s == p.Next(p.Dealer) {
		stage = beforeLeading
	}
	return worth(stage, p.hand.Len(), bid, bid, p.mean)
}

// oneOfEach leaves one wizard and one jester of several, which are equal in play.
func oneOfEach(s card.Set) card.Set {
	for _, kind := range [...]card.Set{card.Wizards, card.Jesters} {
		if of := s & kind; of != 0 {
			s = s&^of | of&-of
		}
	}
	return s
}

package bot

import (
	"mago/domain/card"
	"mago/domain/game"
)

// playout is a round that is played on in thought. Each seat chooses by what it would see: its own hand, the cards played, the bids that are shown.
type playout struct {
	game.Round
	out    card.Set // seen by all: played or turned
	secret bool     // bids are not shown
	*sight          // of the seat that chooses, made new for each choice
}

// play plays a card, and ends the trick with it if it is the last.
func (p *playout) play(s game.Seat, c card.Card) {
	p.out = p.out.With(c)
	p.PlayCard(s, c)
	if p.TrickComplete() {
		p.TakeTrick(p.SeatOfPlay(game.Winner(p.InTrick(), p.Trump)))
	}
}

// finish plays the round to its end, with one card in so many at random: nobody plays as one expects all the time. Which cards follows from the chances, the seat and the
// trick, so that choices which are compared meet the same accidents.
func (p *playout) finish(chances, noise uint64) {
	p.bidOn()
	for p.Phase == game.PlayTricks {
		s := p.SeatOfPlay(int(p.Played))
		may := game.MayPlay(p.Hands[s], p.InTrick())
		if may&(may-1) == 0 {
			p.play(s, may.First())
			continue
		}
		if h := mix(chances ^ uint64(p.Trick)<<48 ^ uint64(s)<<56); h%noise == 0 { //nolint:gosec // from 0
			p.play(s, may.Nth(int(h>>32*uint64(may.Len())>>32))) //nolint:gosec // below 60
		} else {
			p.play(s, p.quickCard(s, may))
		}
	}
}

// bidOn makes the bids that are missing.
func (p *playout) bidOn() {
	secret := p.secret
	p.secret = p.Bidding.Simultaneous()
	s := p.Next(p.Dealer)
	for range p.Players {
		if p.Bids[s] == game.NoBid {
			p.PlaceBid(s, p.quickBid(s, p.allowed(s)))
		}
		s = p.Next(s)
	}
	p.secret = secret
}

// allowed are the bids of a seat whose turn to bid it is.
func (p *playout) allowed(s game.Seat) game.BidSet {
	if p.Bidding == game.PlusMinusOne {
		return p.Legal(s).Bids
	}
	return p.allBids()
}

func (p *playout) allBids() game.BidSet { return 1<<(p.CardsEach+1) - 1 }

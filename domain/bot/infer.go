package bot

import (
	"math"

	"mago/domain/card"
	"mago/domain/game"
)

// style is how a level thinks.
type style struct {
	draws int    // deals drawn for each that is used, where they can be told apart by what others have chosen
	bids  int32  // points by which a bid must be worse than another to be e times less likely
	cards int32  // the same for a card; 0: what was played tells nothing but who lacks a suit
	noise uint64 // one card in so many is played at random in playouts
}

var styles = [...]style{
	game.StandardBot: {draws: 4, bids: 10, noise: 8},
	game.StrongBot:   {draws: 4, bids: 10, cards: 10, noise: 8},
}

// The most that one choice can make a deal less likely, as 1/64 in the exponent: others think otherwise.
const (
	mostOfBid  = 4 * 64
	mostOfCard = 3 * 64
)

// sample deals the cards that are not seen: every deal that is possible is as likely as any other, and of those drawn more are kept that go well
// with what others have chosen. False where there are no deals.
func (s *study) sample(samples int) bool {
	dealer := newSampler(s.pool, s.holders)
	if dealer == nil {
		s.Rescued = true
		for i := range s.holders {
			s.holders[i].voids = 0
		}
		if dealer = newSampler(s.pool, s.holders); dealer == nil {
			return false
		}
	}
	draws := samples
	if s.telling() {
		draws *= s.draws
	}
	all, likely := make([]playout, draws), make([]uint64, draws)
	hands, eyes := make([]card.Set, len(s.holders)), new(sight)
	for i := range all {
		p := playout{Round: s.round, out: s.out, secret: s.hidden || s.round.Bidding == game.SecretBidding, sight: eyes}
		dealer.deal(s.rng, hands)
		for j, h := range hands[:p.Players] {
			p.Hands[j] |= h
		}
		if s.hidden {
			s.guessBids(&p)
		}
		if all[i] = p; draws > samples {
			likely[i] = s.likelihood(&p)
		}
	}
	if s.deals = all; draws > samples {
		s.deals = s.keep(all, likely, samples)
	}
	s.Deals = draws
	return true
}

// telling tells whether others have chosen anything that deals go well with or not.
func (s *study) telling() bool {
	for i, b := range s.round.Bids[:s.round.Players] {
		if game.Seat(i) != s.me && b != game.NoBid {
			return true
		}
	}
	return s.cards > 0 && len(s.plays) > 0
}

// keep draws so many of the deals by how likely they are, at even distances (systematic resampling), and shuffles them.
func (s *study) keep(all []playout, likely []uint64, samples int) []playout {
	var total, sum uint64
	for _, w := range likely {
		total += w
	}
	out := make([]playout, 0, samples)
	step := total/uint64(samples) + 1 //nolint:gosec // above 0
	at := s.rng.below(step)
	for i, w := range likely {
		for sum += w; at < sum && len(out) < samples; at += step {
			out = append(out, all[i])
		}
	}
	for i := len(out) - 1; i > 0; i-- {
		j := s.rng.below(uint64(i + 1))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// likelihood is how well a deal goes with what the others have chosen: how likely they were to, if they choose much as playouts do.
func (s *study) likelihood(p *playout) uint64 {
	q := s.dealt(p)
	surprise := s.ofBids(&q)
	if s.cards > 0 && p.Phase == game.PlayTricks {
		surprise += s.ofPlays(&q, p)
	}
	return uint64(likelihoods[min(surprise, int32(len(likelihoods))-1)])
}

// dealt is the round as it was before the first bid.
func (s *study) dealt(p *playout) playout {
	q := *p
	for i := range q.Hands {
		q.Hands[i] |= s.played[i]
		q.Bids[i], q.Tricks[i] = game.NoBid, 0
	}
	q.out = known(q.Turned)
	q.Played, q.Phase = 0, game.PlaceBids
	return q
}

// ofBids makes the bids again that were shown, and returns how surprising those of others are.
func (s *study) ofBids(q *playout) (surprise int32) {
	secret := q.secret
	q.secret = q.Bidding.Simultaneous()
	seat := q.Next(q.Dealer)
	for range q.Players {
		if bid := int(s.round.Bids[seat]); bid != game.NoBid {
			if seat != s.me {
				surprise += s.surprisingBid(q, seat, bid)
			}
			q.PlaceBid(seat, bid)
		}
		seat = q.Next(seat)
	}
	q.secret = secret
	return surprise
}

func (s *study) surprisingBid(q *playout, seat game.Seat, bid int) int32 {
	q.see(seat)
	most := int32(math.MinInt32)
	for b := range q.hand.Len() + 1 {
		most = max(most, q.worthOfBid(seat, b))
	}
	return min(mostOfBid, (most-q.worthOfBid(seat, bid))/(s.bids*unit/64))
}

// ofPlays plays the cards again, and returns how surprising those of others are.
func (s *study) ofPlays(q, now *playout) (surprise int32) {
	q.Bids = now.Bids
	q.Phase, q.Trick, q.Leader = game.PlayTricks, 1, q.Next(q.Dealer)
	for _, c := range s.plays {
		seat := q.SeatOfPlay(int(q.Played))
		if seat != s.me {
			surprise += s.surprisingCard(q, seat, c)
		}
		q.play(seat, c)
	}
	return surprise
}

func (s *study) surprisingCard(q *playout, seat game.Seat, c card.Card) int32 {
	may := game.MayPlay(q.Hands[seat], q.InTrick())
	if may&(may-1) == 0 {
		return 0
	}
	q.see(seat)
	this := q.worthOf(seat, c)
	most := this
	for rest := oneOfEach(may.Without(c)); rest != 0; rest &= rest - 1 {
		most = max(most, q.worthOf(seat, rest.First()))
	}
	return min(mostOfCard, (most-this)/(s.cards*unit/64))
}

// guessBids gives the others bids that go with their hands, where bids are not shown.
func (s *study) guessBids(p *playout) {
	q := s.dealt(p)
	q.secret = true
	for i := range q.Players {
		if seat := game.Seat(i); p.Bids[i] == game.NoBid {
			p.Bids[i] = int8(q.quickBid(seat, q.allBids())) //nolint:gosec // at most 20
		}
	}
}

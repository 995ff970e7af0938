package bot

import (
	"slices"

	"mago/domain/card"
	"mago/domain/game"
)

// style is how a level thinks.
type style struct {
	draws   int    // deals drawn for each that is left when they are sifted by the bids of others
	replays int    // the same by the cards of others
	bids    int32  // points by which a bid must be worse than another to be e times less likely: 6 makes the bids of easy and of standard likeliest
	cards   int32  // the same for a card
	noise   uint64 // one card in so many is played at random in playouts
}

var styles = [...]style{
	game.StandardBot: {draws: 3, replays: 2, bids: 6, cards: 12, noise: 8},
	game.StrongBot:   {draws: 4, replays: 4, bids: 6, cards: 12, noise: 8},
}

// The most that one choice can make a deal less likely, as 1/64 in the exponent: others think otherwise.
const (
	mostOfBid  = 4 * 64
	mostOfCard = 3 * 64
)

// prepare gets ready to deal the cards that are not seen. False where there are no deals.
func (s *study) prepare() bool {
	if s.dealer = newSampler(s.pool, s.holders); s.dealer == nil {
		s.Rescued = true
		for i := range s.holders {
			s.holders[i].voids = 0
		}
		s.dealer = newSampler(s.pool, s.holders)
	}
	s.hands, s.eyes = make([]card.Set, len(s.holders)), new(sight)
	return s.dealer != nil
}

// draw deals the cards that are not seen: every deal that is possible is as likely as any other, and of those drawn the more are kept the better they go with what others
// have chosen. They are sifted by bids first, and what is left by the cards that were played, which takes longer.
func (s *study) draw(n int) []playout {
	draws, replays := s.sieve()
	s.Deals += n * draws * replays
	deals := s.deal(n * draws * replays)
	if draws > 1 {
		deals = s.keep(deals, n*replays, s.ofBids)
	}
	if replays > 1 {
		deals = s.keep(deals, n, s.ofPlays)
	}
	return deals
}

// sieve is how many deals are drawn for each that is left when they are sifted by bids, and how many of these are played again for each that is kept; 1 where there is
// nothing to sift by.
func (s *study) sieve() (draws, replays int) {
	draws, replays = 1, 1
	for i, b := range s.round.Bids[:s.round.Players] {
		if game.Seat(i) != s.me && b != game.NoBid {
			draws = s.draws
		}
	}
	if len(s.plays) > 0 {
		replays = s.replays
	}
	return draws, replays
}

func (s *study) deal(n int) []playout {
	out := slices.Grow(s.room[0][:0], n)[:n]
	s.room[0] = out
	for i := range out {
		p := playout{Round: s.round, out: s.out, secret: s.hidden || s.round.Bidding == game.SecretBidding, sight: s.eyes}
		s.dealer.deal(s.rng, s.hands)
		for j, h := range s.hands[:p.Players] {
			p.Hands[j] |= h
		}
		if s.hidden {
			s.guessBids(&p)
		}
		out[i] = p
	}
	return out
}

// keep draws so many of the deals by how little surprises in them, at even distances (systematic resampling).
func (s *study) keep(deals []playout, n int, surprise func(*playout) int32) []playout {
	s.likely = s.likely[:0]
	var total, sum uint64
	for i := range deals {
		w := uint64(likelihoods[min(surprise(&deals[i]), int32(len(likelihoods))-1)])
		s.likely, total = append(s.likely, w), total+w
	}
	kept := s.room[1][:0]
	step := max(1, total/uint64(n)) //nolint:gosec // above 0
	at := s.rng.below(step)
	for i, w := range s.likely {
		for sum += w; at < sum && len(kept) < n; at += step {
			kept = append(kept, deals[i])
		}
	}
	s.room[0], s.room[1] = kept, s.room[0]
	return kept
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

// ofBids makes the bids again that were shown, and returns how surprising those of others are if they choose much as playouts do.
func (s *study) ofBids(p *playout) (surprise int32) {
	q := s.dealt(p)
	q.secret = q.Bidding.Simultaneous()
	seat := q.Next(q.Dealer)
	for range q.Players {
		if bid := int(s.round.Bids[seat]); bid != game.NoBid {
			if seat != s.me {
				surprise += s.surprisingBid(&q, seat, bid)
			}
			q.PlaceBid(seat, bid)
		}
		seat = q.Next(seat)
	}
	return surprise
}

func (s *study) surprisingBid(q *playout, seat game.Seat, bid int) int32 {
	q.see(seat)
	this, allowed := q.worthOfBid(seat, bid), q.allowed(seat)
	most := this
	near := int(q.mean / unit)
	for b := max(0, near-3); b <= min(near+4, q.hand.Len()); b++ { // no other is worth more
		if allowed.Has(b) {
			most = max(most, q.worthOfBid(seat, b))
		}
	}
	return min(mostOfBid, (most-this)/(s.bids*unit/64))
}

// ofPlays plays the cards again, and returns how surprising those of others are.
func (s *study) ofPlays(p *playout) (surprise int32) {
	q := s.dealt(p)
	q.Bids = p.Bids
	q.Phase, q.Trick, q.Leader = game.PlayTricks, 1, q.Next(q.Dealer)
	for _, c := range s.plays {
		seat := q.SeatOfPlay(int(q.Played))
		if seat != s.me {
			surprise += s.surprisingCard(&q, seat, c)
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
	q.aimAtTrick(seat)
	this := q.worthOf(c)
	most := this
	for rest := different(may, q.unseen|card.SetOf(q.InTrick()...)); rest != 0; rest &= rest - 1 {
		most = max(most, q.worthOf(rest.First()))
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

package bot

import (
	"cmp"
	"slices"

	"mago/domain/card"
	"mago/domain/game"
)

// Thought is what a choice was made from.
type Thought struct {
	Deals    int // deals looked at; 0 for a choice by the rule of thumb
	Playouts int // rounds played to their end
	// Rescued tells that no deal is possible by what the view shows, as no game's view should. What others have shown not to hold was left aside, or the
	// rule of thumb has chosen.
	Rescued bool
}

// Think is Decide, and tells what the choice was made from.
func Think(l game.Level, v game.View, seed Seed, samples int) (Choice, Thought, bool) {
	c, ok := Easy(v)
	if !ok || l == game.EasyBot || samples <= 0 {
		return c, Thought{}, ok
	}
	can := &v.You.Can
	if len(can.Trump)+len(can.Bid)+len(can.Play) == 1 || len(v.Others) > 0 { // of a blind round the rule of thumb knows all there is to know
		return c, Thought{}, true
	}
	k, ok := know(&v)
	if !ok {
		return c, Thought{Rescued: true}, true
	}
	s := study{knowledge: k, rng: newRandom(seed), style: styles[l]}
	if s.sample(samples) {
		s.choose(&c, can)
	}
	return c, s.Thought, true
}

// study is a choice that is being thought about.
type study struct {
	Thought
	*knowledge
	style
	rng   *random
	deals []playout // that are possible, with all hands and bids
}

// The most bids and cards that are tried: those that are best by the rule of the playouts.
const (
	mostBids  = 5
	mostCards = 10
)

func (s *study) choose(c *Choice, can *game.Can) {
	look := s.deals[0] // for a seat's own sight all deals are the same
	look.secret = look.secret || look.Phase == game.PlaceBids && look.Bidding.Simultaneous()
	look.see(s.me)
	switch c.Phase {
	case game.ChooseTrump:
		c.Suit = pick(s, can.Trump, func(p *playout, suit card.Suit) { p.SetTrump(suit) })
	case game.PlaceBids:
		bids := bestBy(can.Bid, mostBids, func(bid int) int32 { return look.worthOfBid(s.me, bid) })
		c.Bid = pick(s, bids, func(p *playout, bid int) { p.PlaceBid(s.me, bid) })
	default:
		cards := bestBy(oneOfEach(known(can.Play...)).Cards(), mostCards, func(c card.Card) int32 { return look.worthOf(s.me, c) })
		c.Card = pick(s, cards, func(p *playout, c card.Card) { p.play(s.me, c) })
	}
}

// bestBy returns the best few of the choices, the best first.
func bestBy[T any](choices []T, few int, worth func(T) int32) []T {
	out := slices.Clone(choices)
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(worth(b), worth(a)) })
	return out[:min(few, len(out))]
}

// pick returns the choice that is worth most on average over the deals. All are tried on the first fifth of the deals, the better half of them
// on the next, and so on: on the last two fifths only the best few are compared.
func pick[T any](s *study, choices []T, do func(*playout, T)) T {
	type tried struct {
		choice T
		points int
	}
	list := make([]tried, len(choices))
	for i, c := range choices {
		list[i].choice = c
	}
	n, from := len(s.deals), 0
	for _, to := range [...]int{n / 5, n * 2 / 5, n * 3 / 5, n} {
		for i := range list {
			for j := range s.deals[from:to] {
				p := s.deals[from+j]
				do(&p, list[i].choice)
				p.finish(s.rng, s.noise)
				list[i].points += game.Points(int(p.Bids[s.me]), int(p.Tricks[s.me]))
				s.Playouts++
			}
		}
		from = to
		slices.SortStableFunc(list, func(a, b tried) int { return cmp.Compare(b.points, a.points) })
		list = list[:(len(list)+1)/2]
		if len(list) == 1 {
			break
		}
	}
	return list[0].choice
}

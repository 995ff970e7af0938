package bot

import (
	"cmp"
	"slices"

	"mago/domain/card"
	"mago/domain/game"
)

// Thought is what a choice was made from.
type Thought struct {
	Deals    int // deals drawn, of which some are kept; 0 for a choice by the rule of thumb
	Playouts int // rounds played to their end
	// Rescued tells that no deal is possible by what the view shows, as no game's view should. What others have shown not to hold was left aside, or the
	// rule of thumb has chosen.
	Rescued bool
}

// Think is Decide, and tells what the choice was made from.
func Think(l game.Level, v game.View, seed Seed, samples int) (Choice, Thought, bool) {
	c, ok := Easy(v)
	if !ok || l != game.StandardBot && l != game.StrongBot || samples <= 0 {
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
	s := study{knowledge: k, rng: newRandom(seed), style: styles[l], budget: samples * costOfSample}
	if s.prepare() {
		s.choose(&c, can, s.draw)
	}
	return c, s.Thought, true
}

// study is a choice that is being thought about.
type study struct {
	Thought
	*knowledge
	style
	rng     *random
	dealer  *sampler
	budget  int // what may still be spent, in cards that are played in thought
	portion int // how many deals are drawn at a time, once it is known

	// Room that is used again.
	room   [2][]playout
	likely []uint64
	hands  []card.Set
	eyes   *sight
}

// What a budget is spent on. A sample is about the price of a deal of all 60 cards that is played to its end with each of four choices: when less is left to play, or
// fewer choices, more deals are looked at for it.
const (
	costOfSample = 270
	costOfDraw   = 6
)

// The most bids and cards that are tried: those that are best by the rule of the playouts.
const (
	mostBids  = 5
	mostCards = 10
)

func (s *study) choose(c *Choice, can *game.Can, draw func(n int) []playout) {
	look := draw(1)[0] // for a seat's own sight all deals are the same
	look.secret = look.secret || look.Phase == game.PlaceBids && look.Bidding.Simultaneous()
	look.see(s.me)
	switch c.Phase {
	case game.ChooseTrump:
		c.Suit = pick(s, draw, can.Trump, func(p *playout, suit card.Suit) { p.SetTrump(suit) })
	case game.PlaceBids:
		bids := bestBy(can.Bid, mostBids, func(bid int) int32 { return look.worthOfBid(s.me, bid) })
		c.Bid = pick(s, draw, bids, func(p *playout, bid int) { p.PlaceBid(s.me, bid) })
	default:
		look.aimAtTrick(s.me)
		cards := bestBy(different(known(can.Play...), look.unseen|card.SetOf(look.InTrick()...)).Cards(), mostCards, func(c card.Card) int32 { return look.worthOf(c) })
		c.Card = pick(s, draw, cards, func(p *playout, c card.Card) { p.play(s.me, c) })
	}
}

// bestBy returns the best few of the choices, the best first.
func bestBy[T any](choices []T, few int, worth func(T) int32) []T {
	out := slices.Clone(choices)
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(worth(b), worth(a)) })
	return out[:min(few, len(out))]
}

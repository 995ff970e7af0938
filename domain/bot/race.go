package bot

import (
	"cmp"
	"slices"

	"mago/domain/game"
)

// runner is a choice in a race.
type runner[T any] struct {
	choice T
	points []int32 // by deal
	sum    int
}

// pick returns the choice that is worth most on average over the deals that the budget allows. All are tried on the same deals, with the same chances in them; those that
// are clearly worse than the best are given up on the way (racing: Maron and Moore 1994, "Hoeffding Races", here by the paired difference).
func pick[T any](s *study, draw func(n int) []playout, choices []T, do func(*playout, T)) T {
	if len(choices) == 1 {
		return choices[0]
	}
	race := make([]runner[T], len(choices))
	for i, c := range choices {
		race[i].choice = c
	}
	for len(race) > 1 {
		n := s.affords(len(race))
		if n == 0 {
			break
		}
		deals, chances := draw(n), s.rng.next()
		for i := range race {
			r := &race[i]
			for j := range deals {
				p := deals[j]
				do(&p, r.choice)
				p.finish(chances+uint64(j), s.noise)
				points := game.Points(int(p.Bids[s.me]), int(p.Tricks[s.me]))
				r.points, r.sum = append(r.points, int32(points)), r.sum+points //nolint:gosec // small
			}
			s.Playouts += len(deals)
		}
		slices.SortStableFunc(race, func(a, b runner[T]) int { return cmp.Compare(b.sum, a.sum) })
		race = slices.DeleteFunc(race, func(r runner[T]) bool { return r.behind(&race[0]) })
	}
	return race[0].choice
}

// A choice is given up when it is so many standard errors of their mean difference behind the best, but on no fewer deals: those of a few tell nothing.
const (
	clearly = 3
	fewest  = 16
)

// behind tells whether a choice is clearly worse than the best.
func (r *runner[T]) behind(best *runner[T]) bool {
	n, lead, squares := len(r.points), best.sum-r.sum, 0
	if n < fewest {
		return false
	}
	for i, p := range best.points {
		d := int(p - r.points[i])
		squares += d * d
	}
	return lead > 0 && lead*lead*(n-1) > clearly*clearly*(n*squares-lead*lead)
}

// Deals are drawn in portions, so that a race which is soon decided costs little.
const (
	portion  = 64
	portions = 4 // of a budget that has so many deals, at the least
)

// affords returns how many deals the next portion has, and takes their price from the budget.
func (s *study) affords(choices int) int {
	price := s.priceOfDeal() + choices*s.cardsLeft()
	if s.portion == 0 {
		s.portion = max(1, min(portion, s.budget/price/portions))
	}
	if s.budget < s.portion*price {
		return 0
	}
	s.budget -= s.portion * price
	return s.portion
}

func (s *study) priceOfDeal() int {
	draws, replays := s.sieve()
	price := costOfDraw * draws * replays
	if replays > 1 {
		price += replays * len(s.plays)
	}
	return price
}

// cardsLeft is how many cards are played until the round is over.
func (s *study) cardsLeft() (n int) {
	for i := range s.holders[:s.round.Players] {
		n += s.holders[i].size
	}
	return n + s.round.Hands[s.me].Len()
}

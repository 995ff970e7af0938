package bot

import (
	"mago/domain/card"
	"mago/domain/game"
)

// odds is how likely it is to take 0, 1, 2 … tricks with so many cards.
type odds struct {
	of    [game.MaxCards + 1]float64
	cards int
}

// add is one more card, which takes its trick with a chance of p, whatever the others do.
func (o *odds) add(p float64) {
	if o.cards == game.MaxCards {
		return
	}
	o.cards++
	for i := o.cards; i > 0; i-- {
		o.of[i] += p * (o.of[i-1] - o.of[i])
	}
	o.of[0] *= 1 - p
}

func none() odds {
	o := odds{}
	o.of[0] = 1
	return o
}

func one(p float64) odds {
	o := none()
	o.add(p)
	return o
}

// odds returns those of the tricks that the cards take in later tricks.
func (t *table) odds(hand card.Set) odds {
	o := none()
	for c := range hand.All() {
		o.add(t.chance[c])
	}
	return o
}

// points is what a bid is worth on average.
func (o *odds) points(bid int) (sum float64) {
	for tricks, p := range o.of[:o.cards+1] {
		sum += p * float64(game.Points(bid, tricks))
	}
	return sum
}

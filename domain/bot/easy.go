package bot

import (
	"math"

	"mago/domain/card"
	"mago/domain/game"
)

// Easy decides for the seat of the view by a rule of thumb, in microseconds: it gives every card of the hand a chance to take a trick, bids what is worth most
// points on average, and plays towards its bid as a beginner might. The second result is false when the seat is not on turn.
// It only ever chooses from what the view says that the seat can do.
func Easy(v game.View) (Choice, bool) {
	if v.You == nil || v.Round == nil {
		return Choice{}, false
	}
	c := Choice{Seat: v.You.Seat, Meant: game.Meant{Round: v.Round.Number}}
	switch can := v.You.Can; {
	case len(can.Trump) > 0:
		c.Phase, c.Suit = game.ChooseTrump, chooseTrump(&v)
	case len(can.Bid) > 0:
		c.Phase, c.Bid = game.PlaceBids, chooseBid(&v)
	case len(can.Play) > 0:
		c.Phase, c.Card = game.PlayTricks, chooseCard(&v)
		if v.Trick != nil {
			c.Meant.Trick = v.Trick.Number
		}
	default:
		return Choice{}, false
	}
	return c, true
}

// chooseTrump names the suit with which the best bid is worth most. Which bids will be allowed is not known yet: all are taken to be.
func chooseTrump(v *game.View) card.Suit {
	bids := make([]int, v.Round.CardsEach+1)
	for i := range bids {
		bids[i] = i
	}
	return best(v.You.Can.Trump, func(s card.Suit) float64 {
		tricks := prospects(v, s)
		bid := best(bids, tricks.points)
		return tricks.points(bid)
	})
}

func chooseBid(v *game.View) int {
	tricks := prospects(v, v.Round.Trump)
	return best(v.You.Can.Bid, tricks.points)
}

// prospects is how many tricks the seat may take in a round before its first.
func prospects(v *game.View, trump card.Suit) odds {
	if len(v.Others) > 0 {
		return one(blindChance(v, trump))
	}
	t := look(v, trump)
	return t.odds(t.hand)
}

// chooseCard plays the card after which the seat may expect to come closest to its bid.
func chooseCard(v *game.View) card.Card {
	if len(v.You.Can.Play) == 1 {
		return v.You.Can.Play[0]
	}
	t := look(v, v.Round.Trump)
	return best(v.You.Can.Play, func(c card.Card) float64 {
		expected := float64(t.taken) + roughly(t.now(c))
		for rest := range t.hand.Without(c).All() {
			expected += t.chance[rest]
		}
		return -math.Abs(expected - float64(t.bid))
	})
}

// roughly is the chance to take the trick in play as a beginner sees it: lost, open, or taken.
func roughly(chance float64) float64 {
	switch {
	case chance < 1./3:
		return 0
	case chance > 2./3:
		return 1
	default:
		return .5
	}
}

// best returns the first of the choices, of which there is one at least, that are worth most. Points are compared as whole millionths,
// so that cards which are equal in play tie, and the last bits of a fraction decide nothing.
func best[T any](choices []T, points func(T) float64) T {
	found, most := choices[0], math.Inf(-1)
	for _, c := range choices {
		if p := math.Round(points(c) * 1e6); p > most {
			found, most = c, p
		}
	}
	return found
}

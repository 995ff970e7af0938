package bot

import (
	"mago/domain/card"
	"mago/domain/game"
)

// blindChance is the chance to take the only trick of a blind round. Everybody else's card is seen, nobody has a choice, and each of
// the cards that are not seen is as likely to be one's own as any other.
func blindChance(v *game.View, trump card.Suit) float64 {
	trick, own := make([]card.Card, 0, game.MaxPlayers), 0
	seen := known(v.Round.Turned)
	for i := 1; i <= len(v.Seats); i++ {
		seat := game.Seat((int(v.Round.Dealer) + i) % len(v.Seats)) //nolint:gosec // below 6
		if seat == v.You.Seat {
			own = len(trick)
			trick = append(trick, card.None)
		}
		for _, o := range v.Others {
			if o.Seat == seat {
				trick = append(trick, o.Hand...)
				seen |= known(o.Hand...)
			}
		}
	}
	if own >= len(trick) {
		return 0
	}
	wins, of := 0, 0
	for c := range (deck &^ seen).All() {
		trick[own] = c
		of++
		if game.Winner(trick, trump) == own {
			wins++
		}
	}
	return float64(wins) / float64(max(1, of))
}

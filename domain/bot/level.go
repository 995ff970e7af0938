package bot

import "mago/domain/game"

// Samples is the budget of a level for a choice in a game at the table: about so many deals of the largest hands are looked at for a bid, half of them for one of many cards, and more of smaller hands.
func Samples(l game.Level) int {
	switch l {
	case game.StandardBot:
		return 250
	case game.StrongBot:
		return 500
	default:
		return 0
	}
}

// Decide chooses for the seat of the view at a level, with a budget of so many samples (see Samples); without any a level plays as easy. The second result is false when the seat is not on turn. It
// only ever chooses from what the view says that the seat can do. What other seats do meanwhile in a simultaneous bidding changes no choice, nor do
// the game's version and times.
func Decide(l game.Level, v game.View, seed Seed, samples int) (Choice, bool) {
	c, _, ok := Think(l, v, seed, samples)
	return c, ok
}

package bot

import "mago/domain/game"

// HurriedEngine is recorded for moves that the rule of thumb made for a seat of a higher level: the server had too much to do, or the bot failed.
const HurriedEngine = Engine + "-easy"

// LevelOf returns how well the bot of a level in a stream plays.
func LevelOf(l game.Level) Level {
	switch l {
	case game.StandardBot:
		return LevelStandard
	case game.StrongBot:
		return LevelStrong
	default:
		return LevelEasy
	}
}

package bot

import "mago/domain/game"

// Engine is the version of the players in this package: one engine makes the same choice for the same level, view, seed and samples wherever and
// whenever it runs. It changes with anything that may change a choice of any level.
const Engine = "1"

// Level is how well a player plays.
type Level uint8

// The levels, from the weakest.
const (
	LevelEasy     Level = iota // a rule of thumb, in microseconds
	LevelStandard              // tries its choices out on deals that are possible, in milliseconds
	LevelStrong                // reads more out of what others have played, and takes several times as long
)

var levels = [...]string{"easy", "standard", "strong"}

func (l Level) String() string { return levels[l] }

// ParseLevel is the inverse of String.
func ParseLevel(name string) (Level, bool) {
	for i, n := range levels {
		if n == name {
			return Level(i), true
		}
	}
	return 0, false
}

// Samples is how many deals a level looks at for a choice in a game at the table.
func (l Level) Samples() int {
	switch l {
	case LevelStandard:
		return 250
	case LevelStrong:
		return 500
	default:
		return 0
	}
}

// Decide chooses for the seat of the view at a level, having tried at most so many deals. The second result is false when the seat is not on turn. It
// only ever chooses from what the view says that the seat can do. What other seats do meanwhile in a simultaneous bidding changes no choice, nor do
// the game's version and times.
func Decide(l Level, v game.View, seed Seed, samples int) (Choice, bool) {
	c, _, ok := Think(l, v, seed, samples)
	return c, ok
}

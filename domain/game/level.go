package game

// Level is how well a bot plays.
type Level uint8

// The levels of bots; NoBot is a seat that a person has, or nobody.
const (
	NoBot Level = iota
	EasyBot
	StandardBot
	StrongBot
)

var levels = [...]string{"", "easy", "standard", "strong"}

func (l Level) String() string { return levels[l] }

// ParseLevel is the inverse of String for bots.
func ParseLevel(name string) (Level, bool) {
	l, ok := parseName[Level](levels[:], name)
	return l, ok && l != NoBot
}

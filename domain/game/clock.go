package game

import "fmt"

// Clock says how long a turn may take. All of it but Kind is zero without a clock.
type Clock struct {
	Kind        ClockKind
	Seconds     int  // PerTurn: of each turn
	Initial     int  // Bank: seconds that a player begins with
	Increment   int  // Bank: seconds that a player gets for each move
	Max         int  // Bank: seconds that a player can have
	MaxTimeouts int  // after so many in a row a bot takes the seat over
	Vacation    bool // players may stop their clock by a vacation
}

// ClockKind is a way of timing turns.
type ClockKind uint8

// The ways of timing turns.
const (
	NoClock ClockKind = iota // all the time they want
	PerTurn                  // so long for each turn
	Bank                     // time left is kept for later turns
)

var clockKinds = [...]string{"none", "per_turn", "bank"}

func (k ClockKind) String() string { return clockKinds[k] }

// ParseClockKind is the inverse of String.
func ParseClockKind(name string) (ClockKind, bool) { return parseName[ClockKind](clockKinds[:], name) }

// Bounds of a clock.
const (
	MinTurnSeconds     = 5
	MaxTurnSeconds     = 30 * daySeconds
	DefaultMaxTimeouts = 3
	MostTimeouts       = 10

	daySeconds = 24 * 60 * 60
)

// Grace is how many milliseconds a timeout is recorded after the deadline at the earliest.
const Grace = 2000

// VacationLimit is how many milliseconds a seat's clock may stand in one game for vacations.
const VacationLimit = 14 * daySeconds * 1000

// AllowsVacation tells whether vacations can be had with the clock: its turns are of a day or more.
func (c Clock) AllowsVacation() bool {
	return c.Kind == PerTurn && c.Seconds >= daySeconds || c.Kind == Bank && c.Initial >= daySeconds
}

// Valid tells whether the settings are in range and fit each other.
func (c Clock) Valid() error {
	type bound struct {
		name  string
		value int
	}
	var seconds []bound
	switch c.Kind {
	case NoClock:
		if c != (Clock{}) {
			return fmt.Errorf("a game without a clock has no settings of one")
		}
		return nil
	case PerTurn:
		seconds = []bound{{"seconds", c.Seconds}}
	case Bank:
		seconds = []bound{{"initial_seconds", c.Initial}, {"increment_seconds", c.Increment}, {"max_seconds", c.Max}}
	default:
		return fmt.Errorf("no such clock: %d", c.Kind)
	}
	for _, b := range seconds {
		if b.value < MinTurnSeconds || b.value > MaxTurnSeconds {
			return fmt.Errorf("%s must be %d to %d, not %d", b.name, MinTurnSeconds, MaxTurnSeconds, b.value)
		}
	}
	switch {
	case c.Kind == Bank && (c.Initial > c.Max || c.Increment > c.Max):
		return fmt.Errorf("max_seconds must not be below initial_seconds or increment_seconds")
	case c.MaxTimeouts < 1 || c.MaxTimeouts > MostTimeouts:
		return fmt.Errorf("max_timeouts must be 1 to %d, not %d", MostTimeouts, c.MaxTimeouts)
	case c.Vacation && !c.AllowsVacation():
		return fmt.Errorf("vacations need turns of a day or more")
	}
	return nil
}

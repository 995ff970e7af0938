package api

import (
	"mago/domain/game"
)

// clockRequest is a clock as it is asked for. A member that the kind has not is refused.
type clockRequest struct {
	Kind        string `json:"kind" validate:"required" enums:"none,per_turn,bank"`
	Seconds     *int   `json:"seconds" minimum:"5" maximum:"2592000" example:"86400"`         // per_turn: of each turn
	Initial     *int   `json:"initial_seconds" minimum:"5" maximum:"2592000" example:"7200"`  // bank: at the start
	Increment   *int   `json:"increment_seconds" minimum:"5" maximum:"2592000" example:"600"` // bank: for each move
	Max         *int   `json:"max_seconds" minimum:"5" maximum:"2592000" example:"14400"`     // bank: at most; not below the other two
	MaxTimeouts *int   `json:"max_timeouts" minimum:"1" maximum:"10" default:"3"`             // after so many in a row a bot takes the seat over
	Vacation    *bool  `json:"vacation"`                                                      // players may be on vacation; only with turns of a day or more, where it is the default
	clock       game.Clock
} // @name ClockRequest

// check makes the clock of what was asked for.
func (r *clockRequest) check(v *validator) {
	k := &r.clock
	known := len(v.errors)
	k.Kind = choice(v, "/clock/kind", &r.Kind, game.ParseClockKind)
	if len(v.errors) > known {
		return
	}
	timed := k.Kind != game.NoClock
	seconds := func(name string, kind game.ClockKind, from, to *int) {
		if !fits(v, name, k.Kind == kind, from != nil, k.Kind == kind) || from == nil {
			return
		}
		*to = *from
		v.between("/clock/"+name, *from, game.MinTurnSeconds, game.MaxTurnSeconds)
	}
	seconds("seconds", game.PerTurn, r.Seconds, &k.Seconds)
	seconds("initial_seconds", game.Bank, r.Initial, &k.Initial)
	seconds("increment_seconds", game.Bank, r.Increment, &k.Increment)
	seconds("max_seconds", game.Bank, r.Max, &k.Max)
	if fits(v, "max_timeouts", timed, r.MaxTimeouts != nil, false) && timed {
		k.MaxTimeouts = game.DefaultMaxTimeouts
		if r.MaxTimeouts != nil {
			k.MaxTimeouts = *r.MaxTimeouts
			v.between("/clock/max_timeouts", *r.MaxTimeouts, 1, game.MostTimeouts)
		}
	}
	if fits(v, "vacation", timed, r.Vacation != nil, false) {
		k.Vacation = k.AllowsVacation()
		if r.Vacation != nil {
			k.Vacation = *r.Vacation
		}
	}
	if len(v.errors) > known {
		return
	}
	switch {
	case k.Initial > k.Max || k.Increment > k.Max:
		v.invalid("/clock/max_seconds", "must not be below initial_seconds or increment_seconds")
	case k.Vacation && !k.AllowsVacation():
		v.invalid("/clock/vacation", "needs turns of a day or more")
	}
}

// fits notes a member that the kind of clock has not, or must have and that is not there.
func fits(v *validator, name string, belongs, there, needed bool) bool {
	switch {
	case there && !belongs:
		v.invalid("/clock/"+name, "does not belong to this kind of clock")
	case needed && !there:
		v.invalid("/clock/"+name, "is required")
	default:
		return true
	}
	return false
}

// clockView is a game's clock, resolved: it has the members of its kind.
type clockView struct {
	Kind        string `json:"kind" validate:"required" enums:"none,per_turn,bank"`
	Seconds     int    `json:"seconds,omitzero" minimum:"5" maximum:"2592000" example:"86400"`
	Initial     int    `json:"initial_seconds,omitzero" minimum:"5" maximum:"2592000" example:"7200"`
	Increment   int    `json:"increment_seconds,omitzero" minimum:"5" maximum:"2592000" example:"600"`
	Max         int    `json:"max_seconds,omitzero" minimum:"5" maximum:"2592000" example:"14400"`
	MaxTimeouts int    `json:"max_timeouts,omitzero" minimum:"1" maximum:"10"` // after so many in a row a bot takes the seat over
	Vacation    *bool  `json:"vacation,omitzero"`                              // players may be on vacation
} // @name Clock

func clockOf(k game.Clock) clockView {
	out := clockView{
		Kind: k.Kind.String(), Seconds: k.Seconds, Initial: k.Initial, Increment: k.Increment, Max: k.Max, MaxTimeouts: k.MaxTimeouts,
	}
	if k.Kind != game.NoClock {
		out.Vacation = &k.Vacation
	}
	return out
}

// timesOf fills the times of a turn as they are at a time, Unix milliseconds; at 0, which is the past, there is no telling what remains.
func timesOf(out *turnView, v *game.View, now int64) {
	for _, seat := range v.Turn.Seats {
		end, standing := v.Turn.Deadlines[seat], v.Turn.Standing[seat]
		var left *int64
		if end != 0 {
			text := formatTime(end)
			out.Deadlines[seat] = &text
			running := max(0, end-now)
			left = &running
		} else if v.Turn.Stands.Has(seat) {
			left = &standing
		}
		if now != 0 {
			out.RemainingMS[seat] = left
		}
	}
}

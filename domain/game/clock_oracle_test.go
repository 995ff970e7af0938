package game

import "testing"

// clockOracle judges clocks from a game's events and the times of their records alone, in another way than the game does: it keeps, for each turn, when it
// began, and for everything that holds a clock, from when to when it did, and measures. The rules of cards it leaves to a twin of the game that has no clock.
type clockOracle struct {
	tb       testing.TB
	clock    Clock
	twin     State
	outages  []interval // that really were
	pauses   []interval // of all; the last may be open
	vacation [MaxPlayers]bool
	turns    [MaxPlayers]*oracleTurn // nil for who is not on turn, or for whom a bot plays
	bank     [MaxPlayers]int64
	rested   [MaxPlayers]int64 // in the turns before
	began    int64             // of the game
	charged  [MaxPlayers]int64 // in the turns before, by the game's own clock
	on       [MaxPlayers]int64 // how long the turns before lasted
	held     [MaxPlayers]int64 // how long of that a clock was held
}

// interval is from a time to before another, which is never for one that is open.
type interval struct{ from, to int64 }

const never = int64(1) << 60

type oracleTurn struct {
	from    int64
	resting interval // held by a vacation
}

// within is how much of an interval lies within another.
func (i interval) within(o interval) int64 { return max(0, min(i.to, o.to)-max(i.from, o.from)) }

// holds is how long in an interval a turn's clock was held by anything, and how long by its vacation. What overlaps counts once.
func (o *clockOracle) holds(turn *oracleTurn, in interval) (held, resting int64) {
	rest := turn.resting
	rest.from, rest.to = max(rest.from, in.from), min(rest.to, in.to)
	for _, p := range o.pauses {
		held += p.within(in)
		resting -= p.within(rest)
	}
	resting += max(0, rest.to-rest.from)
	held += resting
	for _, out := range o.outages {
		out.from, out.to = max(out.from, in.from), min(out.to, in.to)
		if out.from >= out.to {
			continue
		}
		free := out.to - out.from // nothing is recorded in an outage, so that what holds a clock does so from its beginning to its end
		for _, p := range o.pauses {
			free -= p.within(out)
		}
		if free > 0 && rest.within(out) == 0 {
			held += free
		}
	}
	return held, resting
}

// used is what a turn was charged with at a time.
func (o *clockOracle) used(turn *oracleTurn, at int64) int64 {
	in := interval{turn.from, at}
	held, _ := o.holds(turn, in)
	return at - turn.from - held
}

func (o *clockOracle) allowance(seat Seat) int64 {
	if o.clock.Kind == PerTurn {
		return int64(o.clock.Seconds) * 1000
	}
	return o.bank[seat]
}

// event takes an event in, with the game as it was before it.
func (o *clockOracle) event(e Event, at int64, before *State) {
	mover := NoSeat
	switch e := e.(type) {
	case GameCreated:
		o.clock = e.Clock
		e.Clock = Clock{}
		o.twin = Evolve(o.twin, e, at)
		return
	case GameStarted:
		o.began = at
		for seat := range o.bank {
			o.bank[seat] = int64(o.clock.Initial) * 1000
		}
	case TrumpSet:
		mover = e.Seat
	case BidPlaced:
		mover = e.Seat
	case CardPlayed:
		mover = e.Seat
	case ClockPaused:
		if e.Seat == NoSeat {
			o.pauses = append(o.pauses, interval{at, never})
		} else {
			o.vacation[e.Seat] = true
		}
	case ClockResumed:
		if e.Seat == NoSeat {
			o.pauses[len(o.pauses)-1].to = at
			break
		}
		o.vacation[e.Seat] = false
		if t := o.turns[e.Seat]; t != nil && t.resting.to == never {
			t.resting.to = at
		}
	case PlayerResigned:
		o.vacation[e.Seat] = false
	case SeatTakenOver:
		o.vacation[e.Seat] = false
	default:
	}
	if mover != NoSeat {
		o.end(mover, at, before, true)
	}
	o.twin = Evolve(o.twin, e, at)
	turn := o.twin.Turn()
	for seat := range Seat(o.twin.Rules.Players) {
		person := turn.Has(seat) && o.twin.present(seat)
		switch t := o.turns[seat]; {
		case person && t == nil:
			t = &oracleTurn{from: at}
			if o.vacation[seat] && o.rested[seat] < VacationLimit {
				t.resting = interval{at, never}
			}
			o.turns[seat] = t
		case !person && t != nil:
			o.end(seat, at, before, false)
		}
	}
}

// end ends a seat's turn; who has moved pays and gets the increment.
func (o *clockOracle) end(seat Seat, at int64, before *State, moved bool) {
	t := o.turns[seat]
	if t == nil {
		return
	}
	used := o.used(t, at)
	if moved && o.clock.Kind == Bank {
		o.bank[seat] = min(max(0, o.bank[seat]-used)+int64(o.clock.Increment)*1000, int64(o.clock.Max)*1000)
	}
	held, resting := o.holds(t, interval{t.from, at})
	o.rested[seat] += resting
	o.charged[seat] += o.chargedBy(before, seat, at)
	o.on[seat] += at - t.from
	o.held[seat] += held
	o.turns[seat] = nil
}

// chargedBy is what the game says that a turn was charged with at a time: what is left of it is missing from what it had.
func (o *clockOracle) chargedBy(s *State, seat Seat, at int64) int64 {
	if end, runs := s.Deadline(seat); runs {
		return s.allowance(seat) - (end - at)
	}
	return s.Timers[seat].Used
}

// judge compares the game with what the oracle says at a time.
func (o *clockOracle) judge(s *State, at int64) {
	o.tb.Helper()
	due := int64(0)
	note := func(at int64) {
		if due == 0 || at < due {
			due = at
		}
	}
	paused := len(o.pauses) > 0 && o.pauses[len(o.pauses)-1].to == never
	for seat := range Seat(s.Rules.Players) {
		if s.Banks[seat] < 0 || s.Banks[seat] != o.bank[seat] {
			o.tb.Fatalf("seat %d has a bank of %d, not %d", seat, s.Banks[seat], o.bank[seat])
		}
		end, runs := s.Deadline(seat)
		left, stands := s.Standing(seat)
		t := o.turns[seat]
		if t == nil {
			if runs || stands {
				o.tb.Fatalf("the clock of seat %d is on and the seat is not", seat)
			}
			continue
		}
		remains := o.allowance(seat) - o.used(t, at)
		_, resting := o.holds(t, interval{t.from, at})
		switch rests := t.resting.to == never; {
		case paused || rests:
			if runs || !stands || left != max(0, remains) {
				o.tb.Fatalf("seat %d has %d left, stands %t, not %d", seat, left, stands, remains)
			}
			if rests && !paused {
				note(at + VacationLimit - o.rested[seat] - resting)
			}
		default:
			if !runs || stands || end != at+remains {
				o.tb.Fatalf("seat %d must move by %d, runs %t, not %d", seat, end, runs, at+remains)
			}
			note(end + Grace)
		}
		on, held := o.on[seat]+at-t.from, o.held[seat]
		nowHeld, _ := o.holds(t, interval{t.from, at})
		charged := o.charged[seat] + o.chargedBy(s, seat, at)
		if off := at - o.began - on; charged+held+nowHeld+off != at-o.began {
			o.tb.Fatalf("seat %d: charged %d, held %d, others' %d; wall time %d", seat, charged, held+nowHeld, off, at-o.began)
		}
	}
	if s.Status == Playing && s.Due() != due {
		o.tb.Fatalf("due at %d, not %d", s.Due(), due)
	}
	if s.Awaited() && s.Due() == 0 && s.BotTurn() == 0 {
		o.tb.Fatalf("stuck: %+v", s.Timers)
	}
}

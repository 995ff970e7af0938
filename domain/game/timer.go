package game

// Timer is a seat's clock in the turn it has now; zero for a seat that is not on turn or has no clock.
//
// Deadlines follow from the stream alone: from the times of its records and the game's clock. Within a turn, what is charged and what the timer stood
// add up to the time between its two records.
type Timer struct {
	On       bool
	From     int64 // since when it runs, Unix milliseconds; 0 while it stands
	Used     int64 // milliseconds charged to the turn before From
	Resting  int64 // since when it stands for a vacation; 0 if it doesn't
	Vacation bool  // the turn began in a vacation
}

// clocked tells whether a seat's turns are timed: a person sits there and plays.
func (s *State) clocked(seat Seat) bool {
	return s.Clock.Kind != NoClock && s.Status == Playing && s.present(seat)
}

// allowance is how many milliseconds the seat's turn may take.
func (s *State) allowance(seat Seat) int64 {
	if s.Clock.Kind == PerTurn {
		return int64(s.Clock.Seconds) * 1000
	}
	return s.Banks[seat]
}

// Deadline returns when the seat's turn ends, in Unix milliseconds, and whether it has such an end: its clock runs.
func (s *State) Deadline(seat Seat) (at int64, runs bool) {
	t := s.Timers[seat]
	if !t.On || t.From == 0 {
		return 0, false
	}
	return t.From + s.allowance(seat) - t.Used, true
}

// Standing returns how many milliseconds a seat's turn has left whose clock stands, and whether there is such a one.
func (s *State) Standing(seat Seat) (left int64, stands bool) {
	t := s.Timers[seat]
	if !t.On || t.From != 0 {
		return 0, false
	}
	return max(0, s.allowance(seat)-t.Used), true
}

// Due returns the earliest time, in Unix milliseconds, at which a clock asks something of the server: a timeout, or the end of a vacation that has reached
// VacationLimit. It is 0 where no clock does.
func (s *State) Due() (at int64) {
	for seat := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		due, runs := s.Deadline(seat)
		due += Grace
		if !runs {
			due, runs = s.vacationEnd(seat)
		}
		if runs && (at == 0 || due < at) {
			at = due
		}
	}
	return at
}

// Awaited tells whether the game goes on in the end whatever anybody does: somebody's clock or a bot is at work. Where that is so and yet neither
// Due nor BotTurn has anything, the game is stuck; it never is. A game without a clock waits for its players, a paused one for who resumes it.
func (s *State) Awaited() bool {
	timed := s.Clock.Kind != NoClock && !s.Paused
	return s.Status == Playing && (timed || s.Turn() == 0)
}

// vacationEnd is when a standing clock has stood as long for vacations as it may.
func (s *State) vacationEnd(seat Seat) (at int64, ends bool) {
	t := s.Timers[seat]
	return t.Resting + VacationLimit - s.Rested[seat], t.Resting != 0
}

// keepTime starts the clocks of the seats that have come on turn and drops those of the seats that are not any more. It is called after
// each event; the turns that a move ended were charged before.
func (s *State) keepTime(at int64) {
	if s.Clock.Kind == NoClock {
		return
	}
	turn := s.Turn()
	for seat := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		on := turn.Has(seat) && s.clocked(seat)
		switch t := &s.Timers[seat]; {
		case on && !t.On:
			t.On = true
			t.Vacation = s.Vacations.Has(seat) && s.Rested[seat] < VacationLimit
			s.run(seat, at)
		case !on && t.On:
			*t = Timer{}
		}
	}
}

// run lets a turn's clock run if nothing holds it.
func (s *State) run(seat Seat, at int64) {
	t := &s.Timers[seat]
	switch {
	case !t.On || t.From != 0 || s.Paused:
	case t.Vacation:
		if t.Resting == 0 {
			t.Resting = at
		}
	default:
		t.From = at
	}
}

// stand charges what a clock has run and stops it.
func (s *State) stand(seat Seat, at int64) {
	t := &s.Timers[seat]
	if t.From != 0 {
		t.Used += max(0, at-t.From)
		t.From = 0
	}
	if t.Resting != 0 {
		s.Rested[seat] += max(0, at-t.Resting)
		t.Resting = 0
	}
}

// moved ends a seat's turn: the time it took is charged, the increment given.
func (s *State) moved(seat Seat, auto Auto, at int64) {
	if auto == NotAuto || auto == AutoPremove {
		s.Timeouts[seat] = 0
	}
	if s.Away[seat] == Returning {
		s.Away[seat] = Present
	}
	t := &s.Timers[seat]
	if !t.On {
		return
	}
	s.stand(seat, at)
	if s.Clock.Kind == Bank {
		left := max(0, s.Banks[seat]-t.Used)
		s.Banks[seat] = min(left+int64(s.Clock.Increment)*1000, int64(s.Clock.Max)*1000)
	}
	*t = Timer{}
}

// fillBanks gives every seat its time at the start.
func (s *State) fillBanks() {
	if s.Clock.Kind != Bank {
		return
	}
	for seat := range s.Rules.Players {
		s.Banks[seat] = int64(s.Clock.Initial) * 1000
	}
}

// pauseClocks and resumeClocks stop and start the clock of one seat for a vacation, or of all for NoSeat.
func (s *State) pauseClocks(seat Seat, at int64) {
	if seat != NoSeat {
		s.Vacations |= 1 << seat // from the seat's next turn; the running one goes on
		return
	}
	s.Paused, s.PauseVotes = true, 0
	for i := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		s.stand(i, at)
	}
}

func (s *State) resumeClocks(seat Seat, at int64) {
	if seat == NoSeat {
		s.Paused = false
		for i := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
			s.run(i, at)
		}
		return
	}
	s.Vacations &^= 1 << seat
	if t := &s.Timers[seat]; t.Vacation {
		if !s.Paused {
			s.stand(seat, at)
		}
		t.Vacation = false
		s.run(seat, at)
	}
}

// extendClocks gives time back that nobody could use.
func (s *State) extendClocks(seats []Seat, ms, until int64) {
	for _, seat := range seats {
		if t := &s.Timers[seat]; s.hasSeat(seat) && t.From != 0 {
			t.From += ms
		}
	}
	s.ServedUntil = until
}

package game

// Away says whether a seat's person plays, or a bot in their place.
type Away uint8

// Where a seat's person is. Present is also the zero value of seats that a bot was given or that are free.
const (
	Present   Away = iota
	Resigned       // for good
	TakenOver      // a bot took over after timeouts; the person may come back
	Returning      // the person has come back, but the bot still makes the move it is at
)

// present tells whether a person has the seat and plays.
func (s *State) present(seat Seat) bool {
	return s.hasSeat(seat) && s.Seats[seat].User != "" && s.Away[seat] == Present
}

// stays tells whether a person has the seat and has not left it.
func (s *State) stays(seat Seat) bool {
	return s.hasSeat(seat) && s.Seats[seat].User != "" && s.Left[seat] == 0
}

// BotAt returns the level of the bot that plays for a seat now, NoBot if the person does or nobody sits there.
func (s *State) BotAt(seat Seat) Level {
	switch {
	case s.Seats[seat].Bot != NoBot:
		return s.Seats[seat].Bot
	case s.Away[seat] != Present:
		return EasyBot
	}
	return NoBot
}

// BotTurn returns those of the seats that may act now for which a bot plays.
func (s *State) BotTurn() SeatSet {
	turn := s.Turn()
	for seat := range Seat(MaxPlayers) {
		if s.BotAt(seat) == NoBot {
			turn &^= 1 << seat
		}
	}
	return turn
}

// OnVacation returns the seats of a running game whose players are on vacation.
func (s *State) OnVacation() SeatSet {
	if s.Status != Playing {
		return 0
	}
	return s.Vacations
}

// MayRest returns the seats for which TakeVacation would do something.
func (s *State) MayRest() SeatSet {
	if s.Status != Playing || !s.Clock.Vacation {
		return 0
	}
	out := s.people() &^ s.Vacations
	for seat, rested := range s.Rested {
		if rested >= VacationLimit {
			out &^= 1 << seat
		}
	}
	return out
}

// people returns the seats of persons who have not left.
func (s *State) people() (out SeatSet) {
	for seat := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		if s.stays(seat) {
			out |= 1 << seat
		}
	}
	return out
}

// leave marks a seat as left, behind all who left before; who has left already keeps their place.
func (s *State) leave(seat Seat, how Away) {
	s.Away[seat] = how
	if s.Left[seat] == 0 {
		s.Left[seat] = s.leavers() + 1
	}
	s.Timers[seat] = Timer{}
	s.EndVotes &^= 1 << seat
	s.PauseVotes &^= 1 << seat
	s.Vacations &^= 1 << seat
}

// reclaim gives a seat back. If it is on turn, the bot still makes that move.
func (s *State) reclaim(seat Seat) {
	s.Left[seat], s.Timeouts[seat] = 0, 0
	s.Away[seat] = Present
	if s.Turn().Has(seat) {
		s.Away[seat] = Returning
	}
}

package game

import (
	"maps"
	"slices"
)

// running refuses what only a game that is played allows, for who has a seat in it.
func (d *decision) running(seat Seat) error {
	s := &d.state
	switch {
	case s.Status.Over():
		return refuse(GameOver, "The game is over.")
	case s.Status != Playing:
		return refuse(WrongPhase, "The game has not started.")
	case !s.hasSeat(seat) || s.Seats[seat].User == "":
		return refuse(NotFound, "Nobody sits there.")
	case s.Away[seat] == Resigned:
		return refuse(Forbidden, "You have left this game.")
	}
	return nil
}

// playing refuses what only who has not left may do.
func (d *decision) playing(seat Seat) error {
	if err := d.running(seat); err != nil {
		return err
	}
	if d.state.Left[seat] != 0 {
		return refuse(Forbidden, "A bot plays for you: reclaim your seat first.")
	}
	return nil
}

func (d *decision) resign(c Resign) error {
	if err := d.running(c.Seat); err != nil {
		return err
	}
	d.emit(PlayerResigned(c))
	d.settle()
	return nil
}

// settle ends the game if nobody is left, or if all who are left want it, and pauses it likewise.
func (d *decision) settle() {
	s := &d.state
	people := s.people()
	switch {
	case s.Status != Playing:
	case people == 0:
		d.cancel(Abandoned)
	case s.EndVotes&people == people:
		d.cancel(Agreed)
	case s.PauseVotes&people == people:
		d.emit(ClockPaused{Seat: NoSeat, Cause: PausedByAgreement})
	}
}

func (d *decision) timeOut(c TimeOut) error {
	s := &d.state
	if !s.hasSeat(c.Seat) {
		return nil
	}
	at, runs := s.Deadline(c.Seat)
	if !runs || c.Now < at+Grace {
		return nil
	}
	action := s.Round.Phase
	d.emit(TurnTimedOut{Seat: c.Seat, Action: action})
	if err := d.botMove(BotMove{Move: c.Move, Engine: c.Engine}); err != nil {
		return err
	}
	s = &d.state
	if s.Status == Playing && int(s.Timeouts[c.Seat]) >= s.Clock.MaxTimeouts {
		d.emit(SeatTakenOver{Seat: c.Seat})
		d.settle()
	}
	return nil
}

// botMove makes a move that the server chose. The engine that chose it is recorded where it is not the one recorded last.
func (d *decision) botMove(c BotMove) error {
	if d.state.Engine != c.Engine {
		d.emit(EngineSet{Engine: c.Engine})
	}
	return d.decide(c.Move)
}

func (d *decision) reclaim(c Reclaim) error {
	if err := d.running(c.Seat); err != nil {
		return err
	}
	if d.state.Away[c.Seat] == TakenOver {
		d.emit(SeatReclaimed(c))
	}
	return nil
}

func (d *decision) voteEnd(c VoteEnd) error {
	if err := d.playing(c.Seat); err != nil {
		return err
	}
	if d.state.EndVotes.Has(c.Seat) != c.Agree {
		d.emit(EndVoted(c))
		d.settle()
	}
	return nil
}

func (d *decision) votePause(c VotePause) error {
	if err := d.playing(c.Seat); err != nil {
		return err
	}
	switch s := &d.state; {
	case s.Clock.Kind == NoClock:
		return refuse(WrongPhase, "The game has no clock that could be paused.")
	case s.Paused:
		return refuse(WrongPhase, "The game is paused.")
	case s.PauseVotes.Has(c.Seat) != c.Agree:
		d.emit(PauseVoted(c))
		d.settle()
	}
	return nil
}

func (d *decision) resume(c Resume) error {
	if err := d.playing(c.Seat); err != nil {
		return err
	}
	if d.state.Paused {
		d.emit(ClockResumed{Seat: NoSeat, Cause: ResumedByPlayer})
	}
	return nil
}

// takeVacation and endVacation ask nothing of games in which there is nothing to do.
func (d *decision) takeVacation(c TakeVacation) {
	if d.state.MayRest().Has(c.Seat) {
		d.emit(ClockPaused{Seat: c.Seat, Cause: PausedByVacation})
	}
}

func (d *decision) endVacation(c EndVacation) {
	if d.state.OnVacation().Has(c.Seat) {
		d.emit(ClockResumed{Seat: c.Seat, Cause: ResumedByVacation})
	}
}

func (d *decision) limitVacation(c LimitVacation) {
	s := &d.state
	if s.Status != Playing {
		return
	}
	for seat := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		if end, ends := s.vacationEnd(seat); ends && c.Now >= end {
			d.emit(ClockResumed{Seat: seat, Cause: ResumedByLimit})
		}
	}
}

// extend gives each running clock the part of an outage back in which it ran, once.
func (d *decision) extend(c ExtendClocks) {
	s := &d.state
	if s.Status != Playing || c.To <= s.ServedUntil {
		return
	}
	lost := map[int64][]Seat{}
	for seat := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		if t := s.Timers[seat]; t.From != 0 && t.From < c.To {
			ms := c.To - max(c.From, t.From)
			lost[ms] = append(lost[ms], seat)
		}
	}
	for _, ms := range slices.Sorted(maps.Keys(lost)) {
		d.emit(ClockExtended{Seats: lost[ms], MS: ms, Cause: ExtendedByOutage, Until: c.To})
	}
}

// afterOutages decides a command after the outages that were not made up for.
func (d *decision) afterOutages(c AfterOutages) error {
	for _, o := range c.Outages {
		d.extend(ExtendClocks(o))
	}
	return d.decide(c.Command)
}

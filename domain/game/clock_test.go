package game

import "testing"

// timed is a game's events with a clock. fold records the n-th of them n seconds after 1970, so that the turn that the last begins runs from there.
func timed(k Clock, given ...Event) []Event {
	out := then(given)
	created := out[0].(GameCreated)
	created.Clock = k
	out[0] = created
	return out
}

// ran is when a turn of a minute has run out that the last event began, and the server may end it.
func ran(given []Event) int64 { return int64(1000*len(given)) + 60_000 + Grace }

var (
	minute  = Clock{Kind: PerTurn, Seconds: 60, MaxTimeouts: 3}
	oneDay  = Clock{Kind: PerTurn, Seconds: daySeconds, MaxTimeouts: 3, Vacation: true}
	hourly  = Clock{Kind: Bank, Initial: 3600, Increment: 60, Max: 3600, MaxTimeouts: 3}
	dayTurn = int64(daySeconds) * 1000
)

func timedOutBid(seat Seat, tricks int) Event {
	return BidPlaced{Round: 1, Seat: seat, Tricks: tricks, Auto: AutoTimeout}
}

func TestClocksInRange(t *testing.T) {
	t.Parallel()
	for _, k := range []Clock{
		{},
		minute, oneDay, hourly,
		{Kind: PerTurn, Seconds: 5, MaxTimeouts: 1},
		{Kind: PerTurn, Seconds: 30 * daySeconds, MaxTimeouts: 10},
		{Kind: Bank, Initial: 5, Increment: 5, Max: 5, MaxTimeouts: 3},
		{Kind: Bank, Initial: daySeconds, Increment: 5, Max: 2 * daySeconds, MaxTimeouts: 3, Vacation: true},
	} {
		if err := k.Valid(); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
	}
	for _, k := range []Clock{
		{Seconds: 60},
		{MaxTimeouts: 3},
		{Vacation: true},
		{Kind: PerTurn, MaxTimeouts: 3},
		{Kind: PerTurn, Seconds: 4, MaxTimeouts: 3},
		{Kind: PerTurn, Seconds: 30*daySeconds + 1, MaxTimeouts: 3},
		{Kind: PerTurn, Seconds: 60},
		{Kind: PerTurn, Seconds: 60, MaxTimeouts: 11},
		{Kind: PerTurn, Seconds: daySeconds - 1, MaxTimeouts: 3, Vacation: true},
		{Kind: Bank, Initial: 60, Increment: 5, Max: 59, MaxTimeouts: 3},
		{Kind: Bank, Initial: 5, Increment: 60, Max: 59, MaxTimeouts: 3},
		{Kind: Bank, Initial: 60, Increment: 0, Max: 60, MaxTimeouts: 3},
		{Kind: Bank, Initial: daySeconds - 1, Increment: 5, Max: daySeconds, MaxTimeouts: 3, Vacation: true},
		{Kind: Bank + 1},
	} {
		if _, err := Decide(State{}, CreateGame{ID: testID, Host: user(0), Rules: Rules{Players: 3}, Clock: k}); codeOf(err) != Invalid {
			t.Errorf("%+v: %v", k, err)
		}
	}
}

func TestTimeOut(t *testing.T) {
	t.Parallel()
	given := timed(minute, bidding(Rules{}, "E5", hands3...)...)
	end := ran(given)
	move := PlaceBid{Seat: 1, Tricks: 1, Auto: AutoTimeout}
	timeOut := TimeOut{Seat: 1, Now: end, Move: move, Engine: "9"}
	want := []Event{TurnTimedOut{Seat: 1, Action: PlaceBids}, EngineSet{Engine: "9"}, timedOutBid(1, 1)}
	known := then(given, EngineSet{Engine: "9"})
	pause := then(given, PauseVoted{Seat: 0, Agree: true}, ClockPaused{Seat: NoSeat})
	early, late := timeOut, timeOut
	early.Now, late.Now = end-1, end+1e12
	play(t, []scene{
		{name: "two seconds behind the deadline", given: given, when: timeOut, then: want},
		{name: "a millisecond before that", given: given, when: early},
		{name: "long after", given: given, when: late, then: want},
		{name: "by the bots that chose last", given: known, when: timeOut, then: []Event{want[0], want[2]}},
		{name: "of another seat", given: given, when: TimeOut{Seat: 2, Now: end, Move: move}},
		{name: "of no seat", given: given, when: TimeOut{Seat: NoSeat, Now: end, Move: move}},
		{name: "of a seat that the table has not", given: given, when: TimeOut{Seat: 5, Now: end, Move: move}},
		{name: "after the move", given: then(given, bid(1, 0)), when: late},
		{name: "of who is next, too early", given: then(given, bid(1, 0)), when: TimeOut{Seat: 2, Now: end + 999, Move: bidOf(2)}},
		{
			name: "of who is next", given: then(given, bid(1, 0)), when: TimeOut{Seat: 2, Now: end + 1000, Move: bidOf(2)},
			then: []Event{TurnTimedOut{Seat: 2, Action: PlaceBids}, timedOutBid(2, 0)},
		},
		{name: "without a clock", given: bidding(Rules{}, "E5", hands3...), when: late},
		{name: "in a pause", given: pause, when: late},
		{name: "of who resigned", given: then(given, PlayerResigned{Seat: 1}), when: late},
		{name: "of whom a bot plays for", given: then(given, SeatTakenOver{Seat: 1}), when: late},
		{name: "in the lobby", given: timed(minute, lobby(Rules{Players: 3}, 3)...), when: late},
		{name: "when the game is over", given: then(given, GameCancelled{}), when: late},
		{name: "with a move that is not allowed", given: given, when: TimeOut{Seat: 1, Now: end, Move: PlaceBid{Seat: 1, Tricks: 2}}, refused: BidNotAllowed},
	})
}

func bidOf(seat Seat) Command { return PlaceBid{Seat: seat, Auto: AutoTimeout} }

// timesOut is a timeout of a seat whose move had no consequence.
func timesOut(seat Seat) Event { return TurnTimedOut{Seat: seat, Action: PlaceBids} }

func TestTakeOver(t *testing.T) {
	t.Parallel()
	given := timed(minute, bidding(Rules{}, "E5", hands3...)...)
	twice := then(given, timesOut(1), timesOut(1))
	out := func(given []Event) Command { return TimeOut{Seat: 1, Now: ran(given), Move: bidOf(1)} }
	want := []Event{timesOut(1), timedOutBid(1, 0), SeatTakenOver{Seat: 1}}
	alone := then(twice, SeatTakenOver{Seat: 0}, PlayerResigned{Seat: 2})
	strict := minute
	strict.MaxTimeouts = 1
	first := timed(strict, bidding(Rules{}, "E5", hands3...)...)
	ending := then(twice, EndVoted{Seat: 0, Agree: true}, EndVoted{Seat: 2, Agree: true})
	pausing := then(twice, PauseVoted{Seat: 0, Agree: true}, PauseVoted{Seat: 2, Agree: true})
	s1 := secrets(1)
	cancelled := func(why Reason) Event {
		return GameCancelled{Reason: why, InRound: true, Seed: s1.Seeds[0], BotKey: s1.BotKey}
	}
	play(t, []scene{
		{name: "after the third in a row", given: twice, when: out(twice), then: want},
		{name: "after the second", given: then(given, timesOut(1)), when: out(twice), then: want[:2]},
		{name: "after the first, where one is enough", given: first, when: out(first), then: want},
		{name: "of the last person: the game is abandoned", given: alone, when: out(alone), then: append(want[:3:3], cancelled(Abandoned))},
		{name: "leaves those who want the end", given: ending, when: out(ending), then: append(want[:3:3], cancelled(Agreed))},
		{name: "leaves those who want a pause", given: pausing, when: out(pausing), then: append(want[:3:3], ClockPaused{Seat: NoSeat})},
	})
	moved := fold(then(twice, bid(1, 0))...)
	if moved.Timeouts[1] != 0 {
		t.Error("a move of one's own begins the count anew")
	}
	for _, auto := range []Auto{AutoTimeout, AutoForced} {
		if s := fold(then(twice, BidPlaced{Round: 1, Seat: 1, Auto: auto})...); s.Timeouts[1] != 2 {
			t.Errorf("a move by %v begins the count anew", auto)
		}
	}
}

func TestReclaim(t *testing.T) {
	t.Parallel()
	given := timed(minute, bidding(Rules{}, "E5", hands3...)...)
	away := then(given, timesOut(1), SeatTakenOver{Seat: 1})
	play(t, []scene{
		{name: "from a bot", given: away, when: Reclaim{Seat: 1}, then: []Event{SeatReclaimed{Seat: 1}}},
		{name: "what one has", given: given, when: Reclaim{Seat: 1}},
		{name: "twice", given: then(away, SeatReclaimed{Seat: 1}), when: Reclaim{Seat: 1}},
		{name: "after resigning", given: then(given, PlayerResigned{Seat: 1}), when: Reclaim{Seat: 1}, refused: Forbidden},
		{name: "no seat", given: away, when: Reclaim{Seat: NoSeat}, refused: NotFound},
		{name: "in the lobby", given: lobby(Rules{Players: 3}, 3), when: Reclaim{Seat: 1}, refused: WrongPhase},
		{name: "when the game is over", given: then(away, GameCancelled{}), when: Reclaim{Seat: 1}, refused: GameOver},
	})
	gone := fold(away...)
	if gone.BotTurn() != 1<<1 || gone.Due() != 0 || gone.ViewerOf(user(1)) != 1 {
		t.Errorf("a bot plays for a seat that was taken over, whose player sees it: bots of %v, due %d", gone.BotTurn().All(), gone.Due())
	}
	back := fold(then(away, SeatReclaimed{Seat: 1})...)
	if back.BotTurn() != 1<<1 || back.Left[1] != 0 || back.Timeouts[1] != 0 {
		t.Errorf("the bot makes the move it is at: bots of %v", back.BotTurn().All())
	}
	next := fold(then(away, SeatReclaimed{Seat: 1}, BidPlaced{Round: 1, Seat: 1, Auto: AutoBot}, bid(2, 0), bid(0, 0))...)
	if next.BotTurn() != 0 || next.Due() == 0 || !next.Turn().Has(1) {
		t.Errorf("from the next turn the player plays: bots of %v, due %d", next.BotTurn().All(), next.Due())
	}
	other := fold(then(away, BidPlaced{Round: 1, Seat: 1, Auto: AutoBot}, SeatReclaimed{Seat: 1})...)
	if other.Away[1] != Present {
		t.Error("who comes back out of turn is there at once")
	}
}

func TestExtendClocks(t *testing.T) {
	t.Parallel()
	given := timed(minute, bidding(Rules{Bidding: HiddenBidding}, "E5", hands3...)...)
	from := int64(1000 * len(given)) // since when all bid
	down := func(from, to int64) Command { return ExtendClocks{From: from, To: to} }
	all := []Seat{0, 1, 2}
	extended := func(seats []Seat, ms, until int64) Event { return ClockExtended{Seats: seats, MS: ms, Until: until} }
	later := then(given, bid(1, 0))
	served := then(given, extended(all, 500, from+9000))
	play(t, []scene{
		{name: "all that ran", given: given, when: down(from+1000, from+9000), then: []Event{extended(all, 8000, from+9000)}},
		{name: "from when they ran", given: given, when: down(from-5000, from+9000), then: []Event{extended(all, 9000, from+9000)}},
		{name: "before they ran", given: given, when: down(from-5000, from)},
		{name: "not who had bid", given: later, when: down(from+1000, from+9000), then: []Event{extended([]Seat{0, 2}, 8000, from+9000)}},
		{name: "once", given: served, when: down(from+1000, from+9000)},
		{name: "an older one", given: served, when: down(from+1000, from+8999)},
		{name: "a newer one", given: served, when: down(from+9500, from+9999), then: []Event{extended(all, 499, from+9999)}},
		{name: "in a pause", given: then(given, ClockPaused{Seat: NoSeat}), when: down(from+1000, from+9000)},
		{name: "without a clock", given: bidding(Rules{}, "E5", hands3...), when: down(from, from+9000)},
		{name: "when the game is over", given: then(given, GameCancelled{}), when: down(from, from+9000)},
		{
			name: "several, before a move", given: given,
			when: AfterOutages{Outages: []Outage{{from + 1000, from + 2000}, {from + 5000, from + 9000}}, Command: PlaceBid{Seat: 2}},
			then: []Event{extended(all, 1000, from+2000), extended(all, 4000, from+9000), bid(2, 0)},
		},
		{
			name: "for nothing else", given: given, when: AfterOutages{Outages: []Outage{{from + 1000, from + 2000}}},
			then: []Event{extended(all, 1000, from+2000)},
		},
		{
			name: "before a move that is refused", given: given,
			when: AfterOutages{Outages: []Outage{{from + 1000, from + 2000}}, Command: PlaceBid{Seat: 2, Tricks: 7}}, refused: BidNotAllowed,
		},
	})
	s := fold(then(given, extended(all, 8000, from+9000))...)
	if at, runs := s.Deadline(1); !runs || at != from+68_000 {
		t.Errorf("the deadline is %d, not %d", at, from+68_000)
	}
	// Clocks that began at different times: each gets what it ran of the outage.
	vacation := timed(oneDay, bidding(Rules{Bidding: HiddenBidding}, "E5", hands3...)...)
	vacation = append(vacation[:len(vacation)-1:len(vacation)-1], ClockPaused{Seat: 2, Cause: PausedByVacation}, vacation[len(vacation)-1], bid(1, 0), ClockResumed{Seat: 2})
	runs := int64(1000 * len(vacation))
	play(t, []scene{{
		name: "each its own", given: vacation, when: down(runs-1000, runs+9000),
		then: []Event{extended([]Seat{2}, 9000, runs+9000), extended([]Seat{0}, 10_000, runs+9000)},
	}})
}

func TestLimitVacation(t *testing.T) {
	t.Parallel()
	bids := timed(oneDay, bidding(Rules{}, "E5", hands3...)...)
	given := append(bids[:len(bids)-1:len(bids)-1], ClockPaused{Seat: 1, Cause: PausedByVacation}, bids[len(bids)-1])
	end := int64(1000*len(given)) + VacationLimit
	resumed := ClockResumed{Seat: 1, Cause: ResumedByLimit}
	s := fold(given...)
	if left, stands := s.Standing(1); s.Due() != end || !stands || left != dayTurn {
		t.Errorf("due %d, not %d; %d are left", s.Due(), end, left)
	}
	play(t, []scene{
		{name: "after fourteen days", given: given, when: LimitVacation{Now: end}, then: []Event{resumed}},
		{name: "a millisecond before", given: given, when: LimitVacation{Now: end - 1}},
		{name: "nobody on vacation", given: bids, when: LimitVacation{Now: end}},
		{name: "in a pause", given: then(given, ClockPaused{Seat: NoSeat}), when: LimitVacation{Now: 2 * end}},
		{name: "when the game is over", given: then(given, GameCancelled{}), when: LimitVacation{Now: end}},
	})
	s = Evolve(s, resumed, end)
	if at, _ := s.Deadline(1); at != end+dayTurn || s.MayRest().Has(1) {
		t.Errorf("the deadline is %d, not %d; another vacation: %t", at, end+dayTurn, s.MayRest().Has(1))
	}
}

// A clock that stood has the time left that it had: neither a pause nor a vacation fills it up.
func TestAPausedClockIsNotRefilled(t *testing.T) {
	t.Parallel()
	for _, k := range []Clock{oneDay, hourly} {
		s := fold(timed(k, bidding(Rules{}, "E5", hands3...)...)...)
		from := s.UpdatedAt
		whole, _ := s.Deadline(1)
		s = Evolve(s, ClockPaused{Seat: NoSeat}, from+1_000_000)
		if _, runs := s.Deadline(1); runs || s.Due() != 0 {
			t.Error("a paused clock runs")
		}
		if left, stands := s.Standing(1); !stands || left != whole-from-1_000_000 {
			t.Errorf("%d are left of %d", left, whole-from)
		}
		s = Evolve(s, ClockResumed{Seat: NoSeat}, from+5_000_000)
		if at, runs := s.Deadline(1); !runs || at != whole+4_000_000 {
			t.Errorf("the deadline has gone from %d to %d in 4000000", whole, at)
		}
		s = Evolve(s, bid(1, 0), from+6_000_000)
		if want := int64(3600_000 - 2_000_000 + 60_000); k.Kind == Bank && s.Banks[1] != want {
			t.Errorf("the bank is %d, not %d", s.Banks[1], want)
		}
	}
}

// Beginning and ending a vacation a hundred times gains nothing: the turn it was begun in goes on, and one that began in it runs from its first end.
func TestTogglingAVacationGainsNothing(t *testing.T) {
	t.Parallel()
	toggle := func(s State, from int64) State {
		for i := range int64(100) {
			for _, c := range []Command{TakeVacation{Seat: 1}, EndVacation{Seat: 1}} {
				events, err := Decide(s, c)
				if err != nil || len(events) != 1 {
					t.Fatalf("%+v: %v %v", c, events, err)
				}
				s = Evolve(s, events[0], from+i*1000)
			}
		}
		return s
	}
	bids := timed(oneDay, bidding(Rules{}, "E5", hands3...)...)
	s := fold(bids...)
	before, _ := s.Deadline(1)
	s = toggle(s, s.UpdatedAt)
	if after, runs := s.Deadline(1); !runs || after != before || s.Rested[1] != 0 {
		t.Errorf("the deadline has gone from %d to %d", before, after)
	}
	s = fold(append(bids[:len(bids)-1:len(bids)-1], ClockPaused{Seat: 1, Cause: PausedByVacation}, bids[len(bids)-1])...)
	s = Evolve(s, ClockResumed{Seat: 1, Cause: ResumedByVacation}, s.UpdatedAt+5000)
	before, _ = s.Deadline(1)
	if want := s.UpdatedAt + dayTurn; before != want || s.Rested[1] != 5000 {
		t.Errorf("the deadline is %d, not %d; rested %d", before, want, s.Rested[1])
	}
	s = toggle(s, s.UpdatedAt)
	if after, runs := s.Deadline(1); !runs || after != before || s.Rested[1] != 5000 {
		t.Errorf("the deadline has gone from %d to %d", before, after)
	}
}

// Who has used up their vacation in a game is not shown on vacation in it, though the vacation goes on: their clock runs.
func TestAUsedUpVacationIsNotShown(t *testing.T) {
	t.Parallel()
	bids := timed(oneDay, bidding(Rules{}, "E5", hands3...)...)
	s := fold(append(bids[:len(bids)-1:len(bids)-1], ClockPaused{Seat: 1, Cause: PausedByVacation}, bids[len(bids)-1])...)
	if v := s.View(Spectator); !v.Seats[1].Vacation {
		t.Errorf("%+v", v.Seats[1])
	}
	s = Evolve(s, bid(1, 0), s.UpdatedAt+VacationLimit)
	if v := s.View(Spectator); v.Seats[1].Vacation || !s.OnVacation().Has(1) {
		t.Errorf("%+v; the vacation can be ended: %t", v.Seats[1], s.OnVacation().Has(1))
	}
}

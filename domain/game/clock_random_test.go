package game

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestClocksHoldTheirProperties plays games by random schedules: moves, timeouts, pauses, vacations, leaving, coming back and outages at any time. After
// every event the clocks are what an oracle measures from the stream.
func TestClocksHoldTheirProperties(t *testing.T) {
	t.Parallel()
	const parts = 8
	var counts [parts]map[string]int
	t.Run("schedules", func(t *testing.T) {
		for part := range parts {
			counts[part] = map[string]int{}
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				for n := range soak(25, 50) {
					newSchedule(t, uint64(parts*n+part), counts[part]).run()
				}
			})
		}
	})
	all := map[string]int{}
	for _, c := range counts {
		for name, n := range c {
			all[name] += n
		}
	}
	for _, name := range []string{
		"turn_timed_out", "seat_taken_over", "seat_reclaimed", "clock_paused", "clock_resumed", "clock_extended", "player_resigned", "game_cancelled", "limit", "refused",
	} {
		if all[name] == 0 {
			t.Errorf("%s never happened", name)
		}
	}
	t.Logf("%v", all)
}

// schedule is one game whose players act at random times.
type schedule struct {
	table
	t       *testing.T
	rng     *rand.Rand
	oracle  clockOracle
	outages []Outage
	seen    map[string]int
}

func newSchedule(t *testing.T, seed uint64, seen map[string]int) *schedule {
	t.Helper()
	s := &schedule{t: t, rng: rand.New(rand.NewPCG(11, seed)), seen: seen}
	s.tb, s.oracle.tb = t, t
	s.now = time.Date(2026, time.March, 28, s.rng.IntN(48), 0, 0, s.rng.IntN(1e9), time.UTC).UnixMilli() // around the change to summer time
	rules := allRules()[s.rng.IntN(len(allRules()))]
	rules.AutoPlayForced = s.rng.IntN(4) == 0
	s.do(CreateGame{ID: testID, Host: user(0), Rules: rules, AutoStart: true, Clock: s.clock(), Secrets: secrets(seed)})
	for i := 1; i < rules.Players; i++ {
		s.wait()
		if i > 1 && s.rng.IntN(6) == 0 {
			s.do(SeatBot{By: 0, Seat: NoSeat, Level: EasyBot, Engine: "1"})
			continue
		}
		s.do(JoinGame{User: user(i), Seat: NoSeat})
	}
	return s
}

func (s *schedule) clock() Clock {
	k := Clock{MaxTimeouts: 1 + s.rng.IntN(3)}
	if s.rng.IntN(2) == 0 {
		k.Kind, k.Seconds = PerTurn, []int{5, 3600, daySeconds, 30 * daySeconds}[s.rng.IntN(4)]
	} else {
		k.Kind, k.Max = Bank, []int{60, 7200, 3 * daySeconds}[s.rng.IntN(3)]
		k.Initial, k.Increment = max(5, s.rng.IntN(k.Max+1)), max(5, s.rng.IntN(k.Max/4+1))
	}
	k.Vacation = k.AllowsVacation()
	return k
}

// do decides a command after the outages that there were, as every server does, and judges each event of it.
func (s *schedule) do(c Command) {
	s.t.Helper()
	before := s.state
	events, err := Decide(s.state, AfterOutages{Outages: s.outages, Command: c})
	var refused *Error
	switch {
	case errors.As(err, &refused):
		s.seen["refused"]++
	case err != nil:
		s.t.Fatalf("%+v: %v", c, err)
	}
	if s.state != before {
		s.t.Fatal("deciding has changed the game")
	}
	for _, e := range events {
		was := s.state
		s.record(e)
		s.oracle.event(e, s.now, &was)
		s.seen[TypeOf(e)]++
		if r, ok := e.(ClockResumed); ok && r.Cause == ResumedByLimit {
			s.seen["limit"]++
		}
		if x, ok := e.(ClockExtended); ok && x.MS <= 0 {
			s.t.Fatalf("extended by nothing: %+v", x)
		}
	}
	if len(events) > 0 || c == nil {
		s.oracle.judge(&s.state, s.now)
	}
}

// wait lets time pass in which the servers serve: what is due is done when it is due, or a little later.
func (s *schedule) wait() {
	s.t.Helper()
	scale := []int64{1, 1000, 60_000, 3600_000, dayTurn, 3 * dayTurn}[s.rng.IntN(6)]
	for end := s.now + s.rng.Int64N(scale+1); ; {
		due := s.state.Due()
		if due == 0 || due > end {
			s.now = end
			return
		}
		s.now = max(s.now, due+s.rng.Int64N(3))
		s.due()
		for more := true; more; {
			more = s.bots() && s.rng.IntN(3) > 0
		}
	}
}

// due does what the clocks ask for now.
func (s *schedule) due() {
	s.t.Helper()
	s.do(LimitVacation{Now: s.now})
	for seat := range Seat(s.state.Rules.Players) {
		if move := s.move(seat, AutoTimeout); move != nil {
			s.do(TimeOut{Seat: seat, Now: s.now, Move: move, Engine: "1"})
		}
	}
	if due := s.state.Due(); due != 0 && due <= s.now {
		s.t.Fatalf("due at %d and not done by %d", due, s.now)
	}
}

// bots makes a bot's move, false if there is none to make.
func (s *schedule) bots() bool {
	s.t.Helper()
	for _, seat := range s.state.BotTurn().All() {
		s.do(BotMove{Move: s.move(seat, AutoBot), Engine: "1"})
		return true
	}
	return false
}

// move is a legal move of a seat at random, nil if it has none.
func (s *schedule) move(seat Seat, auto Auto) Command {
	moves := s.moves()
	for _, i := range s.rng.Perm(len(moves)) {
		switch c := moves[i].(type) {
		case NameTrump:
			if c.Auto = auto; c.Seat == seat {
				return c
			}
		case PlaceBid:
			if c.Auto = auto; c.Seat == seat {
				return c
			}
		case PlayCard:
			if c.Auto = auto; c.Seat == seat {
				return c
			}
		default:
		}
	}
	return nil
}

// run plays until the game is over or enough has happened.
func (s *schedule) run() {
	s.t.Helper()
	for range 150 {
		if s.state.Status != Playing {
			break
		}
		s.wait()
		s.act()
		s.do(nil)
	}
	var again State
	for i, e := range decoded(s.t, s.stream) {
		again = Evolve(again, e, s.stream[i].at)
	}
	if again != s.state {
		s.t.Fatal("the stream from its beginning is another game")
	}
}

// act lets something happen.
func (s *schedule) act() {
	s.t.Helper()
	players := s.state.Rules.Players
	seat := Seat(s.rng.IntN(players))
	switch s.rng.IntN(24) {
	case 0:
		s.do(TakeVacation{Seat: seat})
	case 1:
		s.do(EndVacation{Seat: seat})
	case 2, 3:
		for _, i := range s.rng.Perm(players) {
			s.do(VotePause{Seat: Seat(i), Agree: s.rng.IntN(8) > 0})
		}
	case 4, 5, 6:
		s.do(Resume{Seat: seat})
	case 7:
		if s.rng.IntN(4) == 0 {
			s.do(Resign{Seat: seat})
		}
	case 8, 9, 10:
		s.do(Reclaim{Seat: seat})
	case 11:
		s.down()
	case 12:
		s.do(PlaceBid{Seat: seat, Tricks: MaxCards + 1}) // refused
	default:
		if s.bots() {
			return
		}
		if turn := s.state.Turn().All(); len(turn) > 0 {
			s.do(s.move(turn[s.rng.IntN(len(turn))], NotAuto))
		}
	}
}

// down lets time pass in which nobody serves. Then whatever comes first makes up for it.
func (s *schedule) down() {
	s.t.Helper()
	o := Outage{From: s.now, To: s.now + 1 + s.rng.Int64N([]int64{10_000, 7200_000, 2 * dayTurn}[s.rng.IntN(3)])}
	s.outages = append(s.outages, o)
	s.oracle.outages = append(s.oracle.outages, interval{o.From, o.To})
	s.now = o.To
	if s.rng.IntN(2) == 0 {
		s.due()
		return
	}
	s.act()
	s.do(nil)
	if due := s.state.Due(); due != 0 && due <= s.now {
		s.due()
	}
}

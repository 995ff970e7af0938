package api

import (
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// calendar is a clock that stands until it is put forward.
type calendar struct{ at atomic.Int64 }

func newCalendar() *calendar {
	h := new(calendar)
	h.at.Store(time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC).UnixMilli())
	return h
}

func (h *calendar) Now() time.Time          { return time.UnixMilli(h.at.Load()) }
func (h *calendar) forward(d time.Duration) { h.at.Add(d.Milliseconds()) }

// startWith runs a server whose time is the calendar's, beside whatever else is on the database at the address.
func startWith(tb testing.TB, h *calendar, url string) *running {
	tb.Helper()
	return startOn(tb, url, func(c *Config) {
		c.Games = projections.NewGames(c.Store, eventstore.Options{Now: h.Now, Appended: c.Bell.Ring})
		c.Now = h.Now
	})
}

// days is a clock with turns of so many days.
func days(n int) game.Clock {
	return game.Clock{Kind: game.PerTurn, Seconds: n * 24 * 60 * 60, MaxTimeouts: 3, Vacation: true}
}

// stagedGame makes a game of users by commands alone; with fewer users than seats it stays a lobby.
func (r *running) stagedGame(tb testing.TB, rules game.Rules, clock game.Clock, users ...*apitest.Client) *apitest.Table {
	tb.Helper()
	id := uuid.Must(uuid.NewV7())
	t := &apitest.Table{ID: id.String(), Players: users}
	r.do(tb, t, game.CreateGame{ID: t.ID, Host: users[0].Tokens.User.ID, Rules: rules, Clock: clock, AutoStart: true, Secrets: newSecrets()})
	for _, u := range users[1:] {
		r.do(tb, t, game.JoinGame{User: u.Tokens.User.ID, Seat: game.NoSeat})
	}
	return t
}

// do runs a command on a game.
func (r *running) do(tb testing.TB, t *apitest.Table, c game.Command) game.State {
	tb.Helper()
	g, err := r.Games.Do(tb.Context(), uuid.MustParse(t.ID), func(g projections.Game) (projections.Decision, error) {
		events, err := game.Decide(g.State, c)
		return projections.Decision{Events: events}, err
	})
	if err != nil {
		tb.Fatalf("%T: %v", c, err)
	}
	return g.State
}

// step makes a legal move at random where HTTP is not what a test is about; false when the game is over.
func (r *running) step(tb testing.TB, t *apitest.Table, rng *rand.Rand) bool {
	tb.Helper()
	h := history{state: *r.state(tb, t)}
	turn := h.state.Turn().All()
	if len(turn) == 0 {
		return false
	}
	moves := h.moves(turn[rng.IntN(len(turn))])
	r.do(tb, t, moves[rng.IntN(len(moves))])
	return true
}

// state returns a game as it stands.
func (r *running) state(tb testing.TB, t *apitest.Table) *game.State {
	tb.Helper()
	g, err := r.Games.Load(tb.Context(), uuid.MustParse(t.ID))
	if err != nil {
		tb.Fatal(err)
	}
	return &g.State
}

// types counts a game's events by type.
func types(tb testing.TB, c *apitest.Client, id string) map[string]int {
	tb.Helper()
	out := map[string]int{}
	for _, e := range c.Events(tb, id) {
		out[e.Type]++
	}
	return out
}

const hour = time.Hour

// moveFirst makes the first move that a seat may make.
func moveFirst(tb testing.TB, t *apitest.Table, seat game.Seat) {
	tb.Helper()
	g := t.View(tb, int(seat))
	m := g.Moves()[0]
	t.Players[seat].Must(tb, http.StatusOK, "POST", t.Path(m.Path), m.Body, nil)
}

func takeVacation(tb testing.TB, c *apitest.Client, days int) (v vacation) {
	tb.Helper()
	c.Must(tb, http.StatusOK, "PUT", "/v1/me/vacation", map[string]int{"days": days}, &v)
	return v
}

func endVacation(tb testing.TB, c *apitest.Client) (v vacation) {
	tb.Helper()
	c.Must(tb, http.StatusOK, "DELETE", "/v1/me/vacation", nil, &v)
	return v
}

func TestDaysOfVacation(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	c := apitest.Register(t, startWith(t, h, testdb.New(t)).url)
	var v vacation
	c.Must(t, http.StatusOK, "GET", "/v1/me/vacation", nil, &v)
	if v.On || v.DaysYear != 28 || v.DaysLeft != 28 || v.Since != nil || v.Until != nil {
		t.Errorf("before the first: %+v", v)
	}
	if v = takeVacation(t, c, 10); !v.On || v.DaysLeft != 18 || *v.Until != "2026-04-06T12:00:00.000Z" || *v.Since != "2026-03-27T12:00:00.000Z" {
		t.Errorf("ten days: %+v", v)
	}
	h.forward(25 * hour)
	if v = takeVacation(t, c, 10); v.DaysLeft != 18 || *v.Until != "2026-04-06T12:00:00.000Z" {
		t.Errorf("the same again: %+v", v)
	}
	if v = takeVacation(t, c, 28); v.DaysLeft != 0 || *v.Since != "2026-03-27T12:00:00.000Z" {
		t.Errorf("longer: %+v", v)
	}
	c.Refused(t, http.StatusConflict, "no_vacation_left", "PUT", "/v1/me/vacation", map[string]int{"days": 29})
	c.Refused(t, http.StatusConflict, "wrong_phase", "PUT", "/v1/me/vacation", map[string]int{"days": 1})
	if v = endVacation(t, c); v.On || v.DaysLeft != 26 {
		t.Errorf("ended on the second day: %+v", v)
	}
	if v = endVacation(t, c); v.On || v.DaysLeft != 26 {
		t.Errorf("ended twice: %+v", v)
	}
	takeVacation(t, c, 1)
	h.forward(24 * hour)
	if c.Must(t, http.StatusOK, "GET", "/v1/me/vacation", nil, &v); v.On || v.DaysLeft != 25 {
		t.Errorf("one day ended by itself: %+v", v)
	}
	for _, body := range []string{`{}`, `{"days":0}`, `{"days":-1}`, `{"days":367}`, `{"days":1.5}`, `{"days":"1"}`, `{"days":null}`, `{"days":1,"until":"x"}`} {
		c.Refused(t, http.StatusUnprocessableEntity, "invalid", "PUT", "/v1/me/vacation", []byte(body))
	}
}

// The days of a vacation over the turn of the year count where they begin: so nobody has more than their days of either year.
func TestVacationOverTheTurnOfTheYear(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	h.at.Store(time.Date(2026, 12, 22, 12, 0, 0, 0, time.UTC).UnixMilli())
	c := apitest.Register(t, startWith(t, h, testdb.New(t)).url)
	if v := takeVacation(t, c, 38); v.DaysLeft != 18 {
		t.Errorf("ten days in December: %+v", v)
	}
	c.Refused(t, http.StatusConflict, "no_vacation_left", "PUT", "/v1/me/vacation", map[string]int{"days": 39})
	h.forward(20 * 24 * hour)
	var v vacation
	if c.Must(t, http.StatusOK, "GET", "/v1/me/vacation", nil, &v); !v.On || v.DaysLeft != 0 {
		t.Errorf("in January: %+v", v)
	}
}

// A vacation holds in the games that allow it from the player's next turn, is seen by everybody, ends by itself, and reaches games that start while it is on.
func TestVacationInGames(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	url := testdb.New(t)
	r := startWith(t, h, url)
	u := registerAll(t, r, 6)
	rules := game.Rules{Players: 3, Length: game.Five}
	withIt := r.stagedGame(t, rules, days(1), u[0], u[1], u[2])
	short := r.stagedGame(t, rules, game.Clock{Kind: game.PerTurn, Seconds: 3600, MaxTimeouts: 3}, u[0], u[1], u[2])
	excluded := days(2)
	excluded.Vacation = false
	without := r.stagedGame(t, rules, excluded, u[0], u[1], u[2])
	lobby := r.stagedGame(t, rules, days(1), u[3], u[4])

	before := *r.state(t, withIt)
	turn := before.Turn().All()[0]
	away := withIt.Players[turn] // in the middle of a turn
	due, _ := before.Deadline(turn)
	takeVacation(t, away, 3)
	s := r.state(t, withIt)
	if at, runs := s.Deadline(turn); !runs || at != due {
		t.Errorf("the running turn ended %d and now ends %d (%v)", due, at, runs)
	}
	var v struct {
		Seats []struct {
			Vacation bool `json:"vacation"`
		} `json:"seats"`
	}
	for _, c := range []*apitest.Client{away, withIt.Players[(turn+1)%3], u[4]} {
		c.Must(t, http.StatusOK, "GET", withIt.Path(""), nil, &v)
		for seat, shown := range v.Seats {
			if shown.Vacation != (game.Seat(seat) == turn) {
				t.Errorf("seat %d, vacation: %v", seat, shown.Vacation)
			}
		}
	}
	for _, other := range []*apitest.Table{short, without, lobby} {
		if n := types(t, u[0], other.ID); n["clock_paused"] != 0 {
			t.Errorf("%v", n)
		}
	}
	if n := types(t, u[4], withIt.ID); n["clock_paused"] != 1 {
		t.Errorf("%v", n)
	}

	takeVacation(t, u[3], 2)
	r.do(t, lobby, game.JoinGame{User: u[5].Tokens.User.ID, Seat: game.NoSeat}) // it starts
	other := startWith(t, h, url)
	for range 2 {
		if _, err := other.Vacations.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := types(t, u[0], lobby.ID); n["clock_paused"] != 1 || !r.state(t, lobby).OnVacation().Has(0) {
		t.Errorf("a game that started meanwhile: %v", n)
	}
	h.forward(2*24*hour - time.Millisecond)
	settle(t, other, 0)
	h.forward(time.Millisecond)
	settle(t, other, 1)
	settle(t, r, 0)
	if n := types(t, u[0], lobby.ID); n["clock_resumed"] != 1 || r.state(t, lobby).OnVacation() != 0 {
		t.Errorf("after its end: %v", n)
	}
	endVacation(t, away)
	if n := types(t, u[4], withIt.ID); n["clock_resumed"] != 1 || n["clock_paused"] != 1 {
		t.Errorf("ended early: %v", n)
	}
}

func settle(tb testing.TB, r *running, want int) {
	tb.Helper()
	if n, err := r.Vacations.Settle(tb.Context()); err != nil || n != want {
		tb.Errorf("settled in %d places, not %d: %v", n, want, err)
	}
}

// A server that dies between storing a vacation and telling the games leaves it to the others, and several that do it at once do it once.
func TestVacationIsToldToAllGamesWhateverStops(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	url := testdb.New(t)
	servers := []*running{startWith(t, h, url), startWith(t, h, url), startWith(t, h, url)}
	r := servers[0]
	u := registerAll(t, r, 3)
	tables := make([]*apitest.Table, 5)
	for i := range tables {
		tables[i] = r.stagedGame(t, game.Rules{Players: 3}, days(1), u...)
	}
	user := u[1].Tokens.User.ID
	if err := r.Vacations.Take(t.Context(), user, 1); err != nil { // and no more than that
		t.Fatal(err)
	}
	together(t, servers, func(s *running) error { _, err := s.Vacations.Settle(t.Context()); return err })
	for _, table := range tables {
		if n := types(t, u[0], table.ID); n["clock_paused"] != 1 {
			t.Errorf("%v", n)
		}
	}
	if err := r.Vacations.End(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	together(t, servers, func(s *running) error { _, err := s.Vacations.Settle(t.Context()); return err })
	for _, table := range tables {
		if n := types(t, u[0], table.ID); n["clock_resumed"] != 1 {
			t.Errorf("%v", n)
		}
	}
}

// together does something on several servers at once.
func together(tb testing.TB, servers []*running, f func(*running) error) {
	tb.Helper()
	failed := make(chan error, len(servers))
	for _, s := range servers {
		go func() { failed <- f(s) }()
	}
	for range servers {
		if err := <-failed; err != nil {
			tb.Error(err)
		}
	}
}

// Ending a vacation and taking it again a hundred times gains no time: the turn that runs goes on, a turn that stood goes on with what it had left, and
// each time costs a day, until none is left.
func TestTogglingVacationGainsNothing(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	r := startWith(t, h, testdb.New(t))
	u := registerAll(t, r, 3)
	table := r.stagedGame(t, game.Rules{Players: 3}, days(1), u...)
	s := r.state(t, table)
	turn := s.Turn().All()[0]
	due, _ := s.Deadline(turn)
	taken := 0
	for range 100 {
		a := table.Players[turn].Do(t, "PUT", "/v1/me/vacation", map[string]int{"days": 1})
		if a.Status == http.StatusOK {
			taken++
		} else if a.Code() != "no_vacation_left" {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		h.forward(time.Minute)
		endVacation(t, table.Players[turn])
		h.forward(time.Minute)
		if at, runs := r.state(t, table).Deadline(turn); !runs || at != due {
			t.Fatalf("the running turn ended %d and now ends %d (%v)", due, at, runs)
		}
	}
	if taken != 28 {
		t.Errorf("%d vacations of a day each", taken)
	}
}

// In one game a clock stands for fourteen days at most, whatever vacation its player has left.
func TestVacationOfFourteenDaysAGame(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	r := startWith(t, h, testdb.New(t))
	u := registerAll(t, r, 3)
	table := r.stagedGame(t, game.Rules{Players: 3}, days(1), u...)
	turn := r.state(t, table).Turn().All()[0]
	next := (turn + 1) % 3
	away := table.Players[next]
	takeVacation(t, away, 20)
	for r.state(t, table).Turn().All()[0] != next {
		moveFirst(t, table, r.state(t, table).Turn().All()[0])
	}
	s := r.state(t, table)
	if _, runs := s.Deadline(next); runs || s.Due() != h.at.Load()+game.VacationLimit {
		t.Fatalf("on vacation, and the clock runs: %v; due %d", runs, s.Due())
	}
	h.forward(game.VacationLimit * time.Millisecond)
	*s = r.do(t, table, game.LimitVacation{Now: h.at.Load()})
	at, runs := s.Deadline(next)
	if !runs || at != h.at.Load()+24*hour.Milliseconds() {
		t.Errorf("after 14 days the turn ends %d (%v)", at, runs)
	}
	settle(t, r, 0)
	endVacation(t, away)
	takeVacation(t, away, 1)
	if s = r.state(t, table); s.OnVacation() != 0 {
		t.Error("a fifteenth day")
	}
	if n := types(t, u[0], table.ID); n["clock_paused"] != 1 || n["clock_resumed"] != 1 {
		t.Errorf("%v", n)
	}
}

package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// Each clock that can be asked for is shown with every option resolved, and stands so in the stream.
func TestClocksAreResolved(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := apitest.Register(t, r.url)
	for asked, want := range map[string]string{
		``:                                    `{"kind":"none"}`,
		`{"kind":"none"}`:                     `{"kind":"none"}`,
		`{"kind":"per_turn","seconds":5}`:     `{"kind":"per_turn","max_timeouts":3,"seconds":5,"vacation":false}`,
		`{"kind":"per_turn","seconds":86399}`: `{"kind":"per_turn","max_timeouts":3,"seconds":86399,"vacation":false}`,
		`{"kind":"per_turn","seconds":86400}`: `{"kind":"per_turn","max_timeouts":3,"seconds":86400,"vacation":true}`,
		`{"kind":"per_turn","seconds":2592000,"max_timeouts":10,"vacation":false}`:                             `{"kind":"per_turn","max_timeouts":10,"seconds":2592000,"vacation":false}`,
		`{"kind":"bank","initial_seconds":60,"increment_seconds":5,"max_seconds":60,"max_timeouts":1}`:         `{"increment_seconds":5,"initial_seconds":60,"kind":"bank","max_seconds":60,"max_timeouts":1,"vacation":false}`,
		`{"kind":"bank","initial_seconds":86400,"increment_seconds":600,"max_seconds":172800,"vacation":true}`: `{"increment_seconds":600,"initial_seconds":86400,"kind":"bank","max_seconds":172800,"max_timeouts":3,"vacation":true}`,
	} {
		body := `{"rules":{"players":3}}`
		if asked != "" {
			body = `{"rules":{"players":3},"clock":` + asked + `}`
		}
		var g struct {
			ID     string
			Clock  json.RawMessage
			Paused *bool
			Rules  struct {
				Auto *bool `json:"auto_play_forced"`
			}
			Seats []struct {
				Bank *int64 `json:"bank_ms"`
			}
		}
		u.Must(t, http.StatusCreated, "POST", "/v1/games", json.RawMessage(body), &g)
		var created struct{ Clock json.RawMessage }
		if err := json.Unmarshal(u.Events(t, g.ID)[0].Data, &created); err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, g.Clock, want) || !sameJSON(t, created.Clock, want) {
			t.Errorf("%s is shown as %s and stored as %s, not %s", asked, g.Clock, created.Clock, want)
		}
		if g.Paused == nil || *g.Paused || g.Rules.Auto == nil || *g.Rules.Auto || len(g.Seats) != 3 {
			t.Errorf("%s: %+v", asked, g)
		}
	}
}

func sameJSON(t *testing.T, got json.RawMessage, want string) bool {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal(got, &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	return cmp.Equal(a, b)
}

func TestClocksThatAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := apitest.Register(t, r.url)
	bank := func(initial, increment, most int, more string) string {
		return fmt.Sprintf(`{"kind":"bank","initial_seconds":%d,"increment_seconds":%d,"max_seconds":%d%s}`, initial, increment, most, more)
	}
	for clock, pointer := range map[string]string{
		`{}`:                                    "/clock/kind",
		`{"kind":"blitz"}`:                      "/clock/kind",
		`{"kind":null}`:                         "/clock/kind",
		`[]`:                                    "/clock",
		`{"kind":"none","seconds":60}`:          "/clock/seconds",
		`{"kind":"none","max_timeouts":3}`:      "/clock/max_timeouts",
		`{"kind":"none","vacation":false}`:      "/clock/vacation",
		`{"kind":"none","colour":"red"}`:        "/clock/colour",
		`{"kind":"per_turn"}`:                   "/clock/seconds",
		`{"kind":"per_turn","seconds":4}`:       "/clock/seconds",
		`{"kind":"per_turn","seconds":2592001}`: "/clock/seconds",
		`{"kind":"per_turn","seconds":60.5}`:    "/clock/seconds",
		`{"kind":"per_turn","seconds":"60"}`:    "/clock/seconds",
		`{"kind":"per_turn","seconds":60,"initial_seconds":60}`: "/clock/initial_seconds",
		`{"kind":"per_turn","seconds":60,"max_timeouts":0}`:     "/clock/max_timeouts",
		`{"kind":"per_turn","seconds":60,"max_timeouts":11}`:    "/clock/max_timeouts",
		`{"kind":"per_turn","seconds":60,"vacation":true}`:      "/clock/vacation",
		`{"kind":"bank","initial_seconds":60,"max_seconds":60}`: "/clock/increment_seconds",
		bank(60, 5, 59, ""):                     "/clock/max_seconds",
		bank(60, 61, 60, ""):                    "/clock/max_seconds",
		bank(4, 5, 60, ""):                      "/clock/initial_seconds",
		bank(5, 4, 60, ""):                      "/clock/increment_seconds",
		bank(5, 5, 2592001, ""):                 "/clock/max_seconds",
		bank(60, 5, 60, `,"seconds":60`):        "/clock/seconds",
		bank(3600, 5, 7200, `,"vacation":true`): "/clock/vacation",
	} {
		a := u.Do(t, "POST", "/v1/games", json.RawMessage(`{"rules":{"players":3},"clock":`+clock+`}`))
		var p struct{ Errors []struct{ Pointer string } }
		a.Decode(t, &p)
		if a.Status != http.StatusUnprocessableEntity || a.Code() != "invalid" || len(p.Errors) == 0 || p.Errors[0].Pointer != pointer {
			t.Errorf("%s: %d %s, want %s", clock, a.Status, a.Body, pointer)
		}
	}
}

// times is what a view shows of the clocks.
type times struct {
	Version int
	Paused  bool
	Turn    *struct {
		Seats     []int
		Deadlines []*string
		Remaining []*int64 `json:"remaining_ms"`
	}
	Seats []struct {
		Bank *int64 `json:"bank_ms"`
	}
}

func (v *times) check(t *testing.T, what, deadline string, remaining, bank int64) {
	t.Helper()
	seat := v.Turn.Seats[0]
	for i := range v.Seats {
		end, left := v.Turn.Deadlines[i], v.Turn.Remaining[i]
		switch {
		case *v.Seats[i].Bank != bank:
			t.Errorf("%s: seat %d has a bank of %d, not %d", what, i, *v.Seats[i].Bank, bank)
		case i != seat && (end != nil || left != nil):
			t.Errorf("%s: seat %d is not on turn and has times", what, i)
		case i == seat && (end == nil) != (deadline == "") || end != nil && *end != deadline:
			t.Errorf("%s: the deadline is %v, not %s", what, end, deadline)
		case i == seat && (left == nil) != (remaining < 0) || left != nil && *left != remaining:
			t.Errorf("%s: %v remain, not %d", what, left, remaining)
		}
	}
}

// What remains is told by the server's time, outside of the ETag; what is past has no remaining time.
func TestTimesInViews(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	r := startWith(t, h, testdb.New(t))
	u := registerAll(t, r, 3)
	clock := game.Clock{Kind: game.Bank, Initial: 7200, Increment: 60, Max: 7200, MaxTimeouts: 3}
	table := r.stagedGame(t, game.Rules{Players: 3}, clock, u...)
	if s := r.state(t, table); s.Round.Phase == game.ChooseTrump {
		r.do(t, table, game.NameTrump{Seat: s.Round.Dealer, Suit: 1})
	}
	const end, hour = "2026-03-27T14:00:00.000Z", int64(3600_000)
	see := func(query string) (v times) {
		t.Helper()
		u[0].Must(t, http.StatusOK, "GET", table.Path("")+query, nil, &v)
		return v
	}
	listed := func() (v times) {
		t.Helper()
		var page struct{ Items []times }
		u[0].Must(t, http.StatusOK, "GET", "/v1/games?mine=true", nil, &page)
		return page.Items[0]
	}
	check := func(what, deadline string, remaining int64) {
		t.Helper()
		for _, v := range []times{see(""), listed()} {
			v.check(t, what, deadline, remaining, 2*hour)
		}
	}
	check("at the start", end, 2*hour)
	version := see("").Version
	a := u[0].Do(t, "GET", table.Path(""), nil)
	h.forward(90 * time.Minute)
	check("later", end, hour/2)
	u[0].Must(t, http.StatusNotModified, "GET", table.Path(""), nil, nil, apitest.Header{Name: "If-None-Match", Value: a.Header.Get("ETag")})
	for seat := range game.Seat(3) {
		r.do(t, table, game.VotePause{Seat: seat, Agree: true})
	}
	h.forward(5 * time.Hour)
	check("in a pause", "", hour/2)
	if v := see(""); !v.Paused || !listed().Paused {
		t.Error("the pause is not shown")
	}
	past := see(fmt.Sprint("?as_of=", version))
	past.check(t, "in the past", end, -1, 2*hour)
	now := see(fmt.Sprint("?as_of=", see("").Version))
	now.check(t, "as of now", "", -1, 2*hour)
	r.do(t, table, game.Resume{Seat: 1})
	h.forward(time.Hour)
	check("behind the deadline, before the server has moved", "2026-03-27T19:00:00.000Z", 0)

	// A move answers with the times after it.
	seat := see("").Turn.Seats[0]
	own := table.View(t, seat)
	var after times
	u[seat].Must(t, http.StatusOK, "POST", table.Path(own.Moves()[0].Path), own.Moves()[0].Body, &after)
	if next := after.Turn.Seats[0]; *after.Seats[seat].Bank != 60_000 || *after.Turn.Deadlines[next] != "2026-03-27T21:30:00.000Z" || *after.Turn.Remaining[next] != 2*hour {
		t.Errorf("after the move: %+v", after)
	}
}

// A player who moves first after an outage isn't charged with it: what is given back stands before the move.
func TestAMoveIsNotChargedWithAnOutage(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	var outages []game.Outage
	away := false
	r := startOn(t, testdb.New(t), func(c *Config) {
		c.Games = projections.NewGames(c.Store, eventstore.Options{Now: h.Now, Appended: c.Bell.Ring})
		c.Now = h.Now
		c.Outages = func(context.Context) ([]game.Outage, error) {
			if away {
				return nil, fmt.Errorf("no beat: %w", eventstore.ErrUnavailable)
			}
			return outages, nil
		}
	})
	u := registerAll(t, r, 3)
	table := r.stagedGame(t, game.Rules{Players: 3}, game.Clock{Kind: game.Bank, Initial: 600, Increment: 60, Max: 7200, MaxTimeouts: 3}, u...)
	seat := table.View(t, 0).Turn.Seats[0]
	from := h.Now().UnixMilli()
	h.forward(2 * time.Hour)
	outages = []game.Outage{{From: from, To: h.Now().UnixMilli()}}
	h.forward(time.Minute)
	own := table.View(t, seat)
	away = true
	u[seat].Refused(t, http.StatusServiceUnavailable, "unavailable", "POST", table.Path(own.Moves()[0].Path), own.Moves()[0].Body)
	away = false
	u[seat].Must(t, http.StatusOK, "POST", table.Path(own.Moves()[0].Path), own.Moves()[0].Body, nil)
	events := u[0].Events(t, table.ID)
	if e := events[own.Version]; e.Type != "clock_extended" {
		t.Errorf("before the move stands %s", e.Type)
	}
	if bank := r.state(t, table).Banks[seat]; bank != 600_000 {
		t.Errorf("the bank is %d", bank)
	}
}

// An answer that is given again is of the past, of which there is no telling what remained.
func TestAReplayTellsNoRemainingTime(t *testing.T) {
	t.Parallel()
	r := start(t)
	host, key := apitest.Register(t, r.url), newKey()
	var g apitest.Game
	host.Must(t, http.StatusCreated, "POST", "/v1/games", json.RawMessage(`{"rules":{"players":3},"clock":{"kind":"per_turn","seconds":60}}`), &g)
	host.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/bots", nil, nil)
	for _, again := range []bool{false, true} {
		var seen times
		a := host.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/bots", nil, &seen, key)
		apitest.Register(t, r.url).Must(t, http.StatusOK, "GET", "/v1/games/"+g.ID, nil, nil)
		if isReplay(a) != again {
			t.Fatalf("replayed: %t", isReplay(a))
		}
		for seat, left := range seen.Turn.Remaining {
			if again && left != nil {
				t.Errorf("seat %d has %d ms in a replay", seat, *left)
			}
		}
	}
}

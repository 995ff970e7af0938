package api

import (
	"net/http"
	"strings"
	"testing"

	"mago/api/apitest"
)

// lobby is a lobby that is played with by hand.
type lobby struct {
	tb   testing.TB
	path string
	host *apitest.Client
}

// open opens a lobby; options are the members of the request besides three players.
func open(tb testing.TB, host *apitest.Client, options map[string]any) lobby {
	tb.Helper()
	body := map[string]any{"rules": map[string]any{"players": 3, "length": "five"}}
	for k, v := range options {
		body[k] = v
	}
	var g apitest.Game
	host.Must(tb, http.StatusCreated, "POST", "/v1/games", body, &g)
	return lobby{tb, "/v1/games/" + g.ID, host}
}

func (l lobby) view(c *apitest.Client) (g apitest.Game) {
	l.tb.Helper()
	c.Must(l.tb, http.StatusOK, "GET", l.path, nil, &g)
	return g
}

func (l lobby) join(c *apitest.Client, body any) {
	l.tb.Helper()
	c.Must(l.tb, http.StatusCreated, "POST", l.path+"/players", body, nil)
}

func registerAll(tb testing.TB, r *running, n int) []*apitest.Client {
	tb.Helper()
	out := make([]*apitest.Client, n)
	for i := range out {
		out[i] = apitest.Register(tb, r.url)
	}
	return out
}

func TestJoining(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	l := open(t, u[0], map[string]any{"auto_start": false})
	join := func(c *apitest.Client, status int, code string, body any) {
		t.Helper()
		if a := c.Do(t, "POST", l.path+"/players", body); a.Status != status || a.Code() != code {
			t.Errorf("join %v: %d %s, want %d %s", body, a.Status, a.Body, status, code)
		}
	}
	join(u[0], http.StatusConflict, "already_joined", nil)
	join(u[1], http.StatusConflict, "seat_taken", map[string]int{"seat": 0})
	for _, seat := range []int{3, 5, 6, -1} { // 3 and 5 are no seats of this table, 6 and -1 of none
		join(u[1], http.StatusUnprocessableEntity, "invalid", map[string]int{"seat": seat})
	}
	join(u[1], http.StatusCreated, "", map[string]any{"seat": 2, "client_seed": "Az-_09"})
	join(u[1], http.StatusConflict, "already_joined", map[string]int{"seat": 1})
	join(u[2], http.StatusCreated, "", nil) // the lowest free seat
	if g := l.view(u[2]); g.You.Seat != 1 || g.Status != "lobby" {
		t.Errorf("seat %d, %s", g.You.Seat, g.Status)
	}
	join(u[3], http.StatusConflict, "game_full", nil)
	join(u[3], http.StatusConflict, "game_full", map[string]int{"seat": 0})
	u[0].Must(t, http.StatusOK, "POST", l.path+"/start", nil, nil)
	join(u[3], http.StatusConflict, "not_in_lobby", nil)
	join(u[1], http.StatusConflict, "not_in_lobby", nil)
	events := u[3].Events(t, strings.TrimPrefix(l.path, "/v1/games/"))
	if got := string(events[2].Data); got != `{"client_seed":"Az-_09","seat":2,"user_id":"`+u[1].Tokens.User.ID+`"}` {
		t.Errorf("joined: %s", got)
	}
}

// A seat that this table lacks is a fault of the request: it is told as such, before what the game stands at.
func TestJoiningASeatThatIsNone(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], nil)
	for _, c := range u {
		a := c.Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", l.path+"/players", map[string]int{"seat": 4}, header("If-Match", `"1"`))
		if !strings.Contains(string(a.Body), `"errors":[{"pointer":"/seat"`) {
			t.Errorf("%s", a.Body)
		}
	}
}

func TestStarting(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], map[string]any{"auto_start": false})
	u[0].Refused(t, http.StatusConflict, "not_full", "POST", l.path+"/start", nil)
	l.join(u[1], nil)
	l.join(u[2], nil)
	if g := l.view(u[0]); g.Status != "lobby" {
		t.Fatalf("a full table started by itself: %s", g.Status)
	}
	u[1].Refused(t, http.StatusForbidden, "forbidden", "POST", l.path+"/start", nil)
	u[0].Must(t, http.StatusOK, "POST", l.path+"/start", nil, nil)
	u[0].Refused(t, http.StatusConflict, "not_in_lobby", "POST", l.path+"/start", nil)

	started := open(t, u[0], nil)
	started.join(u[1], nil)
	u[2].Must(t, http.StatusCreated, "POST", started.path+"/players", nil, nil)
	if g := started.view(u[0]); g.Status != "playing" || g.Round == nil || g.Round.Number != 1 {
		t.Errorf("a full table did not start: %+v", g)
	}
}

func TestClientSeeds(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], nil)
	seed := func(s string) map[string]string { return map[string]string{"client_seed": s} }
	u[1].Refused(t, http.StatusForbidden, "forbidden", "PUT", l.path+"/client-seed", seed("a"))
	for _, s := range []string{"a b", "ñ", "a\"", strings.Repeat("a", 65), "a/b", "+"} {
		u[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "PUT", l.path+"/client-seed", seed(s))
		u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", l.path+"/players", seed(s))
	}
	for version, s := range map[int]string{3: strings.Repeat("Z", 64)} {
		var g apitest.Game
		u[0].Must(t, http.StatusOK, "PUT", l.path+"/client-seed", seed(s), &g)
		if g.Version != version {
			t.Errorf("version %d", g.Version)
		}
		u[0].Must(t, http.StatusOK, "PUT", l.path+"/client-seed", seed(s), &g) // it stands already
		if g.Version != version {
			t.Errorf("the same again makes version %d", g.Version)
		}
	}
	u[0].Must(t, http.StatusOK, "PUT", l.path+"/client-seed", seed(""), nil)
	l.join(u[1], nil)
	l.join(u[2], nil)
	u[0].Refused(t, http.StatusConflict, "not_in_lobby", "PUT", l.path+"/client-seed", seed("late"))
}

// The host passes on to the lowest seated person, and the last to leave takes the game along.
func TestLeaving(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	l := open(t, u[0], nil)
	l.join(u[1], map[string]int{"seat": 2})
	u[1].Refused(t, http.StatusForbidden, "forbidden", "DELETE", l.path+"/players/0", nil)
	u[1].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/players/1", nil) // a free seat: 404 comes before 403
	u[2].Refused(t, http.StatusForbidden, "forbidden", "DELETE", l.path+"/players/0", nil)
	for _, seat := range []string{"1", "3", "5", "6", "-1", "x", "00", "1.0", "%20", "99999999999999999999"} {
		u[0].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/players/"+seat, nil)
	}
	u[0].Must(t, http.StatusOK, "DELETE", l.path+"/players/0", nil, nil)
	if g := l.view(u[1]); g.Host == nil || *g.Host != 2 || g.Seats[0].User != nil {
		t.Errorf("after the host left: %+v", g)
	}
	u[0].Refused(t, http.StatusForbidden, "forbidden", "DELETE", l.path, nil)
	l.join(u[3], nil)
	u[1].Must(t, http.StatusOK, "DELETE", l.path+"/players/0", nil, nil) // the new host removes
	if g := l.view(u[3]); g.You != nil || g.Seats[0].User != nil {
		t.Errorf("after the removal: %+v", g)
	}
	u[1].Must(t, http.StatusOK, "DELETE", l.path+"/players/2", nil, nil)
	if g := l.view(u[1]); g.Status != "cancelled" || g.Host != nil {
		t.Errorf("after the last left: %+v", g)
	}
	u[2].Refused(t, http.StatusConflict, "game_over", "POST", l.path+"/players", nil)
	events := u[2].Events(t, strings.TrimPrefix(l.path, "/v1/games/"))
	left := ""
	for _, e := range events {
		if e.Type == "player_left" || e.Type == "game_cancelled" {
			data, _, _ := strings.Cut(string(e.Data), `,"seed"`)
			left += data + "\n"
		}
	}
	want := `{"by":"player","host":2,"seat":0}
{"by":"host","host":2,"seat":0}
{"by":"player","host":null,"seat":2}
`
	if !strings.HasPrefix(left, want) || !strings.Contains(left, `"reason":"abandoned"`) {
		t.Errorf("%s", left)
	}
}

func TestCancelling(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], nil)
	l.join(u[1], nil)
	u[1].Refused(t, http.StatusForbidden, "forbidden", "DELETE", l.path, nil)
	u[2].Refused(t, http.StatusForbidden, "forbidden", "DELETE", l.path, nil)
	var g apitest.Game
	u[0].Must(t, http.StatusOK, "DELETE", l.path, nil, &g)
	if g.Status != "cancelled" {
		t.Errorf("status %s", g.Status)
	}
	u[0].Refused(t, http.StatusConflict, "game_over", "DELETE", l.path, nil)
	u[0].Refused(t, http.StatusConflict, "game_over", "POST", l.path+"/start", nil)
	u[1].Refused(t, http.StatusConflict, "game_over", "DELETE", l.path+"/players/1", nil)
	u[1].Refused(t, http.StatusConflict, "game_over", "POST", l.path+"/bids", map[string]int{"tricks": 0})
	events := u[2].Events(t, strings.TrimPrefix(l.path, "/v1/games/"))
	if e := events[len(events)-1]; e.Salt == nil || !strings.Contains(string(e.Data), `"reason":"host","seed":null`) {
		t.Errorf("%s", e.Data)
	}

	playing := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	playing.Players[0].Refused(t, http.StatusConflict, "not_in_lobby", "DELETE", playing.Path(""), nil)
	playing.Players[0].Refused(t, http.StatusConflict, "not_in_lobby", "DELETE", playing.Path("/players/1"), nil)
	playing.Players[1].Refused(t, http.StatusForbidden, "forbidden", "DELETE", playing.Path("/players/2"), nil)
}

// The label is the host's to change, at any time, and no part of the stream.
func TestNamingAGame(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], map[string]any{"name": "canary <&> 🧙"})
	l.join(u[1], nil)
	if g := l.view(u[1]); g.Name == nil || *g.Name != "canary <&> 🧙" {
		t.Errorf("name %v", g.Name)
	}
	rename := func(c *apitest.Client, status int, code string, body any, headers ...apitest.Header) {
		t.Helper()
		if a := c.Do(t, "PATCH", l.path, body, headers...); a.Status != status || a.Code() != code {
			t.Errorf("%v: %d %s, want %d %s", body, a.Status, a.Body, status, code)
		}
	}
	name := func(s string) map[string]string { return map[string]string{"name": s} }
	rename(u[1], http.StatusForbidden, "forbidden", name("x"))
	rename(u[0], http.StatusPreconditionFailed, "stale", name("x"), header("If-Match", `"1"`))
	for _, bad := range []string{" x", "x\n", strings.Repeat("x", 61), "\u202e"} {
		rename(u[0], http.StatusUnprocessableEntity, "invalid", name(bad))
	}
	rename(u[0], http.StatusOK, "", name("canary II"), header("If-Match", `"3"`))
	rename(u[0], http.StatusOK, "", map[string]string{}) // nothing to change
	if g := l.view(u[1]); g.Name == nil || *g.Name != "canary II" || g.Version != 3 {
		t.Errorf("name %v at version %d", g.Name, g.Version)
	}
	rename(u[0], http.StatusOK, "", name(""))
	if g := l.view(u[1]); g.Name != nil {
		t.Errorf("name %q", *g.Name)
	}
	if a := u[1].Must(t, http.StatusOK, "GET", l.path+"/events", nil, nil); strings.Contains(string(a.Body), "canary") {
		t.Errorf("the name is in the stream: %s", a.Body)
	}
	u[0].Must(t, http.StatusOK, "DELETE", l.path, nil, nil)
	rename(u[0], http.StatusOK, "", name("over"))
}

// An account that is erased leaves its lobbies: the host passes on and the seat is free.
func TestErasedAccountLeavesItsGames(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l, alone := open(t, u[0], nil), open(t, u[0], nil)
	l.join(u[1], nil)
	playing := apitest.Seat(t, apitest.Rules{Players: 3}, u)
	u[0].Must(t, http.StatusNoContent, "DELETE", "/v1/me", map[string]string{"password": apitest.Password}, nil)
	if g := l.view(u[1]); g.Host == nil || *g.Host != 1 || g.Seats[0].User != nil || g.Status != "lobby" {
		t.Errorf("the lobby: %+v", g)
	}
	if g := alone.view(u[1]); g.Status != "cancelled" {
		t.Errorf("the lobby of one: %s", g.Status)
	}
	var g apitest.Game
	a := u[1].Must(t, http.StatusOK, "GET", playing.Path(""), nil, &g)
	if g.Status != "playing" || g.Seats[0].User == nil || g.Seats[0].User.Username != "deleted" || !strings.Contains(string(a.Body), `"bot":{"level":"easy"}`) {
		t.Errorf("the running game: %s", a.Body)
	}
}

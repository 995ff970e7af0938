package api

import (
	"net/http"
	"testing"

	"mago/api/apitest"
)

// reason is one thing that can be wrong with a request. Of two that hold at once, the earlier in the list is told.
type reason struct {
	code    string
	nobody  bool // no token
	body    string
	ifMatch string
	noGame  bool // a game that does not exist
	outside bool // by somebody without a seat
}

// orderOf returns the reasons that every command of a game has in common, in the order of the contract. fine is a body that is right in itself,
// or "" for calls that take none.
func orderOf(fine string) []reason {
	bad := `{"unknown":1}`
	if fine == "" {
		fine = "{}"
	}
	return []reason{
		{code: "unauthenticated", nobody: true, body: fine},
		{code: "malformed_json", body: `{`},
		{code: "invalid", body: bad},
		{code: "invalid", body: fine, ifMatch: "57"},
		{code: "not_found", body: fine, noGame: true},
		{code: "forbidden", body: fine, outside: true},
		{code: "stale", body: fine, ifMatch: `"1"`},
	}
}

// both returns a request that two reasons apply to; false where they exclude each other.
func both(a, b reason, fine string) (reason, bool) {
	if fine == "" {
		fine = "{}"
	}
	pick := func(x, y, none string) (string, bool) {
		switch none {
		case x:
			return y, true
		case y:
			return x, true
		}
		return x, x == y
	}
	body, ok1 := pick(a.body, b.body, fine)
	ifMatch, ok2 := pick(a.ifMatch, b.ifMatch, "")
	return reason{
		code: a.code, nobody: a.nobody || b.nobody, body: body, ifMatch: ifMatch, noGame: a.noGame || b.noGame, outside: a.outside || b.outside,
	}, ok1 && ok2
}

// Of any two reasons to refuse a request the one that comes first in the contract's order is told, on every command, and nothing happens.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := startedBidding(t, r, apitest.Rules{Players: 3, Length: "five"})
	outsider, nobody := apitest.Register(t, r.url), apitest.New(r.url)
	turn := table.View(t, 0).Turn.Seats[0]
	idle := table.Players[(turn+1)%3]
	version := table.View(t, 0).Version
	for _, route := range []struct {
		method, path, fine string
		last               string // what the game itself refuses
	}{
		{"PATCH", "", `{"name":"x"}`, "forbidden"},
		{"DELETE", "", "", "not_in_lobby"},
		{"DELETE", "/players/0", "", "not_in_lobby"},
		{"PUT", "/client-seed", `{"client_seed":"x"}`, "not_in_lobby"},
		{"POST", "/start", "", "not_in_lobby"},
		{"POST", "/trump", `{"suit":"elves"}`, "wrong_phase"},
		{"POST", "/plays", `{"card":"E5"}`, "wrong_phase"},
		{"POST", "/bids", `{"tricks":20}`, "not_your_turn"}, // and no bid of this round
	} {
		by := idle
		if route.last == "not_in_lobby" {
			by = table.Players[0] // the host, who may ask
		}
		send := func(x reason) apitest.Answer {
			c, path := by, table.Path(route.path)
			if x.outside {
				c = outsider
			}
			if x.nobody {
				c = nobody
			}
			if x.noGame {
				path = "/v1/games/0190b2a4-0000-7000-8000-000000000001" + route.path
			}
			var h []apitest.Header
			if x.ifMatch != "" {
				h = append(h, header("If-Match", x.ifMatch))
			}
			return c.Do(t, route.method, path, []byte(x.body), h...)
		}
		if route.last == "forbidden" { // the label is no part of the game: it has nothing to refuse but who asks
			by = outsider
		}
		reasons := orderOf(route.fine)
		fine := route.fine
		if fine == "" {
			fine = "{}"
		}
		reasons = append(reasons, reason{code: route.last, body: fine})
		for i, a := range reasons {
			for _, b := range reasons[i:] {
				x, ok := both(a, b, route.fine)
				if !ok || route.last == "forbidden" && a.code == "stale" {
					continue
				}
				if got := send(x); got.Code() != a.code {
					t.Errorf("%s %s: both %s and %s hold: %d %s", route.method, route.path, a.code, b.code, got.Status, got.Body)
				}
			}
		}
	}
	if got := table.View(t, 0).Version; got != version {
		t.Errorf("the game moved from version %d to %d", version, got)
	}
}

// A host's rights are looked at before the version: who may not ask is told so, whatever the game stands at.
func TestForbiddenComesBeforeStale(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], nil)
	l.join(u[1], nil)
	old := header("If-Match", `"1"`)
	for _, tt := range []struct{ method, path, body string }{{"POST", "/start", ""}, {"DELETE", "", ""}, {"DELETE", "/players/0", ""}, {"PATCH", "", `{"name":"x"}`}} {
		u[1].Refused(t, http.StatusForbidden, "forbidden", tt.method, l.path+tt.path, raw(tt.body), old)
		u[0].Refused(t, http.StatusPreconditionFailed, "stale", tt.method, l.path+tt.path, raw(tt.body), old)
	}
	u[0].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/players/2", nil, old) // nobody there
}

// The refusals of moves, each with another that would hold as well and comes later.
func TestOrderOfRefusals(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := startedBidding(t, r, apitest.Rules{Players: 3, Length: "five", Bidding: "hidden"})
	move := func(seat int, code, path string, body any) {
		t.Helper()
		a := table.Players[seat].Refused(t, http.StatusConflict, code, "POST", table.Path(path), body)
		var p struct{ Version int }
		if a.Decode(t, &p); p.Version != table.View(t, 0).Version {
			t.Errorf("%s tells version %d", code, p.Version)
		}
	}
	bid := func(n int) map[string]int { return map[string]int{"tricks": n} }
	move(0, "wrong_phase", "/trump", map[string]any{"suit": "elves"})
	move(0, "bid_not_allowed", "/bids", bid(2))
	move(0, "wrong_phase", "/bids", map[string]int{"tricks": 2, "round": 2})
	table.Players[0].Must(t, http.StatusOK, "POST", table.Path("/bids"), bid(1), nil)
	move(0, "already_bid", "/bids", bid(20))
	table.Players[1].Must(t, http.StatusOK, "POST", table.Path("/bids"), bid(1), nil)
	table.Players[2].Must(t, http.StatusOK, "POST", table.Path("/bids"), bid(1), nil)
	move(0, "wrong_phase", "/bids", bid(1)) // not already_bid: the bidding is over
	g := table.View(t, table.View(t, 0).Turn.Seats[0])
	idle := (g.You.Seat + 1) % 3
	own := g.You.Hand[0]
	move(idle, "not_your_turn", "/plays", map[string]any{"card": own}) // nor is it in this hand
	move(idle, "not_your_turn", "/plays", map[string]any{"card": "??"})
	move(idle, "wrong_phase", "/plays", map[string]any{"card": own, "trick": 2})
	move(g.You.Seat, "card_not_in_hand", "/plays", map[string]any{"card": "??"})
	other := table.View(t, idle).You.Hand[0]
	move(g.You.Seat, "card_not_in_hand", "/plays", map[string]any{"card": other})
	table.Players[g.You.Seat].Must(t, http.StatusOK, "POST", table.Path("/plays"), map[string]any{"card": own}, nil)
}

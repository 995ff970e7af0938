package api

import (
	"net/http"
	"strings"
	"testing"

	"mago/api/apitest"
)

func header(name, value string) apitest.Header { return apitest.Header{Name: name, Value: value} }

func TestGameIsCachedByItsVersion(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	c, version := table.Players[0], table.View(t, 0).Version
	tag := etag(version)
	for value, want := range map[string]int{
		"": http.StatusOK, tag: http.StatusNotModified, "W/" + tag: http.StatusNotModified, "*": http.StatusNotModified,
		`"1", W/"2",` + tag: http.StatusNotModified, `"1", "2"`: http.StatusOK, etag(version + 1): http.StatusOK, "x": http.StatusOK,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := c.Must(t, want, method, table.Path(""), nil, nil, header("If-None-Match", value))
			for name, wanted := range map[string]string{"ETag": tag, "Vary": "Authorization", "Cache-Control": "private, no-cache"} {
				if got := a.Header.Get(name); got != wanted {
					t.Errorf("%s with If-None-Match %s: %s %q, want %q", method, value, name, got, wanted)
				}
			}
			if empty := method == "HEAD" || want == http.StatusNotModified; empty != (len(a.Body) == 0) {
				t.Errorf("%s with If-None-Match %s: %d bytes", method, value, len(a.Body))
			}
		}
	}
	if a := c.Must(t, http.StatusNotModified, "GET", table.Path("?as_of=2"), nil, nil, header("If-None-Match", `"2"`)); a.Header.Get("ETag") != `"2"` {
		t.Errorf("as_of=2 has the ETag %s", a.Header.Get("ETag"))
	}
	c.Must(t, http.StatusOK, "GET", table.Path("?as_of=2"), nil, nil, header("If-None-Match", tag))
	for _, path := range []string{"/v1/games", "/v1/games?mine=true", table.Path("/events")} {
		for _, method := range []string{"GET", "HEAD"} {
			a := c.Must(t, http.StatusOK, method, path, nil, nil)
			if got := a.Header.Get("Cache-Control"); got != "no-store" || a.Header.Get("ETag") != "" {
				t.Errorf("%s %s: Cache-Control %q, ETag %q", method, path, got, a.Header.Get("ETag"))
			}
		}
	}
}

// A stranger's cache must never be asked whether it has what a private game looks like.
func TestConditionTellsStrangersNothing(t *testing.T) {
	t.Parallel()
	r := start(t)
	host, stranger := apitest.Register(t, r.url), apitest.Register(t, r.url)
	var g apitest.Game
	host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]int{"players": 3}, "visibility": "private"}, &g)
	for _, value := range []string{"*", etag(g.Version), etag(99)} {
		stranger.Refused(t, http.StatusNotFound, "not_found", "GET", "/v1/games/"+g.ID, nil, header("If-None-Match", value))
		stranger.Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/games/"+g.ID+"/bids", map[string]int{"tricks": 0}, header("If-Match", value))
	}
}

func TestCommandsAnswerWithTheNewView(t *testing.T) {
	t.Parallel()
	r := start(t)
	host := apitest.Register(t, r.url)
	a := host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]int{"players": 3}}, nil)
	var g apitest.Game
	a.Decode(t, &g)
	if a.Header.Get("Location") != "/v1/games/"+g.ID || a.Header.Get("ETag") != `"2"` || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("created: %v", a.Header)
	}
	if b := host.Must(t, http.StatusOK, "GET", "/v1/games/"+g.ID, nil, nil); string(a.Body) != string(b.Body) {
		t.Errorf("created\n%s, shown\n%s", a.Body, b.Body)
	}
	seed := map[string]string{"client_seed": "x"}
	a = host.Must(t, http.StatusNoContent, "PUT", "/v1/games/"+g.ID+"/client-seed", seed, nil, header("Prefer", "return=minimal"))
	if a.Header.Get("ETag") != `"3"` || a.Header.Get("Preference-Applied") != "return=minimal" || len(a.Body) > 0 {
		t.Errorf("minimal: %v %q", a.Header, a.Body)
	}
	a = host.Must(t, http.StatusNoContent, "POST", "/v1/games", map[string]any{"rules": map[string]int{"players": 3}}, nil, header("Prefer", "return=minimal"))
	if !strings.HasPrefix(a.Header.Get("Location"), "/v1/games/") || a.Header.Get("ETag") != `"2"` {
		t.Errorf("created minimally: %v", a.Header)
	}
	a = host.Refused(t, http.StatusPreconditionFailed, "stale", "POST", "/v1/games/"+g.ID+"/start", nil, header("If-Match", `"2"`), header("Prefer", "return=minimal"))
	if !strings.Contains(string(a.Body), `"version":3`) {
		t.Errorf("stale: %s", a.Body)
	}
}

// A condition is met by the version alone, in whichever form it is written; * and none at all are met by any.
func TestIfMatchOnCommands(t *testing.T) {
	t.Parallel()
	r := start(t)
	host := apitest.Register(t, r.url)
	var g apitest.Game
	host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]int{"players": 3}}, &g)
	put := func(status int, code, seed, ifMatch string) {
		t.Helper()
		a := host.Do(t, "PUT", "/v1/games/"+g.ID+"/client-seed", map[string]string{"client_seed": seed}, header("If-Match", ifMatch))
		if a.Status != status || a.Code() != code {
			t.Errorf("If-Match %s: %d %s", ifMatch, a.Status, a.Body)
		}
	}
	put(http.StatusOK, "", "a", `"2"`)
	put(http.StatusOK, "", "b", `W/"3"`)
	put(http.StatusOK, "", "c", `*`)
	put(http.StatusOK, "", "d", "")
	for _, value := range []string{`"5"`, `"7"`, `"06"`, `"x"`, `""`, `"-6"`} {
		put(http.StatusPreconditionFailed, "stale", "e", value)
	}
	for _, value := range []string{`6`, `"6`, `"6","7"`, `six`} {
		put(http.StatusUnprocessableEntity, "invalid", "e", value)
	}
	put(http.StatusPreconditionFailed, "stale", "d", `"5"`) // also where nothing would change
	put(http.StatusOK, "", "d", `"6"`)
	if v := host.Must(t, http.StatusOK, "GET", "/v1/games/"+g.ID, nil, nil).Header.Get("ETag"); v != `"6"` {
		t.Errorf("the game stands at %s", v)
	}
}

// Bids that are made at the same time commute: those of the others since a version don't make a bid for it stale. Anything else does.
func TestSimultaneousBidsCommute(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, bidding := range []string{"hidden", "secret", "open"} {
		t.Run(bidding, func(t *testing.T) {
			t.Parallel()
			table := startedBidding(t, r, apitest.Rules{Players: 4, Bidding: bidding, Length: "five"})
			version := table.View(t, 0).Version
			order := []int{0, 1, 2, 3}
			if bidding == "open" {
				first := table.View(t, 0).Turn.Seats[0]
				order = []int{first, (first + 1) % 4}
			}
			bid := func(seat int) apitest.Answer {
				return table.Players[seat].Do(t, "POST", table.Path("/bids"), map[string]int{"tricks": 0}, header("If-Match", etag(version)))
			}
			for i, seat := range order {
				a := bid(seat)
				if bidding == "open" && i > 0 {
					if a.Code() != "stale" {
						t.Errorf("the second bid for one version: %d %s", a.Status, a.Body)
					}
					continue
				}
				if a.Status != http.StatusOK {
					t.Errorf("seat %d: %d %s", seat, a.Status, a.Body)
				}
				if a := bid(seat); a.Code() != "stale" {
					t.Errorf("a seat's second bid for one version: %d %s", a.Status, a.Body)
				}
			}
			seat := table.View(t, 0).Turn.Seats[0]
			if bidding == "open" {
				return
			}
			a := table.Players[seat].Do(t, "POST", table.Path("/plays"), map[string]any{"card": table.View(t, seat).You.Can.Play[0]}, header("If-Match", etag(version)))
			if a.Code() != "stale" {
				t.Errorf("a play for a version before the bids: %d %s", a.Status, a.Body)
			}
			// In hidden games the newest event shows the bids, in secret ones it is the last bid of another seat.
			want := map[string]string{"hidden": "stale", "secret": "wrong_phase"}[bidding]
			before := header("If-Match", etag(table.View(t, 0).Version-1))
			a = table.Players[order[0]].Do(t, "POST", table.Path("/bids"), map[string]int{"tricks": 0}, before)
			if a.Code() != want {
				t.Errorf("a bid for the version before: %d %s, want %s", a.Status, a.Body, want)
			}
		})
	}
}

// startedBidding starts games until one waits for bids at once, and returns it.
func startedBidding(t testing.TB, r *running, rules apitest.Rules) *apitest.Table {
	t.Helper()
	return startedIn(t, r, rules, "bidding")
}

// startedIn starts games until the first round of one begins in a phase, and returns it.
func startedIn(t testing.TB, r *running, rules apitest.Rules, phase string) *apitest.Table {
	t.Helper()
	table := apitest.NewTable(t, r.url, rules)
	for range 2000 { // of 15 games one begins with a wizard
		if table.View(t, 0).Round.Phase == phase {
			return table
		}
		table = apitest.Seat(t, rules, table.Players)
	}
	t.Fatalf("no game began with %s", phase)
	return nil
}

// What a move is meant for is where it lands, or nowhere.
func TestMovesForAnotherRoundOrTrick(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := startedBidding(t, r, apitest.Rules{Players: 3, Length: "five"})
	for i := range 3 {
		seat := table.View(t, 0).Turn.Seats[0]
		for _, round := range []int{2, 20} {
			table.Players[seat].Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/bids"), map[string]int{"tricks": 0, "round": round})
		}
		// round 1 has one card: two bids of 1 are allowed
		table.Players[seat].Must(t, http.StatusOK, "POST", table.Path("/bids"), map[string]int{"tricks": min(i, 1), "round": 1}, nil)
	}
	for range 3 {
		g := table.View(t, table.View(t, 0).Turn.Seats[0])
		p, c := table.Players[g.You.Seat], g.You.Can.Play[0]
		p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/plays"), map[string]any{"card": c, "round": 2, "trick": 1})
		p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/plays"), map[string]any{"card": c, "round": 1, "trick": 2})
		p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/plays"), map[string]any{"card": c, "trick": 2})
		p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/bids"), map[string]any{"tricks": 0, "round": 1})
		p.Must(t, http.StatusOK, "POST", table.Path("/plays"), map[string]any{"card": c, "round": 1, "trick": 1}, nil)
	}
	seat := table.View(t, 0).Turn.Seats[0]
	late := map[string]any{"tricks": 0, "round": 1}
	if got := table.View(t, 0).Round; got.Number != 2 {
		t.Fatalf("round %d", got.Number)
	}
	for _, path := range []string{"/bids", "/trump"} {
		body := late
		if path == "/trump" {
			body = map[string]any{"suit": "elves", "round": 1}
		}
		table.Players[seat].Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path(path), body, header("If-Match", "*"))
	}
}

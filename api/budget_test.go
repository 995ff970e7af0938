package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"mago/api/apitest"
	"mago/eventstore"
	"mago/projections"
)

// fixed are the headers that every answer carries, whatever it is of. HTTP/2, which proxies speak with phones, sends each of them once a connection.
var fixed = []string{"Date", "X-Request-Id", "X-Content-Type-Options", "Referrer-Policy", "Content-Security-Policy"}

// size is how many bytes an answer has as it is sent, without the fixed headers and the line with the status: the body, compressed where the server did so, and the
// other headers as HTTP/1.1 writes them.
func size(a apitest.Answer) int {
	n := len(a.Sent)
	for name, values := range a.Header {
		if !slices.Contains(fixed, name) {
			for _, v := range values {
				n += len(name) + len(": ") + len(v) + len("\r\n")
			}
		}
	}
	return n
}

// fetching is how an app fetches: it accepts gzip, and its answers are counted as they were sent.
func fetching(t *testing.T, c *apitest.Client) func(path string, headers ...apitest.Header) apitest.Answer {
	t.Helper()
	return func(path string, headers ...apitest.Header) apitest.Answer {
		t.Helper()
		return c.Do(t, "GET", path, nil, append(headers, header("Accept-Encoding", "gzip"))...)
	}
}

// affords fails a test where something has more bytes than its budget, and says how many it has.
func affords(t *testing.T, what string, n, budget int) {
	t.Helper()
	t.Logf("%s: %d bytes of %d", what, n, budget)
	if n > budget {
		t.Errorf("%s has %d bytes, over its budget of %d", what, n, budget)
	}
}

// A phone that asks whether there is something new, in a game or at all, and there is nothing: at most 250 bytes come back beyond the fixed headers.
func TestBudgetOfAnUnchangedPoll(t *testing.T) {
	t.Parallel()

	r := start(t, func(c *Config) { c.Limits = DefaultLimits() })
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	get := fetching(t, table.Players[0])
	game := get(table.Path(""), header("If-None-Match", get(table.Path("")).Header.Get("ETag")))
	if game.Status != http.StatusNotModified {
		t.Errorf("%d", game.Status)
	}
	affords(t, "an unchanged game", size(game), 250)
	var first synced
	get("/v1/me/sync").Decode(t, &first)
	sync := get("/v1/me/sync?since=" + first.Next)
	affords(t, "an unchanged sync", size(sync), 250)
	affords(t, "no new events", size(get(fmt.Sprintf("%s?after=%d", table.Path("/events"), table.View(t, 0).Version))), 250)
}

// What a phone fetches after each move of a game, the bare events since the version it has: at most 600 bytes of compressed body. With their hashes and salts that holds
// within a round; the move that ends one brings five events whose proofs alone are 256 random bytes. And the whole of a game, proofs and all, when all 20 rounds have
// been played: at most 90 kB.
func TestBudgetOfAGame(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	get := fetching(t, table.Players[0])
	rng := rand.New(rand.NewPCG(15, 3))
	deltas, bare := []int{}, []int{} // of moves within a round with their proofs, and of all without
	for version := table.View(t, 0).Version; r.step(t, table, rng); {
		a := get(fmt.Sprintf("%s?after=%d", table.Path("/events"), version))
		var page struct{ Items []apitest.Event }
		a.Decode(t, &page)
		bare = append(bare, len(get(fmt.Sprintf("%s?bare=true&after=%d", table.Path("/events"), version)).Sent))
		if !slices.ContainsFunc(page.Items, func(e apitest.Event) bool { return e.Type == "round_scored" }) {
			deltas = append(deltas, len(a.Sent))
		}
		version = page.Items[len(page.Items)-1].Version
	}
	slices.Sort(bare)
	t.Logf("%d moves, half of them of at most %d bytes", len(bare), bare[len(bare)/2])
	affords(t, "the largest delta of any move", bare[len(bare)-1], 600)
	affords(t, "the largest delta of a move within a round, with its proofs", slices.Max(deltas), 600)
	all := 0
	for after := 0; ; {
		a := get(fmt.Sprintf("%s?after=%d&limit=1000", table.Path("/events"), after))
		all += len(a.Sent)
		var page struct {
			NextAfter *int `json:"next_after"`
		}
		if a.Decode(t, &page); page.NextAfter == nil {
			break
		}
		after = *page.NextAfter
	}
	affords(t, "all events of 20 rounds", all, 90_000)
	lines := get(table.Path("/events"), header("Accept", "application/x-ndjson"))
	affords(t, "the same, one a line", len(lines.Sent), 90_000)
}

// A page of 50 games in play, of which a user plays with some of 12 friends: at most 6 kB of compressed body.
func TestBudgetOfAList(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	r := start(t, func(c *Config) { c.Games = projections.NewGames(c.Store, eventstore.Options{Now: h.Now}) })
	u := registerAll(t, r, 13)
	rng := rand.New(rand.NewPCG(15, 4))
	for n := range 50 {
		players := []*apitest.Client{u[0]}
		for _, i := range rng.Perm(12)[:2+n%3] {
			players = append(players, u[1+i])
		}
		rng.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
		table := apitest.Seat(t, apitest.Rules{Players: len(players)}, players)
		for range rng.IntN(40) {
			h.forward(time.Duration(rng.Int64N(int64(time.Hour))))
			r.step(t, table, rng)
		}
	}
	get := fetching(t, u[0])
	var page listed
	for _, path := range []string{"/v1/games?mine=true&limit=50", "/v1/games?limit=50", "/v1/me/sync"} {
		a := get(path)
		a.Decode(t, &page)
		if len(page.Items) != 50 {
			t.Errorf("%s: %d games", path, len(page.Items))
		}
		affords(t, path, len(a.Sent), 6_000)
	}
}

// Bare events are the same events, without what only proves them.
func TestBareEvents(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	type item struct {
		Version    int
		Data       json.RawMessage
		Hash, Salt *string
	}
	var whole, bare struct{ Items []item }
	table.Players[0].Must(t, http.StatusOK, "GET", table.Path("/events"), nil, &whole)
	table.Players[0].Must(t, http.StatusOK, "GET", table.Path("/events?bare=true"), nil, &bare)
	for i, e := range whole.Items {
		if e.Hash == nil {
			t.Errorf("version %d has no hash", e.Version)
		}
		if b := bare.Items[i]; b.Version != e.Version || string(b.Data) != string(e.Data) || b.Hash != nil || b.Salt != nil {
			t.Errorf("version %d is bare as %+v", e.Version, b)
		}
	}
	table.Players[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", table.Path("/events?bare=1"), nil)
}

package api

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// soak tells whether the large counts are asked for.
func soak() bool { return os.Getenv("MAGO_SOAK") == "1" }

// combinations are all ways of bidding, with and without foresight, and the players of a game of each.
func combinations() (out []apitest.Rules) {
	for i, bidding := range []string{"open", "plus_minus_one", "hidden", "secret"} {
		for j, foresight := range []bool{false, true} {
			out = append(out, apitest.Rules{Players: 3 + (i+2*j)%4, Bidding: bidding, Length: "five", Foresight: foresight})
		}
	}
	return out
}

func nameOf(r apitest.Rules) string {
	return fmt.Sprintf("%s foresight %v players %d", r.Bidding, r.Foresight, r.Players)
}

// watched is a game that is looked at by everybody after each move. The last viewer is no player.
type watched struct {
	*apitest.Table
	*running
	viewers []*apitest.Client
	seen    []map[int][]byte // bodies of the view by viewer and version
	glances int
}

func watch(tb testing.TB, r *running, rules apitest.Rules) *watched {
	tb.Helper()
	w := &watched{Table: apitest.NewTable(tb, r.url, rules), running: r}
	w.viewers = append(slices.Clone(w.Players), apitest.Register(tb, r.url))
	w.seen = make([]map[int][]byte, len(w.viewers))
	for i := range w.seen {
		w.seen[i] = map[int][]byte{}
	}
	return w
}

// look fetches everybody's view.
func (w *watched) look(tb testing.TB) []apitest.Game {
	tb.Helper()
	views := make([]apitest.Game, len(w.viewers))
	for i, c := range w.viewers {
		a := c.Must(tb, http.StatusOK, "GET", w.Path(""), nil, &views[i])
		w.seen[i][views[i].Version] = a.Body
		if tag := a.Header.Get("ETag"); tag != fmt.Sprintf("%q", fmt.Sprint(views[i].Version)) {
			tb.Errorf("version %d has the ETag %s", views[i].Version, tag)
		}
	}
	return views
}

// glance fetches a view of one viewer after the other and, if the game goes on, that of a seat on turn.
func (w *watched) glance(tb testing.TB, rng *rand.Rand) (onTurn apitest.Game, ok bool) {
	tb.Helper()
	views := make([]apitest.Game, 0, 2)
	w.glances++
	for viewer := w.glances % len(w.viewers); len(views) < 2; {
		var g apitest.Game
		a := w.viewers[viewer].Must(tb, http.StatusOK, "GET", w.Path(""), nil, &g)
		w.seen[viewer][g.Version] = a.Body
		if g.Turn == nil {
			return g, false
		}
		views = append(views, g)
		viewer = g.Turn.Seats[rng.IntN(len(g.Turn.Seats))]
	}
	return views[1], true
}

// move makes a legal move at random, false when the game is over.
func (w *watched) move(tb testing.TB, rng *rand.Rand) bool {
	tb.Helper()
	g, ok := w.glance(tb, rng)
	if !ok {
		return false
	}
	seat, moves := g.You.Seat, g.Moves()
	if len(moves) == 0 {
		tb.Fatalf("seat %d is on turn and can do nothing: %s", seat, w.seen[seat][g.Version])
	}
	m := moves[rng.IntN(len(moves))]
	a := w.Players[seat].Must(tb, http.StatusOK, "POST", w.Path(m.Path), m.Body, nil)
	var after apitest.Game
	a.Decode(tb, &after)
	w.seen[seat][after.Version] = a.Body
	return true
}

// records are a stream as the API shows it, put back together for the checks of the store's own package.
func records(tb testing.TB, events []apitest.Event) []eventstore.Record {
	tb.Helper()
	out := make([]eventstore.Record, len(events))
	for i, e := range events {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", e.At)
		if err != nil || e.Salt == nil {
			tb.Fatalf("event %d: time %s, salt %v", e.Version, e.At, e.Salt)
		}
		out[i] = eventstore.Record{Stream: uuid.MustParse(e.GameID), Version: e.Version, Type: e.Type, At: at.UnixMilli(), Data: e.Data}
		unhex(tb, out[i].Hash[:], e.Hash)
		unhex(tb, out[i].Salt[:], *e.Salt)
	}
	return out
}

func unhex(tb testing.TB, dst []byte, s string) {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(dst) || strings.ToLower(s) != s {
		tb.Fatalf("%q is no hex of %d bytes", s, len(dst))
	}
	copy(dst, b)
}

// fold returns the game after each of the records, the first after none.
func fold(tb testing.TB, records []eventstore.Record) []projections.Game {
	tb.Helper()
	states := make([]projections.Game, 1, len(records)+1)
	for _, r := range records {
		e, err := projections.Decode(r)
		if err != nil {
			tb.Fatal(err)
		}
		last := states[len(states)-1]
		states = append(states, projections.Game{State: game.Evolve(last.State, e, r.At), Version: r.Version, Head: r.Hash, At: r.At})
	}
	return states
}

// wantView is the body of the view that a user must be shown of a game.
func (r *running) wantView(tb testing.TB, g *projections.Game, userID string) []byte {
	tb.Helper()
	v, err := r.viewFor(tb.Context(), g, g.State.ViewerOf(userID))
	if err != nil {
		tb.Fatal(err)
	}
	body, err := encode(v)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// Whole games of every way of bidding: what was seen live, what as_of shows later, and what the stream folds to are the same; the
// stream is the same for everybody at the end, in both of its forms and in pages of any size, and its chain is whole.
func TestWholeGames(t *testing.T) {
	t.Parallel()
	r := start(t)
	for i, rules := range combinations() {
		t.Run(nameOf(rules), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			w := watch(t, r, rules)
			for w.move(t, rng) {
				if soak() {
					w.look(t)
				}
			}
			w.look(t)
			events := w.streams(t, rng)
			stream := records(t, events)
			if tip, err := eventstore.VerifyChain(uuid.MustParse(w.ID), eventstore.Tip{}, stream); err != nil || tip.Version != len(events) {
				t.Errorf("the chain ends at %d: %v", tip.Version, err)
			}
			w.pasts(t, fold(t, stream), rng)
		})
	}
}

// streams checks that everybody is shown the same finished stream however they ask, and returns it.
func (w *watched) streams(t *testing.T, rng *rand.Rand) []apitest.Event {
	t.Helper()
	events := w.viewers[0].Events(t, w.ID)
	for _, c := range w.viewers {
		if diff := cmp.Diff(events, c.Events(t, w.ID)); diff != "" {
			t.Errorf("%s is shown another stream: %s", c, diff)
		}
		a := c.Must(t, http.StatusOK, "GET", w.Path("/events?limit=1"), nil, nil, apitest.Header{Name: "Accept", Value: "application/x-ndjson"})
		if got := a.Header.Get("Content-Type"); got != "application/x-ndjson" {
			t.Errorf("content type %s", got)
		}
		var lines []apitest.Event
		for line := range bytes.Lines(a.Body) {
			var e apitest.Event
			if err := json.Unmarshal(line, &e); err != nil || line[len(line)-1] != '\n' {
				t.Fatalf("%q: %v", line, err)
			}
			lines = append(lines, e)
		}
		if diff := cmp.Diff(events, lines); diff != "" {
			t.Errorf("%s: lines differ: %s", c, diff)
		}
		after, limit := rng.IntN(len(events)+3), 1+rng.IntN(30)
		page, next := w.page(t, c, after, limit)
		want := events[min(after, len(events)):min(after+limit, len(events))]
		if diff := cmp.Diff(append([]apitest.Event{}, want...), page); diff != "" {
			t.Errorf("after %d limit %d: %s", after, limit, diff)
		}
		if more := after+limit < len(events); more != (next != nil) || more && *next != after+limit {
			t.Errorf("after %d limit %d of %d events: next_after %v", after, limit, len(events), next)
		}
	}
	return events
}

func (w *watched) page(t *testing.T, c *apitest.Client, after, limit int) (items []apitest.Event, next *int) {
	t.Helper()
	var page struct {
		Items     []apitest.Event `json:"items"`
		NextAfter *int            `json:"next_after"`
	}
	c.Must(t, http.StatusOK, "GET", w.Path(fmt.Sprintf("/events?after=%d&limit=%d", after, limit)), nil, &page)
	return page.Items, page.NextAfter
}

// pasts compares the folded states with what was seen live and what as_of shows of each version.
func (w *watched) pasts(t *testing.T, states []projections.Game, rng *rand.Rand) {
	t.Helper()
	for version := 1; version < len(states); version++ {
		for i, c := range w.viewers {
			live, seen := w.seen[i][version]
			asked := rng.IntN(oneIn(2*len(w.viewers))) == 0
			if !seen && !asked {
				continue
			}
			want := w.wantView(t, &states[version], c.Tokens.User.ID)
			if seen && !bytes.Equal(want, live) {
				t.Errorf("version %d, viewer %d: live\n%s, folded\n%s", version, i, live, want)
			}
			if !asked {
				continue
			}
			a := c.Must(t, http.StatusOK, "GET", w.Path(fmt.Sprint("?as_of=", version)), nil, nil)
			if !bytes.Equal(want, a.Body) || a.Header.Get("ETag") != etag(version) {
				t.Errorf("version %d, viewer %d: as_of shows\n%s, folded\n%s", version, i, a.Body, want)
			}
		}
	}
	last := len(states) - 1
	for i := range w.viewers {
		if _, ok := w.seen[i][last]; !ok || len(w.seen[i]) < 10 {
			t.Errorf("viewer %d saw %d versions, the end among them: %v", i, len(w.seen[i]), ok)
		}
	}
	for _, beyond := range []string{"0", "-1", fmt.Sprint(last + 1), "99999999999", "x", "1.0", ""} {
		a := w.viewers[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", w.Path("?as_of="+beyond), nil)
		if !bytes.Contains(a.Body, []byte(`"pointer":"/as_of"`)) {
			t.Errorf("as_of=%s: %s", beyond, a.Body)
		}
	}
}

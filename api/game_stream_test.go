package api

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/eventstore"
)

// listened is a live stream as it comes in.
type listened struct {
	tb     testing.TB
	answer apitest.Answer // without its body
	path   string
	lines  *bufio.Scanner
	end    func()
}

// listen opens a live stream of a game behind the version.
func listen(tb testing.TB, c *apitest.Client, game string, headers ...apitest.Header) *listened {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+"/v1/games/"+game+"/events", nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+c.Tokens.AccessToken)
	for _, h := range headers {
		req.Header.Set(h.Name, h.Value)
	}
	res, err := (&http.Client{Transport: c.HTTP.Transport}).Do(req) //nolint:bodyclose // at end; it waits as long as it takes
	if err != nil {
		tb.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		tb.Fatalf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	l := &listened{
		tb: tb, answer: apitest.Answer{Status: res.StatusCode, Header: res.Header}, path: req.URL.Path,
		lines: bufio.NewScanner(res.Body), end: func() { cancel(); _ = res.Body.Close() },
	}
	l.lines.Buffer(nil, 1<<20)
	tb.Cleanup(l.end)
	return l
}

// next waits for the next event; false when the server has ended the stream.
func (l *listened) next() (version int, name, data string, ok bool) {
	l.tb.Helper()
	for l.lines.Scan() {
		switch key, value, _ := strings.Cut(l.lines.Text(), ": "); key {
		case "id":
			version, _ = strconv.Atoi(value)
		case "event":
			name = value
		case "data":
			data = value
		case "":
			if version > 0 {
				l.answer.Body = []byte("data: " + data)
				apitest.CheckAnswer(l.tb, http.MethodGet, l.path, l.answer)
				return version, name, data, true
			}
		}
	}
	return 0, "", "", false
}

// A seat that listens gets every event once and in order, as that seat may know it then, and the stream ends with the game. Who comes back goes on where they were.
func TestLiveStream(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five", Bidding: "secret", Foresight: true})
	rng := rand.New(rand.NewPCG(3, 3))
	live := listen(t, table.Players[1], table.ID)
	seen := 0
	for playing := true; playing; {
		playing = table.Step(t, rng)
		newest := table.View(t, 1).Version
		shown := table.Players[1].Events(t, table.ID)
		for seen < newest {
			version, name, data, ok := live.next()
			if !ok || version != seen+1 {
				t.Fatalf("after version %d came %d %v", seen, version, ok)
			}
			seen = version
			var e apitest.Event
			apitest.Answer{Body: []byte(data)}.Decode(t, &e)
			if e.Version != version || e.Type != name {
				t.Errorf("event %d %s holds %s", version, name, data)
			}
			if e.Salt == nil { // still hidden when it was sent; what is shown later is never less
				continue
			}
			if diff := cmp.Diff(shown[version-1], e); diff != "" {
				t.Errorf("event %d live and in the page: %s", version, diff)
			}
		}
		if seen > 20 && seen < 30 { // the connection is lost
			live.end()
			live = listen(t, table.Players[1], table.ID, apitest.Header{Name: "Last-Event-ID", Value: strconv.Itoa(seen)})
		}
	}
	if _, name, _, ok := live.next(); ok {
		t.Errorf("%s came after the end", name)
	}
}

// A stream shows what every other answer shows: nothing of a private game to strangers, nothing without a token, and it ends with the session.
func TestLiveStreamIsForWhoMaySee(t *testing.T) {
	t.Parallel()
	r := start(t)
	host, stranger := apitest.Register(t, r.url), apitest.Register(t, r.url)
	var g apitest.Game
	host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]int{"players": 3}, "visibility": "private"}, &g)
	accept := apitest.Header{Name: "Accept", Value: "text/event-stream"}
	path := "/v1/games/" + g.ID + "/events"
	stranger.Refused(t, http.StatusNotFound, "not_found", "GET", path, nil, accept)
	apitest.New(r.url).Refused(t, http.StatusUnauthorized, "unauthenticated", "GET", path+"?access_token="+host.Tokens.AccessToken, nil, accept)
	host.Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", path, nil, accept, apitest.Header{Name: "Last-Event-ID", Value: "x"})

	guest := stranger
	guest.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/players", map[string]any{"invite_code": *g.InviteCode}, nil)
	removed, signedOut := listen(t, guest, g.ID), listen(t, host, g.ID)
	for want := 1; want <= 3; want++ {
		if v, _, _, ok := removed.next(); !ok || v != want {
			t.Fatalf("%d %v, want %d", v, ok, want)
		}
	}
	host.Must(t, http.StatusOK, "DELETE", fmt.Sprintf("/v1/games/%s/players/1", g.ID), nil, nil)
	if _, name, _, ok := removed.next(); ok {
		t.Errorf("who was removed from a private game still got %s", name)
	}
	host.Must(t, http.StatusNoContent, "POST", "/v1/auth/logout", nil, nil)
	for range 4 { // what was there before
		if _, _, _, ok := signedOut.next(); !ok {
			return
		}
	}
	if _, name, _, ok := signedOut.next(); ok {
		t.Errorf("after the session had ended came %s", name)
	}
}

func TestStatisticsOverHTTP(t *testing.T) {
	t.Parallel()
	r := start(t)
	c := apitest.Register(t, r.url)
	none := c.Must(t, http.StatusOK, "GET", "/v1/users/"+c.Tokens.User.ID+"/stats", nil, nil)
	want := `"total":{"games":0,"wins":0,"mean_score":null,"mean_place":null,"bids":0,"bids_met":0,"abandoned":0},"by_players":[],"by_option":[]}`
	if !strings.HasSuffix(string(none.Body), want) {
		t.Errorf("of who has played nothing: %s", none.Body)
	}
	c.Refused(t, http.StatusNotFound, "not_found", "GET", "/v1/users/0190b2a4-0000-7000-8000-000000000001/stats", nil)
	c.Refused(t, http.StatusNotFound, "not_found", "GET", "/v1/users/x/stats", nil)
	for _, query := range []string{"", "?players=2", "?players=7", "?players=x", "?players=4&min_games=0", "?players=4&limit=101", "?players=4&cursor=x"} {
		c.Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", "/v1/leaderboard"+query, nil)
	}
	if a := c.Must(t, http.StatusOK, "GET", "/v1/leaderboard?players=4", nil, nil); string(a.Body) != `{"items":[],"next_cursor":null}` {
		t.Errorf("an empty leaderboard: %s", a.Body)
	}
	apitest.New(r.url).Refused(t, http.StatusUnauthorized, "unauthenticated", "GET", "/v1/leaderboard?players=4", nil)
}

// HEAD asks for the headers alone: a stream that went on would keep the connection.
func TestHeadOfALiveStreamEnds(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	for range 2 { // the second on the same connection
		a := table.Players[0].Must(t, http.StatusOK, "HEAD", table.Path("/events"), nil, nil, apitest.Header{Name: "Accept", Value: "text/event-stream"})
		if a.Header.Get("Content-Type") != "text/event-stream" || len(a.Body) != 0 {
			t.Errorf("%v %q", a.Header, a.Body)
		}
	}
}

// failing is a store that can read no stream beyond a version.
type failing struct {
	eventstore.Store
	beyond int
}

func (f failing) Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]eventstore.Record, error) {
	if after >= f.beyond {
		return nil, eventstore.ErrUnavailable
	}
	return f.Store.Read(ctx, stream, after, limit)
}

// A stream of lines that breaks off in the middle must not look like the whole.
func TestLinesThatBreakOffAreNoWholeAnswer(t *testing.T) {
	t.Parallel()
	r := start(t, func(cfg *Config) { cfg.Store = failing{cfg.Store, eventsAtOnce} })
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "full"})
	for rng := rand.New(rand.NewPCG(4, 4)); r.state(t, table).Version <= eventsAtOnce; {
		if !r.step(t, table, rng) {
			t.Fatal("the game is too short for this test")
		}
	}
	a, err := table.Players[0].Send(t.Context(), http.MethodGet, table.Path("/events"), nil, apitest.Header{Name: "Accept", Value: "application/x-ndjson"})
	if err == nil {
		t.Errorf("%d bytes came as a whole answer", len(a.Body))
	}
}

package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mago/api/apitest"
)

// capped checks a refusal that says what there is too much of.
func capped(t *testing.T, a apitest.Answer, what string) {
	t.Helper()
	if a.Status != http.StatusTooManyRequests || a.Code() != "rate_limited" || a.Header.Get("Retry-After") == "" || !strings.Contains(string(a.Body), what) {
		t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
	}
}

// A user sits in so many lobbies and no more, whether they opened them or joined; what is over makes room.
func TestLobbiesAreCapped(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t, func(l *Limits) { l.Lobbies = 3 })
	u := registerAll(t, r, 2)
	rules := map[string]any{"rules": map[string]any{"players": 3}}
	own, joined := open(t, u[0], rules), open(t, u[1], rules)
	open(t, u[0], rules)
	joined.join(u[0], nil)
	capped(t, u[0].Do(t, "POST", "/v1/games", rules), "3 lobbies")
	another := open(t, u[1], rules)
	capped(t, u[0].Do(t, "POST", another.path+"/players", nil), "3 lobbies")
	u[0].Refused(t, http.StatusConflict, "already_joined", "POST", joined.path+"/players", nil)
	u[0].Must(t, http.StatusOK, "DELETE", own.path, nil, nil)
	another.join(u[0], nil)
	capped(t, u[0].Do(t, "POST", "/v1/games", rules), "3 lobbies")
	open(t, u[1], rules)
}

func TestOpenGamesAreCapped(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t, func(l *Limits) { l.OpenGames = 2 })
	u := registerAll(t, r, 3)
	rules := apitest.Rules{Players: 3, Length: "five"}
	apitest.Seat(t, rules, u)
	apitest.Seat(t, rules, u)
	capped(t, u[0].Do(t, "POST", "/v1/games", map[string]any{"rules": rules}), "2 games")
}

// Many at once find no more room than one after the other.
func TestCapsHoldAtOnce(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t, func(l *Limits) { l.Lobbies = 5 })
	c := apitest.Register(t, r.url)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for range 30 {
		wg.Go(func() {
			a, err := c.Send(context.Background(), "POST", "/v1/games", map[string]any{"rules": map[string]any{"players": 3}})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			got[a.Status]++
		})
	}
	wg.Wait()
	if got[201] != 5 || got[429] != 25 {
		t.Errorf("got %v", got)
	}
}

// A user has so many live streams and all together so many; one that ends makes room.
func TestStreamsAreCapped(t *testing.T) {
	t.Parallel()
	r, clock := startLimited(t, func(l *Limits) { l.Streams, l.AllStreams = 2, 3 })
	u := registerAll(t, r, 2)
	l := open(t, u[0], map[string]any{"rules": map[string]any{"players": 3}})
	stream := func(c *apitest.Client) (status int, retryAfter string, end func()) {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+l.path+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", mimeEventStream)
		req.Header.Set("Authorization", "Bearer "+c.Tokens.AccessToken)
		res, err := r.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		end = func() { cancel(); _ = res.Body.Close() }
		t.Cleanup(end)
		return res.StatusCode, res.Header.Get("Retry-After"), end
	}
	opened := func(c *apitest.Client, want int) func() {
		t.Helper()
		status, retryAfter, end := stream(c)
		if status != want || (want == http.StatusTooManyRequests) != (retryAfter != "") {
			t.Errorf("%d after %q, want %d", status, retryAfter, want)
		}
		return end
	}
	end := opened(u[0], 200)
	opened(u[0], 200)
	opened(u[0], 429)
	opened(u[1], 200)
	opened(u[1], 429) // all together
	for range 3 {     // HEAD is no stream
		u[1].Do(t, "HEAD", l.path+"/events", nil, header("Accept", mimeEventStream))
	}
	end()
	for status := 0; status != http.StatusOK; { // until the server has noticed
		status, _, end = stream(u[1])
		if status != http.StatusOK {
			end()
			clock.pass(time.Second) // however often it takes, no other limit is met
		}
	}
	u[0].Must(t, http.StatusOK, "GET", l.path+"/events", nil, nil) // which is no stream
}

// A request sent again is answered as it was the first time, also when what it did has used up the room.
func TestReplayBeforeCaps(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t, func(l *Limits) { l.Lobbies = 1 })
	u := registerAll(t, r, 2)
	rules := map[string]any{"rules": map[string]any{"players": 3}}
	key := header("Idempotency-Key", "k")
	first := u[0].Must(t, http.StatusCreated, "POST", "/v1/games", rules, nil, key)
	again := u[0].Must(t, http.StatusCreated, "POST", "/v1/games", rules, nil, key)
	if again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("%v", again.Header)
	}
	capped(t, u[0].Do(t, "POST", "/v1/games", rules), "1 lobbies")
	path := first.Header.Get("Location") + "/players"
	u[1].Must(t, http.StatusCreated, "POST", path, nil, nil, key)
	if again := u[1].Must(t, http.StatusCreated, "POST", path, nil, nil, key); again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%v", again.Header)
	}
}

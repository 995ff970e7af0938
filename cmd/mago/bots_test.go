package main

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mago/api/apitest"
	"mago/eventstore/testdb"
)

// botsThroughCrashes plays games of one person and bots on two servers, each of which is killed now and then in the middle of the bots' moves. Another
// goes on with them: the person is always waited for in the end, and the streams have each move once.
func botsThroughCrashes(t *testing.T, binary string) {
	t.Helper()
	db := testdb.New(t)
	servers := []*process{mustLaunch(t, binary, "127.0.0.1:0", db), mustLaunch(t, binary, "127.0.0.1:0", db)}
	host := apitest.Register(t, servers[0].url)
	host.HTTP.Timeout = 30 * time.Second
	for n := range soak(1, 10) {
		var g apitest.Game
		host.Must(t, http.StatusCreated, http.MethodPost, "/v1/games", map[string]any{"rules": map[string]any{
			"players": 4, "length": "five", "bidding": []string{"secret", "open"}[n%2],
		}}, &g)
		for _, level := range []string{"standard", "easy", "standard"} {
			host.Must(t, http.StatusCreated, http.MethodPost, "/v1/games/"+g.ID+"/bots", map[string]string{"level": level}, &g)
		}
		rng := rand.New(rand.NewPCG(8, uint64(n)))
		for next := rng.IntN(4); ; next-- {
			if next == 0 {
				next = 1 + rng.IntN(6)
				killed := rng.IntN(2)
				addr := strings.TrimPrefix(servers[killed].url, "http://")
				servers[killed].kill(t)
				servers[killed] = mustLaunch(t, binary, addr, db)
			}
			host.Base = servers[rng.IntN(2)].url
			if g = awaitTurn(t, host, g.ID); g.Turn == nil {
				break
			}
			moves := g.Moves()
			m := moves[rng.IntN(len(moves))]
			host.Must(t, http.StatusOK, http.MethodPost, "/v1/games/"+g.ID+m.Path, m.Body, nil)
		}
		if g.Status != "finished" {
			t.Errorf("the game ended as %s", g.Status)
		}
	}
	for _, p := range servers {
		if err := p.end(t); err != nil {
			t.Errorf("ended with %v\n%s", err, p.log)
		}
	}
	inspect(t, db)
}

// awaitTurn looks at a game until its caller is on turn or it is over.
func awaitTurn(t *testing.T, c *apitest.Client, id string) (g apitest.Game) {
	t.Helper()
	for {
		c.Must(t, http.StatusOK, http.MethodGet, "/v1/games/"+id, nil, &g)
		if g.Turn == nil || slices.Contains(g.Turn.Seats, g.You.Seat) {
			return g
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the test's time is over")
		}
	}
}

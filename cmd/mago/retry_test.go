package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/eventstore/testdb"
)

// retries plays games of which every POST is sent two to ten times at once with one key, each copy to any of two servers until it is answered, while the
// servers are killed. Each is done once, and all of its copies get the same answer.
func retries(t *testing.T, binary string) {
	t.Helper()
	db := testdb.New(t)
	processes, urls := servers(t, binary, db, 2)
	l := &load{servers: urls, more: make(chan struct{}, 1), stop: make(chan struct{})}
	players := make([]*apitest.Client, 3)
	for i := range players {
		players[i] = apitest.Register(t, urls[i%2])
	}
	for table := range 3 {
		l.wg.Go(func() {
			for n := uint64(0); !t.Failed(); n++ { //nolint:intrange // it ends from outside
				l.playInVolleys(t, players, rand.New(rand.NewPCG(uint64(table), n)))
				select {
				case <-l.stop:
					return
				default:
				}
			}
		})
	}
	kills := soak(4, 40)
	for i := range kills {
		l.await(t, 5+rand.IntN(20))
		processes[i%2].kill(t)
		l.await(t, 5)
		processes[i%2] = mustLaunch(t, binary, strings.TrimPrefix(urls[i%2], "http://"), db)
	}
	close(l.stop)
	l.wg.Wait()
	endAll(t, processes...)
	t.Logf("killed %d times; %d requests, each sent 2 to 10 times; %d answers of 503, %d copies cut off", kills, l.acked.Load(), l.away.Load(), l.cut.Load())
	inspect(t, db)
	store := testdb.Open(t, db)
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	if kept := dump(t, store, `SELECT count(*) FROM idempotency_keys`); len(kept) != 1 || kept[0] != fmt.Sprint(l.acked.Load()) {
		t.Errorf("%d requests were answered, %s are kept", l.acked.Load(), kept)
	}
}

// playInVolleys plays a game and looks whether each move was made once.
func (l *load) playInVolleys(t *testing.T, players []*apitest.Client, rng *rand.Rand) {
	t.Helper()
	var g apitest.Game
	create := map[string]any{"rules": apitest.Rules{Players: 3, Length: "five", Bidding: []string{"open", "secret"}[rng.IntN(2)]}}
	if !l.volley(t, rng, players[0], http.StatusCreated, "/v1/games", create, &g) {
		return
	}
	table := &contest{Table: &apitest.Table{ID: g.ID, Players: players}, load: l, told: make([]int, len(players))}
	for _, p := range players[1:] {
		if !l.volley(t, rng, p, http.StatusCreated, table.Path("/players"), map[string]string{}, &g) {
			return
		}
	}
	moves := 0
	for seat := 0; ; seat = (seat + 1) % len(players) {
		view := table.see(t, seat)
		if view == nil || view.Turn == nil {
			break
		}
		can := view.Moves()
		if len(can) == 0 {
			continue
		}
		m := can[rng.IntN(len(can))]
		if !l.volley(t, rng, players[seat], http.StatusOK, table.Path(m.Path), m.Body, &g) {
			return
		}
		moves++
	}
	for _, e := range l.events(t, players[0], table.ID) {
		if e.Type == "bid_placed" || e.Type == "card_played" || e.Type == "trump_set" && strings.Contains(string(e.Data), `"by":"dealer"`) {
			moves--
		}
	}
	if moves != 0 {
		t.Errorf("%d more moves were answered than were made", moves)
	}
}

// volley sends a request many times at once with one key, each copy until it is answered, and reads the answer that all of them got into v. False says
// that the test has failed.
func (l *load) volley(t *testing.T, rng *rand.Rand, c *apitest.Client, status int, path string, body, v any) bool {
	t.Helper()
	key := apitest.Header{Name: "Idempotency-Key", Value: uuid.NewString()}
	answers := make([]apitest.Answer, 2+rng.IntN(9))
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			for began := time.Now(); !t.Failed(); <-time.After(20 * time.Millisecond) {
				a, answered := l.send(t, c, http.MethodPost, path, body, key)
				if answered && a.Code() != "idempotency_in_progress" {
					answers[i] = a
					return
				}
				if time.Since(began) > tooLong {
					t.Errorf("%s is not answered", path)
				}
			}
		})
	}
	wg.Wait()
	firsts := 0
	for _, a := range answers {
		if a.Status != status || !bytes.Equal(a.Body, answers[0].Body) || a.Header.Get("ETag") != answers[0].Header.Get("ETag") {
			t.Errorf("%s: %d %s\nand %d %s", path, answers[0].Status, answers[0].Body, a.Status, a.Body)
		}
		if a.Header.Get("Idempotency-Replayed") == "" {
			firsts++
		}
	}
	if t.Failed() {
		return false
	}
	if firsts > 1 {
		t.Errorf("%s: %d of %d answers are no replay", path, firsts, len(answers))
	}
	answers[0].Decode(t, v)
	l.acked.Add(1)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return true
}

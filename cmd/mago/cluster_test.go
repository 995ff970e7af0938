package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mago/api/apitest"
	"mago/eventstore/postgres/pgtest"
	"mago/eventstore/testdb"
)

// Several servers on one PostgreSQL, and what becomes of them when it fails.
func TestCluster(t *testing.T) {
	t.Parallel()
	if !testdb.Postgres() {
		t.Skip("servers on PostgreSQL are tested by `make test`, or by MAGO_TEST_ENGINE=postgres go test ./cmd/mago")
	}
	pgtest.Need(t)
	binary := build(t)
	t.Run("four servers", func(t *testing.T) { t.Parallel(); fourServers(t, binary) })
	t.Run("many due", func(t *testing.T) { t.Parallel(); manyDue(t, binary) })
	t.Run("one of two killed", func(t *testing.T) { t.Parallel(); oneKilled(t, binary) })
	t.Run("replies cut", func(t *testing.T) { t.Parallel(); repliesCut(t, binary) })
	t.Run("database restarted", func(t *testing.T) { t.Parallel(); databaseRestarted(t, binary) })
	t.Run("database hangs", func(t *testing.T) { t.Parallel(); databaseHangs(t, binary) })
	t.Run("connections exhausted", func(t *testing.T) { t.Parallel(); connectionsExhausted(t, binary) })
	t.Run("primary lost", func(t *testing.T) { t.Parallel(); primaryLost(t, binary) })
}

// servers starts servers on one database.
func servers(t *testing.T, binary, db string, n int) (processes []*process, urls []string) {
	t.Helper()
	for range n {
		p := mustLaunch(t, binary, "127.0.0.1:0", db)
		processes, urls = append(processes, p), append(urls, p.url)
	}
	return processes, urls
}

// endAll ends servers, which must still be there and end well.
func endAll(t *testing.T, processes ...*process) {
	t.Helper()
	for i, p := range processes {
		if err := p.end(t); err != nil {
			t.Errorf("server %d ended with %v", i, err)
		}
		if strings.Contains(p.log.String(), "panic") {
			t.Errorf("server %d panicked", i)
		}
	}
}

func fourServers(t *testing.T, binary string) {
	t.Helper()
	db := pgtest.New(t)
	processes, urls := servers(t, binary, db, 4)
	t.Run("at once", func(t *testing.T) {
		t.Run("one game", func(t *testing.T) { t.Parallel(); oneGame(t, urls) })
		t.Run("sessions", func(t *testing.T) { t.Parallel(); sessionEnds(t, urls) })
		t.Run("streams", func(t *testing.T) { t.Parallel(); streamElsewhere(t, urls) })
		t.Run("many games", func(t *testing.T) { t.Parallel(); manyGames(t, urls) })
	})
	endAll(t, processes...)
	inspect(t, db)
}

// manyGames plays games of which each request takes any of the servers.
func manyGames(t *testing.T, urls []string) {
	t.Helper()
	l := startLoad(t, soak(10, 40), urls...)
	l.await(t, soak(100, 20_000)) // some 70 a game
	l.finish(t)
	if l.away.Load() > 0 || l.cut.Load() > 0 {
		t.Error("not every request was answered")
	}
}

// oneGame sends every move of a game to all servers at once: one of them says yes, the others that it is too late.
func oneGame(t *testing.T, urls []string) {
	t.Helper()
	table := apitest.NewTable(t, urls[0], apitest.Rules{Players: 3, Length: "five"})
	rng := rand.New(rand.NewPCG(2, 2))
	told := make([]int, len(table.Players))
	won := make(map[int]int) // version to the answers that brought the game there
	for tries := 0; ; tries++ {
		seat := tries % len(table.Players)
		own := through(table.Players[seat], urls[rng.IntN(len(urls))])
		var view apitest.Game
		own.Must(t, http.StatusOK, http.MethodGet, table.Path(""), nil, &view)
		if view.Version < told[seat] {
			t.Fatalf("seat %d sees version %d after %d", seat, view.Version, told[seat])
		}
		told[seat] = view.Version
		if view.Turn == nil {
			break
		}
		moves := view.Moves()
		if len(moves) == 0 {
			continue
		}
		answers := make([]apitest.Answer, len(urls))
		var wg sync.WaitGroup
		for i, url := range urls {
			m := moves[rng.IntN(len(moves))]
			wg.Go(func() {
				a, err := through(table.Players[seat], url).Send(t.Context(), http.MethodPost, table.Path(m.Path), m.Body, matching(view.Version))
				if err != nil {
					t.Error(err)
				}
				answers[i] = a
			})
		}
		wg.Wait()
		winners := 0
		for i, a := range answers {
			switch {
			case a.Status == http.StatusOK:
				var after apitest.Game
				a.Decode(t, &after)
				won[after.Version]++
				told[seat] = max(told[seat], after.Version)
				winners++
			case a.Status < 400 || a.Status > 499 || a.Code() == "":
				t.Errorf("server %d: %d %s", i, a.Status, a.Body)
			}
		}
		if winners != 1 {
			t.Fatalf("version %d: %d winners of %d", view.Version, winners, len(urls))
		}
	}
	for version, n := range won {
		if n != 1 {
			t.Errorf("%d answers brought the game to version %d", n, version)
		}
	}
	t.Logf("%d moves, each sent to %d servers", len(won), len(urls))
}

func matching(version int) apitest.Header {
	return apitest.Header{Name: "If-Match", Value: strconv.Quote(strconv.Itoa(version))}
}

// through is a client that talks to another server.
func through(c *apitest.Client, url string) *apitest.Client {
	other := *c
	other.Base = url
	return &other
}

// sessionEnds ends a session on one server while it is used on the others. Whatever was asked two seconds after that is refused.
func sessionEnds(t *testing.T, urls []string) {
	t.Helper()
	c := apitest.Register(t, urls[0])
	for _, url := range urls { // which believe in it now
		through(c, url).Must(t, http.StatusOK, http.MethodGet, "/v1/me", nil, nil)
	}
	c.Must(t, http.StatusNoContent, http.MethodPost, "/v1/auth/logout", nil, nil)
	ended := time.Now()
	c.Refused(t, http.StatusUnauthorized, "unauthenticated", http.MethodGet, "/v1/me", nil)
	var wg sync.WaitGroup
	for i, url := range urls[1:] {
		wg.Go(func() {
			for {
				asked := time.Since(ended)
				a, err := through(c, url).Send(t.Context(), http.MethodGet, "/v1/me", nil)
				if err == nil && a.Status == http.StatusUnauthorized {
					t.Logf("server %d refused what was asked after %v", i+1, asked.Round(time.Millisecond))
					return
				}
				if err != nil || a.Status != http.StatusOK || asked > 2*time.Second {
					t.Errorf("server %d, asked %v after the end: %d %s %v", i+1, asked, a.Status, a.Body, err)
					return
				}
				<-time.After(20 * time.Millisecond)
			}
		})
	}
	wg.Wait()
}

// streamElsewhere waits for events at each server while the moves are made through others.
func streamElsewhere(t *testing.T, urls []string) {
	t.Helper()
	table := apitest.NewTable(t, urls[0], apitest.Rules{Players: 3, Length: "five"})
	before := table.View(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), tooLong)
	defer cancel()
	streams := make([]*bufio.Scanner, len(urls))
	for i, url := range urls {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s%s?after=%d", url, table.Path("/events"), before.Version), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Authorization", "Bearer "+table.Players[i%3].Tokens.AccessToken)
		res, err := table.Players[0].HTTP.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		streams[i] = bufio.NewScanner(res.Body)
	}
	var slowest time.Duration
	for n := range soak(6, 40) {
		seat := table.View(t, 0).Turn.Seats[0]
		own := table.View(t, seat)
		m := own.Moves()[0]
		var after apitest.Game
		through(table.Players[seat], urls[n%len(urls)]).Must(t, http.StatusOK, http.MethodPost, table.Path(m.Path), m.Body, &after)
		began := time.Now()
		for i, s := range streams {
			if !reaches(s, after.Version) {
				t.Fatalf("the stream of server %d ended: %v", i, s.Err())
			}
			slowest = max(slowest, time.Since(began))
		}
	}
	t.Logf("the slowest event came after %v", slowest.Round(time.Millisecond))
}

// reaches reads a live stream until an event of the version comes.
func reaches(s *bufio.Scanner, version int) bool {
	for s.Scan() {
		if s.Text() == fmt.Sprint("id: ", version) {
			return true
		}
	}
	return false
}

// oneKilled kills one of two servers in the middle of the load; the other goes on, and so does the first when it comes again.
func oneKilled(t *testing.T, binary string) {
	t.Helper()
	db := pgtest.New(t)
	processes, urls := servers(t, binary, db, 2)
	l := startLoad(t, 4, urls...)
	for i := range soak(2, 20) {
		l.await(t, 5+rand.IntN(60))
		victim := i % 2
		processes[victim].kill(t)
		took := l.await(t, 20)
		t.Logf("20 moves through the other server took %v", took.Round(time.Millisecond))
		processes[victim] = mustLaunch(t, binary, strings.TrimPrefix(urls[victim], "http://"), db)
	}
	l.finish(t)
	if n := l.away.Load(); n > 0 {
		t.Errorf("%d answers of 503, and the database was never away", n)
	}
	endAll(t, processes...)
	inspect(t, db)
}

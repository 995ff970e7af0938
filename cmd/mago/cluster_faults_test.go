package main

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"mago/api/apitest"
	"mago/eventstore/postgres/pgtest"
	"mago/eventstore/testdb"
)

// repliesCut cuts connections to the database in the middle of appends, so that nobody knows whether they were committed.
func repliesCut(t *testing.T, binary string) {
	t.Helper()
	db := pgtest.New(t)
	proxy := pgtest.NewProxy(t, db)
	p := mustLaunch(t, binary, "127.0.0.1:0", proxy.URL)
	l := startLoad(t, 4, p.url)
	cuts := soak(5, 500)
	for n := range cuts {
		fault := pgtest.CutReply
		if n%5 == 4 {
			fault = pgtest.Fault(1 + rand.IntN(4))
		}
		proxy.Next(fault, []string{"card_played", "bid_placed"}[rand.IntN(2)])
		l.await(t, 1+rand.IntN(10))
		for proxy.Due() {
			l.await(t, 1)
		}
	}
	took := l.await(t, 5)
	l.finish(t)
	t.Logf("cut %d times; 5 moves after the last took %v", cuts, took.Round(time.Millisecond))
	endAll(t, p)
	inspect(t, db)
}

// own starts a cluster of the test's own, with a fault proxy before it.
func own(t *testing.T, settings ...string) *pgtest.Cluster {
	t.Helper()
	c, err := pgtest.Start(false, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// databaseRestarted lets the database crash under load and come again.
func databaseRestarted(t *testing.T, binary string) {
	t.Helper()
	cluster := own(t)
	processes, urls := servers(t, binary, cluster.URL("postgres"), 2)
	l := startLoad(t, 4, urls...)
	left := startDeserted(t, l)
	for range soak(2, 10) {
		l.await(t, 20+rand.IntN(40))
		if err := cluster.Crash(); err != nil {
			t.Fatal(err)
		}
		for _, url := range urls {
			isAway(t, url)
		}
		if err := cluster.Start(); err != nil {
			t.Fatal(err)
		}
		t.Logf("back %v after the database", l.await(t, 3).Round(time.Millisecond))
		for _, url := range urls {
			comesBack(t, url)
		}
	}
	l.finish(t)
	if view := left.see(t, 0); view == nil || view.Status != "finished" {
		t.Errorf("the game that bots played on: %+v", view)
	}
	endAll(t, processes...)
	inspect(t, cluster.URL("postgres"))
}

// startDeserted starts a game in which bots play for all but one: they must go on when the database is back.
func startDeserted(t *testing.T, l *load) *contest {
	t.Helper()
	table := apitest.NewTable(t, l.servers[0], apitest.Rules{Players: 3, Length: "full"})
	for _, p := range table.Players[1:] {
		p.Must(t, http.StatusNoContent, http.MethodDelete, "/v1/me", map[string]string{"password": apitest.Password}, nil)
	}
	g := &contest{Table: table, load: l, told: make([]int, 3)}
	l.wg.Go(func() {
		for view := g.see(t, 0); view != nil && view.Turn != nil; view = g.see(t, 0) {
			if moves := view.Moves(); len(moves) > 0 {
				g.move(t, view, moves[0])
			} else {
				<-time.After(10 * time.Millisecond)
			}
		}
	})
	return g
}

// isAway checks how a server shows that its database is away. It asks the database once a second.
func isAway(t *testing.T, url string) {
	t.Helper()
	c := apitest.New(url)
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		asked := time.Since(began)
		a := c.Do(t, http.MethodGet, "/readyz", nil)
		c.Must(t, http.StatusOK, http.MethodGet, "/healthz", nil, nil)
		if a.Status == http.StatusServiceUnavailable && a.Code() == "unavailable" && a.Header.Get("Retry-After") != "" {
			t.Logf("/readyz said so to what was asked after %v", asked.Round(time.Millisecond))
			return
		}
		if a.Status != http.StatusOK || asked > 2*time.Second {
			t.Fatalf("/readyz asked after %v: %d %v %s", asked, a.Status, a.Header, a.Body)
		}
	}
}

// comesBack returns when a server is ready.
func comesBack(t *testing.T, url string) {
	t.Helper()
	c := apitest.New(url)
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		a := c.Do(t, http.MethodGet, "/readyz", nil)
		if a.Status == http.StatusOK {
			return
		}
		if a.Status != http.StatusServiceUnavailable || time.Since(began) > tooLong {
			t.Fatalf("/readyz: %d %s", a.Status, a.Body)
		}
	}
}

// databaseHangs lets nothing pass to the database and back for a while, as if its machine were gone.
func databaseHangs(t *testing.T, binary string) {
	t.Helper()
	db := pgtest.New(t)
	proxy := pgtest.NewProxy(t, db)
	p := mustLaunch(t, binary, "127.0.0.1:0", proxy.URL)
	table := apitest.NewTable(t, p.url, apitest.Rules{Players: 3, Length: "five"})
	l := startLoad(t, 4, p.url)
	for range soak(1, 5) {
		l.await(t, 20+rand.IntN(40))
		want := l.away.Load() + 4
		proxy.Hold()
		isAway(t, p.url)
		var wg sync.WaitGroup
		for _, ask := range []struct {
			method, path string
			body         any
		}{
			{http.MethodGet, table.Path(""), nil},
			{http.MethodGet, "/v1/games?mine=true", nil},
			{http.MethodPost, "/v1/games", map[string]any{"rules": apitest.Rules{Players: 3}}},
			{http.MethodGet, table.Path("/events"), nil},
		} {
			wg.Go(func() {
				began := time.Now()
				a, err := table.Players[0].Send(t.Context(), ask.method, ask.path, ask.body)
				if err != nil || a.Status != http.StatusServiceUnavailable || a.Code() != "unavailable" || a.Header.Get("Retry-After") == "" {
					t.Errorf("%s %s: %d %s %v", ask.method, ask.path, a.Status, a.Body, err)
				}
				t.Logf("%s %s: 503 after %v", ask.method, ask.path, time.Since(began).Round(time.Millisecond))
			})
		}
		wg.Wait()
		for l.away.Load() < want { // what was under way when all fell silent
			<-time.After(20 * time.Millisecond)
		}
		proxy.Release()
		t.Logf("back %v after the database", l.await(t, 3).Round(time.Millisecond))
		comesBack(t, p.url)
	}
	l.finish(t)
	if l.cut.Load() > 0 {
		t.Error("not every request was answered")
	}
	endAll(t, p)
	inspect(t, db)
}

// connectionsExhausted keeps all connections that write waiting for a lock. What needs none goes on; the rest is refused for the moment.
func connectionsExhausted(t *testing.T, binary string) {
	t.Helper()
	db := pgtest.New(t)
	p := mustLaunch(t, binary, "127.0.0.1:0", db)
	l := startLoad(t, 4, p.url)
	c := apitest.Register(t, p.url)
	table := apitest.NewTable(t, p.url, apitest.Rules{Players: 3, Length: "five"})
	store := testdb.Open(t, db)
	defer store.Close()
	for range soak(1, 5) {
		l.await(t, 20)
		tx, err := store.Writer().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), `LOCK TABLE streams IN EXCLUSIVE MODE`); err != nil {
			t.Fatal(err)
		}
		const wanted = 40 // more than there are connections
		refused := make(chan struct{}, wanted)
		var made sync.Map
		var wg sync.WaitGroup
		for range wanted {
			wg.Go(func() {
				a, ok := l.send(t, c, http.MethodPost, "/v1/games", map[string]any{"rules": apitest.Rules{Players: 3}})
				switch {
				case !ok:
					refused <- struct{}{}
				case a.Status == http.StatusCreated:
					made.Store(a.Header.Get("Location"), true)
				default:
					t.Errorf("%d %s", a.Status, a.Body)
				}
			})
		}
		<-refused
		table.View(t, 0)
		c.Must(t, http.StatusOK, http.MethodGet, "/readyz", nil, nil)
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		t.Logf("back %v after the lock was gone", l.await(t, 3).Round(time.Millisecond))
		wg.Wait()
		close(refused)
		made.Range(func(path, _ any) bool {
			c.Must(t, http.StatusOK, http.MethodGet, path.(string), nil, nil)
			return true
		})
		t.Logf("%d of %d games were refused", len(refused)+1, wanted)
	}
	l.finish(t)
	if l.cut.Load() > 0 {
		t.Error("not every request was answered")
	}
	endAll(t, p)
	inspect(t, db)
}

// primaryLost kills the primary for ever; its synchronous standby takes its place, and the servers find it by themselves.
func primaryLost(t *testing.T, binary string) {
	t.Helper()
	primary := own(t)
	standby, err := primary.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	processes, urls := servers(t, binary, primary.EitherURL(standby, "postgres")+"&target_session_attrs=read-write", 2)
	l := startLoad(t, 4, urls...)
	l.await(t, soak(60, 1000))
	if err := primary.Crash(); err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		isAway(t, url)
	}
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	t.Logf("back %v after the standby was promoted", l.await(t, 3).Round(time.Millisecond))
	for _, url := range urls {
		comesBack(t, url)
	}
	l.await(t, soak(30, 300))
	l.finish(t)
	endAll(t, processes...)
	inspect(t, standby.URL("postgres"))
}

package api

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"mago/api/apitest"
	"mago/api/auth"
	"mago/eventstore/testdb"
)

// While many wait to sign in, games go on: their moves are answered before most of the logins are.
func TestLoginStormLeavesTheTablesAlone(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *Config) {
		store, _ := c.Store.(testdb.Store)
		var err error
		c.Auth, err = auth.New(t.Context(), auth.Config{Reader: store.Reader(), Writer: store.Writer(), Hash: auth.HashParams{Memory: 64 << 10, Passes: 3, Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
	})
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	const logins = 24
	var answered atomic.Int64
	var wg sync.WaitGroup
	first := make(chan struct{}, logins)
	for range logins {
		wg.Go(func() {
			a, err := apitest.New(r.url).Send(context.Background(), "POST", "/v1/auth/login", map[string]string{"username": "nobody", "password": "not the password"})
			if err != nil || a.Status != http.StatusUnauthorized && a.Status != http.StatusServiceUnavailable {
				t.Errorf("%d %s %v", a.Status, a.Body, err)
			}
			answered.Add(1)
			first <- struct{}{}
		})
	}
	<-first
	before := answered.Load()
	rng := rand.New(rand.NewPCG(5, 5))
	for range 10 {
		table.Step(t, rng)
	}
	if during := answered.Load(); before > logins/2 || during == logins {
		t.Errorf("%d of %d logins were answered before ten moves and %d behind them", before, logins, during)
	}
	wg.Wait()
}

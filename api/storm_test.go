package api

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"mago/api/apitest"
	"mago/api/auth"
	"mago/eventstore/testdb"
)

// While many sign in again and again, games go on: every move is made.
func TestLoginStormLeavesTheTablesAlone(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *Config) {
		store, _ := c.Store.(testdb.Store)
		var err error
		c.Auth, err = auth.New(t.Context(), auth.Config{Reader: store.Reader(), Writer: store.Writer(), Hash: auth.HashParams{Memory: 16 << 10, Passes: 1, Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
	})
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	over, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	begun := make(chan struct{}, 24)
	for range cap(begun) { // many times what is hashed at once, and each comes again as soon as it is answered
		wg.Go(func() {
			begun <- struct{}{}
			for over.Err() == nil {
				a, err := apitest.New(r.url).Send(over, "POST", "/v1/auth/login", map[string]string{"username": "nobody", "password": "not the password"})
				if err == nil && a.Status != http.StatusUnauthorized && a.Status != http.StatusServiceUnavailable {
					t.Errorf("%d %s", a.Status, a.Body)
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 10 {
		table.Step(t, rng) // none is answered with 503
	}
	stop()
	wg.Wait()
}

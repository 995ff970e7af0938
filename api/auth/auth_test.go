package auth_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mago/api/auth"
	"mago/eventstore/testdb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick is enough for tests, where nobody guesses passwords.
var quick = auth.HashParams{Memory: 8, Passes: 1, Threads: 1}

const password = "a fine password"

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// database returns a store of its own with the current schema.
func database(t *testing.T) testdb.Store {
	t.Helper()
	store := testdb.Open(t, testdb.New(t))
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// service is one server's service over a database; several may share one.
func service(t *testing.T, store testdb.Store, c *clock, change ...func(*auth.Config)) *auth.Service {
	t.Helper()
	cfg := auth.Config{Reader: store.Reader(), Writer: store.Writer(), Now: c.now, Hash: quick}
	for _, f := range change {
		f(&cfg)
	}
	s, err := auth.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// setup is a service alone and its clock.
func setup(t *testing.T) (*auth.Service, *clock) {
	t.Helper()
	c := newClock()
	return service(t, database(t), c), c
}

func register(t *testing.T, s *auth.Service, username string) auth.Tokens {
	t.Helper()
	tokens, err := s.Register(t.Context(), username, password, "")
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func identity(t *testing.T, s *auth.Service, access string) auth.Identity {
	t.Helper()
	who, err := s.Authenticate(t.Context(), access)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// wantErr checks that err is want, nil included.
func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func TestNewRefusesSillyLifetimes(t *testing.T) {
	t.Parallel()
	for _, cfg := range []auth.Config{{AccessLifetime: time.Millisecond}, {AccessLifetime: -time.Hour}, {AccessLifetime: time.Hour, RefreshLifetime: time.Minute}} {
		if _, err := auth.New(context.Background(), cfg); err == nil {
			t.Errorf("%v and %v accepted", cfg.AccessLifetime, cfg.RefreshLifetime)
		}
	}
}

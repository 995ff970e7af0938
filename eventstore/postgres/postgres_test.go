package postgres

import (
	"crypto/rand"
	"flag"
	"os"
	"testing"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
	"mago/eventstore/storetest"
	"mago/migrations"
)

// TestMain sets how many random runs there are, unless -rapid.checks does. And nothing may go on running afterwards.
func TestMain(m *testing.M) {
	checks := "20"
	if os.Getenv("MAGO_SOAK") != "" {
		checks = "500"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(pgtest.M{M: m})
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) func() storetest.DB {
		t.Helper()
		url := pgtest.New(t)
		return func() storetest.DB { return mustOpen(t, url, Options{}) }
	})
}

func mustOpen(t testing.TB, url string, opts Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// opened returns a store on a new database, closed when the test ends.
func opened(t testing.TB, opts Options) *Store {
	t.Helper()
	return openedAt(t, pgtest.New(t), opts)
}

func openedAt(t testing.TB, url string, opts Options) *Store {
	t.Helper()
	s := mustOpen(t, url, opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// batch seals n events behind the tip of a stream.
func batch(t testing.TB, stream uuid.UUID, tip eventstore.Tip, n int) eventstore.Batch {
	t.Helper()
	events := make([]eventstore.Event, n)
	for i := range events {
		events[i] = eventstore.Event{Type: "card_played", Data: []byte(`{"auto":null,"card":"E13","round":7,"seat":2,"trick":3}`)}
	}
	records, err := eventstore.Seal(stream, tip, 1_700_000_000_000, rand.Reader, events)
	if err != nil {
		t.Fatal(err)
	}
	return eventstore.Batch{Records: records, Command: uuid.New()}
}

// migrated gives a database its tables.
func migrated(t testing.TB, url string) {
	t.Helper()
	target, err := migrations.Postgres(url)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), target); err != nil {
		t.Fatal(err)
	}
}

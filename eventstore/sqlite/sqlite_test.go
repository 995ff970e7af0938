package sqlite

import (
	"crypto/rand"
	"database/sql"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"mago/eventstore"
	"mago/eventstore/storetest"
	"mago/migrations"
)

// TestMain sets how many random runs there are, unless -rapid.checks does: each costs many commits. And nothing may go on running afterwards.
func TestMain(m *testing.M) {
	checks := "10"
	if os.Getenv("MAGO_SOAK") != "" {
		checks = "500"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) func() storetest.DB {
		t.Helper()
		path := migrated(t)
		return func() storetest.DB { return mustOpen(t, path, Options{}) }
	})
}

// migrated returns the path of a new database that has its tables.
func migrated(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "test.db")
	if err := migrations.Up(tb.Context(), migrations.SQLite(path)); err != nil {
		tb.Fatal(err)
	}
	return path
}

func mustOpen(tb testing.TB, path string, opts Options) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), path, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// opened returns a store on a new database, closed when the test ends.
func opened(tb testing.TB, opts Options) *Store {
	tb.Helper()
	s := mustOpen(tb, migrated(tb), opts)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// batch seals n events behind the tip of a stream.
func batch(tb testing.TB, stream uuid.UUID, tip eventstore.Tip, n int) eventstore.Batch {
	tb.Helper()
	events := make([]eventstore.Event, n)
	for i := range events {
		events[i] = eventstore.Event{Type: "card_played", Data: []byte(`{"auto":null,"card":"E13","round":7,"seat":2,"trick":3}`)}
	}
	records, err := eventstore.Seal(stream, tip, 1_700_000_000_000, rand.Reader, events)
	if err != nil {
		tb.Fatal(err)
	}
	return eventstore.Batch{Records: records, Command: uuid.New()}
}

// raw opens the store's file with a connection that has none of the store's settings.
func raw(t *testing.T, s *Store) *sql.DB {
	t.Helper()
	var path string
	if err := s.Reader().QueryRow(`SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	for _, c := range []struct {
		db           *sql.DB
		pragma, want string
	}{
		{s.Writer(), "journal_mode", "wal"},
		{s.Writer(), "synchronous", "2"},
		{s.Writer(), "foreign_keys", "1"},
		{s.Writer(), "busy_timeout", "5000"},
		{s.Reader(), "query_only", "1"},
		{s.Reader(), "busy_timeout", "5000"},
	} {
		var got string
		if err := c.db.QueryRow("PRAGMA " + c.pragma).Scan(&got); err != nil || got != c.want {
			t.Errorf("%s is %s, %v; want %s", c.pragma, got, err, c.want)
		}
	}
}

// TestReplace: REPLACE deletes what it clashes with and runs no delete trigger, so the insert itself must be refused.
func TestReplace(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	stream, other := uuid.New(), uuid.New()
	b := batch(t, stream, eventstore.Tip{}, 3)
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	const columns = ` INTO events (position, stream_id, version, type, at, cmd_id, data, hash, private) `
	const values = `VALUES ($1, $2, $3, 'x', 0, $4, x'7b7d', zeroblob(32), zeroblob(16))`
	id, command := stream.String(), b.Command.String()
	for name, args := range map[string][]any{
		"version":                  {nil, id, 2, nil},
		"last version":             {nil, id, 3, nil},
		"position":                 {2, id, 4, nil},
		"position, another stream": {3, other.String(), 1, nil},
		"position 0":               {0, id, 4, nil},
		"command":                  {nil, id, 4, command},
		"a gap":                    {nil, id, 5, nil},
	} {
		for _, db := range []*sql.DB{s.Writer(), raw(t, s)} {
			for _, verb := range []string{"INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE", "INSERT"} {
				if _, err := db.Exec(verb+columns+values, args...); err == nil {
					t.Errorf("%s: %s was done", name, verb)
				}
			}
			if _, err := db.Exec("INSERT"+columns+values+` ON CONFLICT DO UPDATE SET type = 'y'`, args...); err == nil {
				t.Errorf("%s: upsert was done", name)
			}
		}
	}
	for _, query := range []string{`UPDATE OR REPLACE events SET version = 1`, `UPDATE OR REPLACE events SET position = 1`, `DELETE FROM events`} {
		if _, err := raw(t, s).Exec(query); err == nil {
			t.Errorf("%s was done", query)
		}
	}
	got, err := s.Read(t.Context(), stream, 0, 0)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	if _, err := eventstore.VerifyChain(stream, eventstore.Tip{}, got); err != nil {
		t.Error(err)
	}
}

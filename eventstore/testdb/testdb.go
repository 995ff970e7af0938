// Package testdb gives tests a database of their own on the engine that the run is for: SQLite, or PostgreSQL with
// MAGO_TEST_ENGINE=postgres. `make test` runs what uses it on both.
package testdb

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mago/eventstore"
	"mago/eventstore/postgres"
	"mago/eventstore/postgres/pgtest"
	"mago/eventstore/sqlite"
	"mago/migrations"
)

// Store is a store with its handles.
type Store interface {
	eventstore.Store
	eventstore.Marker
	Reader() *sql.DB
	Writer() *sql.DB
	Close() error
}

// Postgres tells whether the run is for PostgreSQL.
func Postgres() bool { return os.Getenv("MAGO_TEST_ENGINE") == "postgres" }

// New returns the address of a new database with its tables, as mago --database-url takes it.
func New(tb testing.TB) string {
	tb.Helper()
	if Postgres() {
		return pgtest.New(tb)
	}
	path := filepath.Join(tb.TempDir(), "mago.db")
	if err := migrations.Up(tb.Context(), migrations.SQLite(path)); err != nil {
		tb.Fatal(err)
	}
	return "sqlite:" + path
}

// Copy returns the address of a copy of a database that is open nowhere, as a backup of it would be.
func Copy(tb testing.TB, address string) string {
	tb.Helper()
	path, ok := strings.CutPrefix(address, "sqlite:")
	if !ok {
		return pgtest.Copy(tb, address)
	}
	data, err := os.ReadFile(path) // closing it has put everything into it
	if err != nil {
		tb.Fatal(err)
	}
	backup := filepath.Join(tb.TempDir(), "copy.db")
	if err := os.WriteFile(backup, data, 0o600); err != nil { //nolint:gosec // the test's own
		tb.Fatal(err)
	}
	return "sqlite:" + backup
}

// Open opens the database at an address that New gave. The test closes it, if only at its end.
func Open(tb testing.TB, url string) Store {
	tb.Helper()
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		store, err := sqlite.Open(tb.Context(), path, sqlite.Options{})
		if err != nil {
			tb.Fatal(err)
		}
		return store
	}
	store, err := postgres.Open(tb.Context(), url, postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

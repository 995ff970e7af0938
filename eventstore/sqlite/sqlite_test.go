package sqlite_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"mago/eventstore/sqlite"
	"mago/eventstore/storetest"
	"mago/migrations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) func() storetest.DB {
		path := migrated(t)
		return func() storetest.DB { return mustOpen(t, path, sqlite.Options{}) }
	})
}

// migrated returns the path of a new database that has its tables.
func migrated(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := migrations.Up(t.Context(), migrations.SQLite(path)); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustOpen(t testing.TB, path string, opts sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

package migrations_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"mago/eventstore/postgres/pgtest"
	"mago/migrations"
)

// TestMain lets the test's own program be one of the processes of TestProcessesAtOnce.
func TestMain(m *testing.M) {
	if path := os.Getenv("MIGRATE_TEST_PATH"); path != "" {
		if err := migrations.Up(context.Background(), migrations.SQLite(path)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(pgtest.M{M: m}.Run())
}

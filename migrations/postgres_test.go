package migrations_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mago/eventstore/postgres/pgtest"
	"mago/migrations"
)

func target(t *testing.T, url string) migrations.Target {
	t.Helper()
	target, err := migrations.Postgres(url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func mustStatus(t *testing.T, target migrations.Target) migrations.State {
	t.Helper()
	s, err := migrations.Status(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustUp(t *testing.T, target migrations.Target) {
	t.Helper()
	if err := migrations.Up(t.Context(), target); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestPostgresAtOnce starts many servers on one new database, which ask where it stands meanwhile.
func TestPostgresAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	if s := mustStatus(t, target(t, url)); s.Version != 0 || s.Current() || s.Err() != nil {
		t.Errorf("before: %+v", s)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			target := target(t, url)
			if err := migrations.Up(t.Context(), target); err != nil {
				t.Errorf("up: %v", err)
			}
			if s := mustStatus(t, target); !s.Current() {
				t.Errorf("after: %+v", s)
			}
		})
	}
	wg.Wait()
	mustUp(t, target(t, url))
}

func TestPostgresContinues(t *testing.T) {
	t.Parallel()
	db := target(t, pgtest.Empty(t))
	one, two := `CREATE TABLE a (x int)`, `CREATE TABLE b (x int); INSERT INTO b SELECT x FROM a`
	mustUp(t, migrations.With(db, one))
	mustUp(t, migrations.With(db, one, two))
	if s := mustStatus(t, migrations.With(db, one, two)); s != (migrations.State{Version: 2, Newest: 2}) {
		t.Errorf("%+v", s)
	}
	var newer *migrations.NewerError
	if err := migrations.Up(t.Context(), migrations.With(db, one)); !errors.As(err, &newer) || *newer != (migrations.NewerError{Version: 2, Newest: 1}) {
		t.Errorf("an older program: %v", err)
	}
}

func TestPostgresDirty(t *testing.T) {
	t.Parallel()
	db := target(t, pgtest.Empty(t))
	if err := migrations.Up(t.Context(), migrations.With(db, `CREATE TABLE a (x int)`, `CREATE TABLE b (x int); INSERT INTO nowhere VALUES (1)`)); err == nil {
		t.Fatal("a broken migration ran")
	}
	whole := migrations.With(db, `CREATE TABLE a (x int)`, `CREATE TABLE b (x int)`)
	var dirty *migrations.DirtyError
	if err := migrations.Up(t.Context(), whole); !errors.As(err, &dirty) || dirty.Version != 2 {
		t.Fatalf("got %v", err)
	}
	if err := migrations.Force(t.Context(), whole, 1); err != nil {
		t.Fatal(err)
	}
	mustUp(t, whole) // the broken one left nothing behind: a migration is one transaction
	if s := mustStatus(t, whole); !s.Current() {
		t.Errorf("%+v", s)
	}
	if err := migrations.Force(t.Context(), whole, 0); err != nil {
		t.Fatal(err)
	}
	if s := mustStatus(t, whole); s.Version != 0 || s.Dirty {
		t.Errorf("forced to 0: %+v", s)
	}
}

func TestPostgresEndsWithContext(t *testing.T) {
	t.Parallel()
	db := target(t, pgtest.Empty(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := migrations.Up(ctx, db); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPostgresOutOfReach(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:canary@127.0.0.1:1/cards", "postgres://u:canary@127.0.0.1:1/cards?connect_timeout=1"} {
		err := migrations.Up(t.Context(), target(t, url))
		if err == nil || !strings.Contains(err.Error(), "database cards on 127.0.0.1") || strings.Contains(err.Error(), "canary") {
			t.Errorf("got %v", err)
		}
	}
	for _, url := range []string{"postgres://u:canary@h:x/db", "postgres://u:canary@h/db?sslmode=perhaps", "postgres://u:canary%@h/db"} {
		_, err := migrations.Postgres(url)
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("got %v", err)
		}
	}
}

// TestRestored: a database with ids of transactions that its cluster hasn't yet given out is one that was restored, and Up adopts it, once.
func TestRestored(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	db := target(t, url)
	epoch := func() (epoch int) {
		if err := connect(t, "pgx/v5", url).QueryRowContext(t.Context(), `SELECT epoch FROM event_epoch`).Scan(&epoch); err != nil {
			t.Error(err)
		}
		return epoch
	}
	secret := func() (secret string) {
		if err := connect(t, "pgx/v5", url).QueryRowContext(t.Context(), `SELECT secret FROM incarnation`).Scan(&secret); err != nil {
			t.Error(err)
		}
		return secret
	}
	mustUp(t, db)
	first := secret()
	if s := mustStatus(t, db); s.Restored || epoch() != 1 {
		t.Errorf("a new database: %+v, epoch %d", s, epoch())
	}
	insert := `INSERT INTO events (epoch, xid, stream_id, version, at, type, hash, private, data)
 VALUES (1, (pg_current_xact_id()::text::bigint + $1)::text::xid8, gen_random_uuid(), 1, 0, 'x', repeat('h', 32)::bytea, repeat('s', 16)::bytea, '{}')`
	for _, ahead := range []int{0, 1_000_000_000} {
		if _, err := connect(t, "pgx/v5", url).ExecContext(t.Context(), insert, ahead); err != nil {
			t.Fatal(err)
		}
		if s := mustStatus(t, db); s.Restored != (ahead > 0) || s.Current() == s.Restored || s.Err() != nil {
			t.Errorf("%d ahead: %+v", ahead, s)
		}
	}
	for range 2 {
		mustUp(t, db)
		if s := mustStatus(t, db); !s.Current() || epoch() != 2 {
			t.Errorf("after up: %+v, epoch %d", s, epoch())
		}
	}
	if now := secret(); now == first || len(now) != len(first) || len(now) != 64 {
		t.Errorf("the incarnation was %q and is %q", first, now)
	}
}

// TestSameColumns: what SQL of accounts and read models sees is the same on both engines.
func TestSameColumns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	mustUp(t, migrations.SQLite(path))
	lite := columns(t, connect(t, "sqlite", path), `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`)
	post := columns(t, connect(t, "pgx/v5", pgtest.New(t)), `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'`)
	for _, only := range []string{"event_epoch.epoch", "event_epoch.one", "events.epoch", "events.xid", "streams.epoch", "streams.last_xid"} {
		i := slices.Index(post, only)
		if i < 0 {
			t.Errorf("PostgreSQL has no %s", only)
			continue
		}
		post = slices.Delete(post, i, i+1)
	}
	if !slices.Equal(lite, post) {
		t.Errorf("SQLite has %v, PostgreSQL %v", lite, post)
	}
}

func columns(t *testing.T, db *sql.DB, query string) (names []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, "sqlite_") {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// with returns an SQLite target with other migrations than the embedded ones.
func with(path string, migrations ...string) Target { return With(SQLite(path), migrations...) }

// With returns the target with other migrations than the embedded ones.
func With(t Target, migrations ...string) Target {
	m := fstest.MapFS{}
	for i, text := range migrations {
		m[fmt.Sprintf("%s/%06d_step.up.sql", t.dir, i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	t.files = m
	return t
}

func mustStatus(t *testing.T, target Target) State {
	t.Helper()
	s, err := Status(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestUp(t *testing.T) {
	t.Parallel()
	target := SQLite(filepath.Join(t.TempDir(), "a b?#%.db"))
	before := mustStatus(t, target)
	if before.Version != 0 || before.Dirty || before.Newest < 1 || before.Current() {
		t.Errorf("before: %+v", before)
	}
	if _, err := os.Stat(target.name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("asking for the status made the database: %v", err)
	}
	for range 2 {
		if err := Up(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		if s := mustStatus(t, target); !s.Current() {
			t.Errorf("after: %+v", s)
		}
	}
}

func TestUpContinues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	one, two := `CREATE TABLE a (x)`, `CREATE TABLE b (x); INSERT INTO b SELECT x FROM a`
	if err := Up(t.Context(), with(path, one)); err != nil {
		t.Fatal(err)
	}
	if err := Up(t.Context(), with(path, one, two)); err != nil {
		t.Fatal(err)
	}
	if s := mustStatus(t, with(path, one, two)); s != (State{Version: 2, Newest: 2}) {
		t.Errorf("%+v", s)
	}
}

func TestNewerDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := Up(t.Context(), with(path, `CREATE TABLE a (x)`, `CREATE TABLE b (x)`)); err != nil {
		t.Fatal(err)
	}
	var newer *NewerError
	err := Up(t.Context(), with(path, `CREATE TABLE a (x)`))
	if !errors.As(err, &newer) || *newer != (NewerError{Version: 2, Newest: 1}) {
		t.Errorf("got %v", err)
	}
}

func TestDirty(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	broken := with(path, `CREATE TABLE a (x)`, `CREATE TABLE b (x); INSERT INTO nowhere VALUES (1)`)
	if err := Up(t.Context(), broken); err == nil {
		t.Fatal("a broken migration ran")
	}
	whole := with(path, `CREATE TABLE a (x)`, `CREATE TABLE b (x)`)
	var dirty *DirtyError
	if err := Up(t.Context(), whole); !errors.As(err, &dirty) || dirty.Version != 2 {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(dirty.Error(), "mago migrate force 1") {
		t.Errorf("the message doesn't say what to do: %v", dirty)
	}
	if err := Force(t.Context(), whole, 1); err != nil {
		t.Fatal(err)
	}
	if err := Up(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	if s := mustStatus(t, whole); !s.Current() {
		t.Errorf("%+v", s)
	}
}

func TestForce(t *testing.T) {
	t.Parallel()
	target := with(filepath.Join(t.TempDir(), "x.db"), `CREATE TABLE a (x)`)
	for _, version := range []int{-1, 2} {
		if err := Force(t.Context(), target, version); err == nil {
			t.Errorf("forced to %d", version)
		}
	}
	for _, version := range []int{1, 0} {
		if err := Force(t.Context(), target, version); err != nil {
			t.Fatal(err)
		}
		if s := mustStatus(t, target); s.Version != version || s.Dirty {
			t.Errorf("forced to %d: %+v", version, s)
		}
	}
	if err := Up(t.Context(), target); err != nil {
		t.Fatal(err)
	}
}

func TestUpEndsWithContext(t *testing.T) {
	t.Parallel()
	target := SQLite(filepath.Join(t.TempDir(), "x.db"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Up(ctx, target); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestProcessesAtOnce starts several processes on one new database. Each of them must find it migrated.
func TestProcessesAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), "MIGRATE_TEST_PATH="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if s := mustStatus(t, SQLite(path)); !s.Current() {
		t.Errorf("%+v", s)
	}
	var tables int
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE name = 'events'`).Scan(&tables); err != nil || tables != 1 {
		t.Errorf("%d tables, %v", tables, err)
	}
}

// TestFiles: only files that go up, numbered from 1 without a gap, and the same numbers and names for every engine.
func TestFiles(t *testing.T) {
	t.Parallel()
	engines, err := fs.ReadDir(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^\d{6}_[a-z_]+\.up\.sql$`)
	var first []string
	for _, engine := range engines {
		entries, err := fs.ReadDir(files, engine.Name())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, e := range entries {
			names = append(names, e.Name())
			if !form.MatchString(e.Name()) || !strings.HasPrefix(e.Name(), fmt.Sprintf("%06d_", i+1)) {
				t.Errorf("%s/%s: file %d", engine.Name(), e.Name(), i+1)
			}
		}
		if first == nil {
			first = names
		}
		if strings.Join(names, " ") != strings.Join(first, " ") {
			t.Errorf("%s has %v, %s has %v", engine.Name(), names, engines[0].Name(), first)
		}
	}
}

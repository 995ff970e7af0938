// Package migrations holds the database schema of every engine as numbered files, and brings a database up to them.
//
// There are only files that go up. A published file is never changed: what it did is changed by a later one.
package migrations

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	"github.com/golang-migrate/migrate/v4/source"
	"github.com/golang-migrate/migrate/v4/source/iofs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Target is a database to migrate; SQLite and Postgres make one.
type Target struct {
	files fs.FS
	dir   string // of the engine's files
	name  string // for messages
	// lock keeps other processes from migrating until unlock.
	lock func(ctx context.Context) (unlock func() error, err error)
	// open returns a driver of its own for the database, made if it was not there.
	open func(ctx context.Context) (database.Driver, error)
	// state returns where the database stands, but for Newest, and changes nothing.
	state func(ctx context.Context) (State, error)
	// adopt makes a restored database one of where it is now; nil for an engine that has no need of it.
	adopt func(ctx context.Context) error
}

// String names the database for people; it holds no password.
func (t Target) String() string { return t.name }

// State says where a database stands.
type State struct {
	Version int  // the last migration that was begun; 0 for none
	Dirty   bool // that migration did not end
	Newest  int  // the last migration this program has
	// Restored says that the rows come from another cluster of databases, whose transactions were further on (PostgreSQL only). Up puts
	// that right; until then, who follows all events could miss new ones.
	Restored bool
}

// Current reports whether the program can work on the database.
func (s State) Current() bool { return !s.Dirty && s.Version == s.Newest && !s.Restored }

// Err says what is wrong with a database that this program can't migrate, and what to do about it: *DirtyError, *NewerError, or nil.
func (s State) Err() error {
	switch {
	case s.Dirty:
		return &DirtyError{Version: s.Version}
	case s.Version > s.Newest:
		return &NewerError{Version: s.Version, Newest: s.Newest}
	}
	return nil
}

// DirtyError says that a migration was begun and did not end.
type DirtyError struct{ Version int }

func (e *DirtyError) Error() string {
	return fmt.Sprintf("migration %d of the database was begun and did not end; find out whether its changes are there, then run "+
		"`mago migrate force %d` if they are or `mago migrate force %d` if they are not", e.Version, e.Version, e.Version-1)
}

// NewerError says that the database was migrated by a newer program.
type NewerError struct{ Version, Newest int }

func (e *NewerError) Error() string {
	return fmt.Sprintf("the database is at migration %d and this program knows only up to %d; run the newer program that migrated it, "+
		"or restore a backup from before", e.Version, e.Newest)
}

// Status returns where the database stands and changes nothing. A database that isn't there is at version 0.
func Status(ctx context.Context, t Target) (State, error) {
	newest, err := t.newest()
	if err != nil {
		return State{}, err
	}
	state, err := t.state(ctx)
	if err != nil {
		return State{}, fmt.Errorf("read the migration state of %s: %w", t.name, err)
	}
	state.Newest = newest
	return state, nil
}

// Up runs every migration the database doesn't have yet, and makes the database if it isn't there (SQLite). Of several processes that call it at once
// one migrates and the others wait. If ctx ends, it stops behind the migration that is running.
func Up(ctx context.Context, t Target) error {
	return t.locked(ctx, func() error {
		state, err := Status(ctx, t)
		if err != nil {
			return err
		}
		if err := state.Err(); err != nil || state.Current() {
			return err
		}
		if state.Version < state.Newest {
			if err := t.migrate(ctx, func(m *migrate.Migrate) error { return m.Up() }); err != nil {
				return err
			}
		}
		if state.Restored {
			return t.adopt(ctx)
		}
		return nil
	})
}

// Force writes down that the database is at the version and not dirty, and runs nothing. It is for people who have put the database
// right by hand. Version 0 says that no migration has run.
func Force(ctx context.Context, t Target, version int) error {
	newest, err := t.newest()
	if err != nil {
		return err
	}
	if version < 0 || version > newest {
		return fmt.Errorf("there is no migration %d; this program knows 1 to %d", version, newest)
	}
	if version == 0 {
		version = database.NilVersion
	}
	return t.locked(ctx, func() error {
		return t.migrate(ctx, func(m *migrate.Migrate) error { return m.Force(version) })
	})
}

func (t Target) locked(ctx context.Context, f func() error) error {
	unlock, err := t.lock(ctx)
	if err != nil {
		return fmt.Errorf("lock %s to migrate it: %w", t.name, err)
	}
	return errors.Join(f(), unlock())
}

// migrate runs f on the database and closes everything again.
func (t Target) migrate(ctx context.Context, f func(*migrate.Migrate) error) error {
	src, err := iofs.New(t.files, t.dir)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	driver, err := t.open(ctx)
	if err != nil {
		return fmt.Errorf("open %s to migrate it: %w", t.name, err)
	}
	m, err := migrate.NewWithInstance("embedded", src, t.dir, driver)
	if err != nil {
		return errors.Join(err, driver.Close(), src.Close())
	}
	stop := context.AfterFunc(ctx, func() { m.GracefulStop <- true }) // the channel has room for one
	defer stop()
	err = f(m)
	if errors.Is(err, migrate.ErrNoChange) {
		err = nil
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("migrate %s: %w", t.name, err)
	}
	srcErr, dbErr := m.Close()
	return errors.Join(err, srcErr, dbErr)
}

// newest returns the number of the last migration of the target's engine.
func (t Target) newest() (int, error) {
	src, err := iofs.New(t.files, t.dir)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	defer func() { _ = src.Close() }() // embedded files have nothing to lose
	return last(src)
}

func last(src source.Driver) (int, error) {
	version, err := src.First()
	for {
		if err != nil {
			return 0, fmt.Errorf("read the migrations: %w", err)
		}
		next, err := src.Next(version)
		if errors.Is(err, fs.ErrNotExist) {
			return int(version), nil
		}
		if err != nil {
			return 0, fmt.Errorf("read the migrations: %w", err)
		}
		version = next
	}
}

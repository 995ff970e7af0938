package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres"
	"mago/eventstore/sqlite"
	"mago/migrations"
	"mago/projections"
)

// keyFile is what the name of an SQLite database's key file ends with.
const keyFile = ".key"

// databaseURL is where the data is, as in --database-url. This file is the one place that knows which engines there are.
type databaseURL string

// split returns the engine an address names and what it opens: the file of sqlite:PATH, the whole address of a PostgreSQL database.
func (u databaseURL) split() (engine, place string, err error) {
	scheme, rest, _ := strings.Cut(string(u), ":")
	switch scheme {
	case "sqlite":
		if rest == "" {
			return "", "", errors.New("the database address sqlite: names no file; write sqlite:PATH")
		}
		return "sqlite", rest, nil
	case "postgres", "postgresql":
		return "postgres", string(u), nil
	}
	return "", "", errors.New("the database address must be sqlite:PATH or postgres://…") // which is not repeated: it may hold a password
}

// target returns the database for its migrations.
func (u databaseURL) target() (migrations.Target, error) {
	engine, place, err := u.split()
	if err != nil {
		return migrations.Target{}, err
	}
	if engine == "postgres" {
		return migrations.Postgres(place)
	}
	return migrations.SQLite(place), nil
}

// database is an open database of whichever engine.
type database struct {
	store          eventstore.Store
	marks          eventstore.Marker
	reader, writer *sql.DB
	place          string // for people
	keyFile        string // where the signing keys' secret is if none is given; empty for an engine that has no place for it
	close          func() error
	// doorbell carries rings to other servers on the database and theirs to the bell, while run does; nil where there can be no others.
	doorbell func(*eventstore.Bell) doorbell
	time     *projections.Time

	version int        // of the schema
	mu      sync.Mutex // what follows is the last answer of ready
	asked   time.Time
	answer  error
}

type doorbell interface {
	Ring(stream uuid.UUID, version int)
	Run(ctx context.Context)
}

// open opens the database, bringing its schema up to date first or, without migrate, insisting that it is. log may be nil.
func (u databaseURL) open(ctx context.Context, migrate bool, log *slog.Logger) (*database, error) {
	target, err := u.target()
	if err != nil {
		return nil, err
	}
	if migrate {
		err = migrations.Up(ctx, target)
	} else {
		err = current(ctx, target)
	}
	if err != nil {
		return nil, err
	}
	state, err := migrations.Status(ctx, target)
	if err != nil {
		return nil, err
	}
	db, err := u.connect(ctx, log)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", target, err)
	}
	db.version = state.Version
	return db, nil
}

// connect opens the database, whose schema is current.
func (u databaseURL) connect(ctx context.Context, log *slog.Logger) (*database, error) {
	engine, place, err := u.split()
	if err != nil {
		return nil, err
	}
	if engine == "postgres" {
		store, err := postgres.Open(ctx, place, postgres.Options{Logger: log})
		if err != nil {
			return nil, err
		}
		target, err := u.target()
		if err != nil {
			return nil, errors.Join(err, store.Close())
		}
		return &database{
			store: store, marks: store, reader: store.Reader(), writer: store.Writer(), place: target.String(), close: store.Close,
			time:     &projections.Time{Ask: store.Now}, // several servers' machines differ
			doorbell: func(bell *eventstore.Bell) doorbell { return store.NewDoorbell(bell) },
		}, nil
	}
	store, err := sqlite.Open(ctx, place, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if abs, err := filepath.Abs(place); err == nil {
		place = abs
	}
	file, err := filepath.EvalSymlinks(place) // by whatever name it is opened, there is one key file
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find the database's folder: %w", err), store.Close())
	}
	return &database{
		store: store, marks: store, reader: store.Reader(), writer: store.Writer(), place: place, keyFile: file + keyFile, close: store.Close, time: new(projections.Time),
	}, nil
}

// current returns nil if the schema is the one this program needs.
func current(ctx context.Context, target migrations.Target) error {
	state, err := migrations.Status(ctx, target)
	if err != nil {
		return err
	}
	if err := state.Err(); err != nil {
		return err
	}
	if state.Restored {
		return errors.New("the database was restored from another one; run mago migrate up")
	}
	if !state.Current() {
		return fmt.Errorf("the database is at migration %d of %d; run mago migrate up", state.Version, state.Newest)
	}
	return nil
}

// ready returns nil while the database can be reached and its schema is current. However often it is called, the database is asked once a second.
func (d *database) ready(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.asked) >= time.Second {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		d.asked = time.Now() // an answer is as old as its question
		d.answer = d.schema(ctx)
	}
	return d.answer
}

// schema returns nil if the schema is what it was when the database was opened.
func (d *database) schema(ctx context.Context) error {
	var version int
	var dirty bool
	if err := d.reader.QueryRowContext(ctx, `SELECT version, dirty FROM schema_migrations`).Scan(&version, &dirty); err != nil {
		return fmt.Errorf("read the migration state: %w", err)
	}
	if dirty || version != d.version {
		return fmt.Errorf("the database has gone from migration %d to %d; dirty: %t", d.version, version, dirty)
	}
	return nil
}

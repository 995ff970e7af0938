package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres"
	"mago/eventstore/sqlite"
	"mago/migrations"
)

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
	reader, writer *sql.DB
	target         migrations.Target
	place          string // for people
	close          func() error
	// doorbell carries rings to other servers on the database and theirs to the bell, while run does; nil where there can be no others.
	doorbell func(*eventstore.Bell) doorbell
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
	engine, place, err := u.split()
	if err != nil {
		return nil, err
	}
	if engine == "postgres" {
		store, err := postgres.Open(ctx, place, postgres.Options{Logger: log})
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", target, err)
		}
		return &database{
			store: store, reader: store.Reader(), writer: store.Writer(), target: target, place: target.String(), close: store.Close,
			doorbell: func(bell *eventstore.Bell) doorbell { return store.NewDoorbell(bell) },
		}, nil
	}
	store, err := sqlite.Open(ctx, place, sqlite.Options{})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", target, err)
	}
	if abs, err := filepath.Abs(place); err == nil {
		place = abs
	}
	return &database{store: store, reader: store.Reader(), writer: store.Writer(), target: target, place: place, close: store.Close}, nil
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

// ready returns nil while the database can be reached and its schema is current.
func (d *database) ready(ctx context.Context) error {
	if err := d.reader.PingContext(ctx); err != nil {
		return err
	}
	return current(ctx, d.target)
}

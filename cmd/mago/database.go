package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mago/eventstore"
	"mago/eventstore/sqlite"
	"mago/migrations"
)

// databaseURL is where the data is, as in --database-url. This file is the one place that knows which engines there are.
type databaseURL string

// sqlitePath returns the file of an sqlite: address.
func (u databaseURL) sqlitePath() (string, error) {
	scheme, rest, _ := strings.Cut(string(u), ":")
	switch scheme {
	case "sqlite":
		if rest == "" {
			return "", errors.New("the database address sqlite: names no file; write sqlite:PATH")
		}
		return rest, nil
	case "postgres", "postgresql":
		return "", errors.New("this version keeps its data in SQLite only, PostgreSQL comes with the next one; write sqlite:PATH")
	}
	return "", errors.New("the database address must be sqlite:PATH") // which is not repeated: it may hold a password
}

// target returns the database for its migrations.
func (u databaseURL) target() (migrations.Target, error) {
	path, err := u.sqlitePath()
	if err != nil {
		return migrations.Target{}, err
	}
	return migrations.SQLite(path), nil
}

// database is an open database of whichever engine.
type database struct {
	store          eventstore.Store
	reader, writer *sql.DB
	target         migrations.Target
	place          string // for people
	close          func() error
}

// open opens the database, bringing its schema up to date first or, without migrate, insisting that it is.
func (u databaseURL) open(ctx context.Context, migrate bool) (*database, error) {
	path, err := u.sqlitePath()
	if err != nil {
		return nil, err
	}
	target := migrations.SQLite(path)
	if migrate {
		err = migrations.Up(ctx, target)
	} else {
		err = current(ctx, target)
	}
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &database{store: store, reader: store.Reader(), writer: store.Writer(), target: target, place: path, close: store.Close}, nil
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

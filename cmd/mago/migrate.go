package main

import (
	"context"
	"errors"
	"fmt"

	"mago/migrations"
	"mago/projections"
)

// migrateCommand looks after the database's schema by hand; the server does it by itself.
type migrateCommand struct {
	Status   migrateStatus   `cmd:"" help:"Say where the database stands. Changes nothing."`
	Up       migrateUp       `cmd:"" help:"Bring the database up to date: an SQLite file is made if it isn't there, a restored PostgreSQL database is made fit for new events."`
	Restored migrateRestored `cmd:"" help:"Say that the database was restored from a backup: apps that ask what has changed since before are told to get everything anew."`
	Force    migrateForce    `cmd:"" help:"Write down that the database is at a version, running nothing: for a migration that did not end and was put right by hand."`
}

// onDatabase is the flag that the subcommands share.
type onDatabase struct {
	DatabaseURL databaseURL `default:"sqlite:mago.db" help:"Where the data is: sqlite:PATH or postgres://…" name:"database-url"`
}

type migrateStatus struct{ onDatabase }

// Run is called by kong. It fails if the database is in a state that the server would refuse.
func (cmd *migrateStatus) Run(ctx context.Context, to streams) error {
	target, err := cmd.DatabaseURL.target()
	if err != nil {
		return err
	}
	return plain(say(ctx, target, to))
}

type migrateUp struct{ onDatabase }

// Run is called by kong.
func (cmd *migrateUp) Run(ctx context.Context, to streams) error {
	target, err := cmd.DatabaseURL.target()
	if err != nil {
		return err
	}
	if err := migrations.Up(ctx, target); err != nil {
		return plain(err)
	}
	return plain(say(ctx, target, to))
}

type migrateRestored struct{ onDatabase }

// Run is called by kong.
func (cmd *migrateRestored) Run(ctx context.Context, to streams) (err error) {
	db, err := cmd.DatabaseURL.open(ctx, false, nil)
	if err != nil {
		return plain(err)
	}
	defer func() { err = plain(errors.Join(err, db.close())) }()
	if err := projections.NewSync(db.marks, db.reader, db.writer).Restored(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(to.out, "apps will get everything anew")
	return err
}

type migrateForce struct {
	onDatabase
	Version int `arg:"" help:"The last migration whose changes are there, 0 for none."`
}

// Run is called by kong.
func (cmd *migrateForce) Run(ctx context.Context, to streams) error {
	target, err := cmd.DatabaseURL.target()
	if err != nil {
		return err
	}
	if err := migrations.Force(ctx, target, cmd.Version); err != nil {
		return plain(err)
	}
	return plain(say(ctx, target, to))
}

// say writes where the database stands, or returns what is wrong with it.
func say(ctx context.Context, target migrations.Target, to streams) error {
	state, err := migrations.Status(ctx, target)
	if err != nil {
		return err
	}
	if err := state.Err(); err != nil {
		return err
	}
	advice := "up to date"
	if !state.Current() {
		advice = "run mago migrate up"
	}
	_, err = fmt.Fprintf(to.out, "migration %d of %d: %s\n", state.Version, state.Newest, advice)
	return err
}

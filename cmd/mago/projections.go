package main

import (
	"context"
	"errors"
	"fmt"

	"mago/eventstore"
	"mago/projections"
)

// projectionsCommand looks after what is derived from the events.
type projectionsCommand struct {
	Rebuild rebuildCommand `cmd:"" help:"Write the read models anew from the events; servers may go on meanwhile."`
}

type rebuildCommand struct {
	DatabaseURL databaseURL `default:"sqlite:mago.db" help:"Where the data is: sqlite:PATH or postgres://…" name:"database-url"`
	Which       string      `arg:"" optional:"" enum:"all,lists,statistics" default:"all" help:"What to rebuild: lists, statistics or all."`
}

// Run is called by kong.
func (cmd *rebuildCommand) Run(ctx context.Context, to streams) (err error) {
	db, err := cmd.DatabaseURL.open(ctx, false, nil)
	if err != nil {
		return plain(err)
	}
	defer func() { err = plain(errors.Join(err, db.close())) }()
	games := projections.NewGames(db.store, eventstore.Options{Now: db.time.Now})
	if cmd.Which != "statistics" {
		n, err := projections.Rebuild(ctx, db.writer, games)
		if err != nil {
			return fmt.Errorf("%d games were rebuilt, then: %w", n, err)
		}
		_, _ = fmt.Fprintf(to.out, "rebuilt the lists of %d games\n", n)
	}
	if cmd.Which == "lists" {
		return nil
	}
	// Beside the living rows, whose place it takes at the end. If it is ended before, the servers go on with it.
	statistics := db.follower(projections.Statistics, games)
	if err := statistics.Begin(ctx); err != nil {
		return err
	}
	p, err := statistics.CatchUp(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(to.out, "rebuilt the statistics, build %d\n", p.Build)
	return nil
}

// follower returns a projection's follower in the database.
func (d *database) follower(p projections.Projection, games *projections.Games) *projections.Follower {
	return &projections.Follower{Projection: p, Store: d.store, Games: games, Reader: d.reader, Writer: d.writer, Now: d.time.Now}
}

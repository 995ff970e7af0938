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
}

// Run is called by kong.
func (cmd *rebuildCommand) Run(ctx context.Context, to streams) (err error) {
	db, err := cmd.DatabaseURL.open(ctx, false)
	if err != nil {
		return plain(err)
	}
	defer func() { err = plain(errors.Join(err, db.close())) }()
	n, err := projections.Rebuild(ctx, db.writer, projections.NewGames(db.store, eventstore.Options{}))
	if err != nil {
		return fmt.Errorf("%d games were rebuilt, then: %w", n, err)
	}
	_, err = fmt.Fprintf(to.out, "rebuilt the read models of %d games\n", n)
	return err
}

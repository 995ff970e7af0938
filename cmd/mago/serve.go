package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mago/api"
	"mago/api/auth"
	"mago/domain/bot"
	"mago/eventstore"
	"mago/projections"
)

// serveCommand runs the server until ctx is done.
type serveCommand struct {
	Addr            string        `default:"127.0.0.1:8080" help:"Address to listen on."`
	DatabaseURL     databaseURL   `default:"sqlite:mago.db" help:"Where the data is: sqlite:PATH or postgres://…" name:"database-url"`
	Migrate         bool          `default:"true" help:"Bring the database's schema up to date at the start." negatable:""`
	LogLevel        slog.Level    `default:"info" help:"What to log: debug, info, warn or error."`
	LogFormat       string        `default:"text" enum:"text,json" help:"How to log: text or json."`
	AccessLifetime  time.Duration `default:"15m" help:"How long an access token is valid."`
	RefreshLifetime time.Duration `default:"720h" help:"How long an unused refresh token is valid."`
}

const (
	// housekeeping is how often what has expired is looked for.
	housekeeping = 10 * time.Minute
	// patience is after how long a background job is given up until its next turn: a database that says nothing must not keep it for ever.
	patience = time.Minute
)

// Run is called by kong.
func (cmd *serveCommand) Run(ctx context.Context, to streams) (err error) {
	log := newLogger(to.log, cmd.LogLevel, cmd.LogFormat)
	db, err := cmd.DatabaseURL.open(ctx, cmd.Migrate, log)
	if err != nil {
		return plain(err)
	}
	defer func() { err = plain(errors.Join(err, db.close())) }()
	var wg sync.WaitGroup
	defer wg.Wait() // before the database is closed
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	bell := new(eventstore.Bell)
	ring := bell.Ring
	if db.doorbell != nil {
		d := db.doorbell(bell)
		ring = d.Ring
		wg.Go(func() { d.Run(ctx) })
	}
	games, lists := projections.NewGames(db.store, eventstore.Options{Appended: ring}), projections.NewLists(db.reader, db.writer)
	accounts, err := auth.New(ctx, auth.Config{
		Reader: db.reader, Writer: db.writer, Logger: log, AccessLifetime: cmd.AccessLifetime, RefreshLifetime: cmd.RefreshLifetime,
		Leave: func(ctx context.Context, userID string) error {
			return projections.LeaveGames(ctx, lists, games, userID)
		},
	})
	if err != nil {
		return err
	}
	metrics := prometheus.NewRegistry()
	server := api.New(api.Config{
		Store: db.store, Games: games, Lists: lists, Bell: bell, Auth: accounts, Ready: db.ready, Logger: log, Metrics: metrics,
	})
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cmd.Addr)
	if err != nil {
		return fmt.Errorf("can't listen on %s: %w", cmd.Addr, err)
	}
	_, _ = fmt.Fprintf(to.out, "Mago listens on http://%s and keeps its data in %s\n", listener.Addr(), db.place)

	wg.Go(func() { every(ctx, housekeeping, func() { cleanUp(ctx, log, accounts, lists, games) }) })
	bots := projections.Bots{Lists: lists, Games: games, Choose: bot.Easy}
	wg.Go(func() { projections.Wake(ctx, bell, func() { report(ctx, log, "bots did not move", bots.MoveAll) }) })
	statistics := db.follower(projections.Statistics, games)
	wg.Go(func() { statistics.Run(ctx, bell, projections.NewMetrics(metrics), log) })
	return server.Serve(ctx, listener)
}

// cleanUp takes away what has expired.
func cleanUp(ctx context.Context, log *slog.Logger, accounts *auth.Service, lists *projections.Lists, games *projections.Games) {
	report(ctx, log, "sessions were not pruned", func(ctx context.Context) (int, error) { return 0, accounts.Prune(ctx) })
	report(ctx, log, "lobbies were not expired", func(ctx context.Context) (int, error) {
		return projections.ExpireLobbies(ctx, lists, games, time.Now())
	})
}

// report logs what a background job failed at, unless the server is ending.
func report(ctx context.Context, log *slog.Logger, failure string, job func(context.Context) (int, error)) {
	once, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := job(once); err != nil && ctx.Err() == nil {
		log.ErrorContext(ctx, failure, "error", err)
	}
}

// every calls f at once and then at each interval until ctx is done.
func every(ctx context.Context, interval time.Duration, f func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		f()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// newLogger writes structured lines.
func newLogger(w io.Writer, level slog.Level, format string) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

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
	"mago/api/idempotency"
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
	KeySecret       keySecret     `help:"Secret that keeps a copy of the database from signing access tokens: at least 16 characters, the same for all servers; make one with: openssl rand -base64 32. Set the variable rather than the flag, which others on the machine can see. By default a file beside an SQLite database, nothing on PostgreSQL." placeholder:"SECRET"`
	Limits          string        `default:"on" enum:"on,off" help:"Whether rate limits and the users' caps hold: on or off."`
	TrustedProxies  []network     `help:"Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas; nobody's by default." placeholder:"CIDR"`
	CORSOrigins     []origin      `help:"Origins such as https://example.com whose pages may call the API, separated by commas, or *; none by default." name:"cors-origins" placeholder:"ORIGIN"`
	VacationDays    uint16        `default:"28" help:"Days of vacation that a player has each year."`
}

const (
	// housekeeping is how often what has expired is looked for.
	housekeeping = 10 * time.Minute
	// afterErasure is how soon an erased user is looked for in games once more: they may have sat down while they were erased.
	afterErasure = 20 * time.Second
	// patience is after how long a background job is given up until its next turn: a database that says nothing must not keep it for ever.
	patience = time.Minute
	// lastMoment is how long after the end was asked for everything is let go, whatever still waits for the database.
	lastMoment = 9800 * time.Millisecond
)

// Run is called by kong.
func (cmd *serveCommand) Run(ctx context.Context, to streams) (err error) {
	log := newLogger(to.log, cmd.LogLevel, cmd.LogFormat)
	db, err := cmd.DatabaseURL.open(ctx, cmd.Migrate, log)
	if err != nil {
		return plain(err)
	}
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	late := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(lastMoment, func() { close(late) }) })
	defer func() {
		stop()
		err = plain(errors.Join(err, end(log, late, func() error { wg.Wait(); return db.close() })))
	}()
	bell := new(eventstore.Bell)
	ring := bell.Ring
	if db.doorbell != nil {
		d := db.doorbell(bell)
		ring = d.Ring
		wg.Go(func() { d.Run(ctx) })
	}
	beat := projections.NewHeartbeat(db.reader, db.writer, db.time)
	if err := beat.Beat(ctx); err != nil { // before anybody is answered or timed out: an outage may have ended just now
		return err
	}
	games := projections.NewGames(db.store, eventstore.Options{Appended: ring, Now: db.time.Now})
	lists := projections.NewLists(db.reader, db.writer)
	limits, most := cmd.limits()
	accounts, err := cmd.accounts(ctx, db, log, auth.Config{
		Sessions: most.sessions,
		Reader:   db.reader, Writer: db.writer, Logger: log, AccessLifetime: cmd.AccessLifetime, RefreshLifetime: cmd.RefreshLifetime,
		Leave: func(ctx context.Context, userID string) error {
			return projections.LeaveGames(ctx, lists, games, userID)
		},
	})
	if err != nil {
		return err
	}
	keys := idempotency.New(idempotency.Config{Reader: db.reader, Writer: db.writer, Limit: most.keys})
	vacations := &projections.Vacations{Lists: lists, Games: games, Days: int(cmd.VacationDays), Now: db.time.Now, Outages: beat.Outages}
	company := projections.NewCompany(db.reader, db.writer, db.time.Now)
	premoves := &projections.Premoves{Lists: lists, Games: games, Outages: beat.Outages}
	metrics := prometheus.NewRegistry()
	server := api.New(api.Config{
		Store: db.store, Games: games, Lists: lists, Sync: projections.NewSync(db.marks, db.reader, db.writer), Bell: bell, Auth: accounts, Keys: keys, Ready: db.ready, Logger: log, Metrics: metrics,
		Limits: limits, Proxies: cmd.proxies(), Origins: cmd.origins(),
		Vacations: vacations, Premoves: premoves, Company: company,
		Now: db.time.Now, Outages: beat.Outages,
	})
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cmd.Addr)
	if err != nil {
		return fmt.Errorf("can't listen on %s: %w", cmd.Addr, err)
	}
	_, _ = fmt.Fprintf(to.out, "Mago listens on http://%s and keeps its data in %s\n", listener.Addr(), db.place)

	background := jobs{
		log: log, bell: bell, accounts: accounts, keys: keys, lists: lists, games: games, statistics: db.follower(projections.Statistics, games),
		vacations: vacations, premoves: premoves, company: company,
		time: db.time, beat: beat,
	}
	background.start(ctx, &wg, metrics)
	return server.Serve(ctx, listener)
}

// end waits until what is to be done at the end is done, or until it is late. What is then left undone is as after a crash: nothing that was
// acknowledged is lost.
func end(log *slog.Logger, late <-chan struct{}, last func() error) error {
	done := make(chan error, 1)
	go func() { done <- last() }()
	select {
	case err := <-done:
		return err
	case <-late:
		log.Warn("ended without waiting for the database")
		return nil
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

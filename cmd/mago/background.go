package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mago/api/auth"
	"mago/api/idempotency"
	"mago/eventstore"
	"mago/projections"
)

// jobs is what a server does without being asked.
type jobs struct {
	log        *slog.Logger
	bell       *eventstore.Bell
	accounts   *auth.Service
	keys       *idempotency.Keys
	lists      *projections.Lists
	games      *projections.Games
	vacations  *projections.Vacations
	premoves   *projections.Premoves
	company    *projections.Company
	statistics *projections.Follower
	time       *projections.Time
	beat       *projections.Heartbeat
}

// start runs the jobs until ctx is done.
func (j *jobs) start(ctx context.Context, wg *sync.WaitGroup, metrics prometheus.Registerer) {
	bots := projections.Bots{Lists: j.lists, Games: j.games, Log: j.log, Pace: projections.BotPace, Outages: j.beat.Outages}
	wg.Go(func() { bots.Run(ctx, j.bell) })
	wg.Go(func() {
		projections.Wake(ctx, j.bell, func() { j.report(ctx, "premoves were not played", j.premoves.PlayAll) })
	})
	wg.Go(func() {
		every(ctx, projections.Poll, func() { j.report(ctx, "vacations were not settled", j.vacations.Settle) })
	})
	wg.Go(func() { j.statistics.Run(ctx, j.bell, projections.NewMetrics(metrics), j.log) })
	wg.Go(func() {
		every(ctx, projections.Beat, func() { j.report(ctx, "nobody was told that this server serves", j.tell) })
	})
	clocks := projections.Clocks{Lists: j.lists, Games: j.games, Time: j.time, Beat: j.beat}
	wg.Go(func() { clocks.Run(ctx, projections.NewClockMetrics(metrics), j.log) })
	wg.Go(func() {
		every(ctx, afterErasure, func() { j.report(ctx, "erased users were not taken out of games", j.leaveErased) })
	})
	wg.Go(func() {
		every(ctx, housekeeping, func() {
			j.report(ctx, "sessions were not pruned", func(ctx context.Context) (int, error) { return 0, j.accounts.Prune(ctx) })
			j.report(ctx, "idempotency keys were not pruned", func(ctx context.Context) (int, error) { return 0, j.keys.Prune(ctx) })
			j.report(ctx, "departures were not pruned", func(ctx context.Context) (int, error) {
				return 0, j.lists.PruneDepartures(ctx, j.time.Now().Add(-projections.SyncLife-24*time.Hour))
			})
			j.report(ctx, "invitations were not pruned", func(ctx context.Context) (int, error) {
				return 0, j.company.Prune(ctx, j.time.Now().Add(-30*24*time.Hour))
			})
			j.report(ctx, "outages were not pruned", func(ctx context.Context) (int, error) { return 0, j.beat.Prune(ctx) })
			j.report(ctx, "lobbies were not expired", func(ctx context.Context) (int, error) {
				return projections.ExpireLobbies(ctx, j.lists, j.games, j.time.Now())
			})
		})
	})
}

// tell says in the database that this server serves.
func (j *jobs) tell(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, projections.Silence)
	defer cancel()
	return 0, j.beat.Beat(ctx)
}

// leaveErased takes users who were erased within the last day out of what they sit in.
func (j *jobs) leaveErased(ctx context.Context) (int, error) {
	users, err := j.accounts.ErasedSince(ctx, j.time.Now().Add(-24*time.Hour))
	if err != nil {
		return 0, err
	}
	for _, id := range users {
		err = errors.Join(err, projections.LeaveGames(ctx, j.lists, j.games, id))
	}
	return len(users), err
}

// report logs what a job failed at, unless the server is ending.
func (j *jobs) report(ctx context.Context, failure string, job func(context.Context) (int, error)) {
	once, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := job(once); err != nil && ctx.Err() == nil {
		j.log.ErrorContext(ctx, failure, "error", err)
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

package projections

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mago/eventstore"
)

const (
	// Poll is how often a follower looks for new events when no ring wakes it: rings between servers can be lost.
	Poll = time.Second
	// pause is how long a follower lets rings gather before it looks.
	pause = 25 * time.Millisecond
	// patience is after how long a step is given up: a database that says nothing must not keep a follower for ever.
	patience = time.Minute
)

// Wake calls f at once, then whenever the bell has rung, and each Poll, until ctx is done.
func Wake(ctx context.Context, bell *eventstore.Bell, f func()) {
	rung, stop := bell.ListenAll()
	defer stop()
	ticker := time.NewTicker(Poll)
	defer ticker.Stop()
	for {
		f()
		select {
		case <-rung:
			gather(ctx)
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// gather waits for the rings that come together.
func gather(ctx context.Context) {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}

// Metrics shows how followers do.
type Metrics struct{ lag, beat *prometheus.GaugeVec }

// NewMetrics returns metrics in a registry.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "mago_projection_lag_seconds", Help: "Age of the newest event a projection has gone through while there are more, else 0.",
		}, []string{"projection"}),
		beat: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "mago_projection_heartbeat_timestamp_seconds", Help: "When a projection last looked for events and was able to.",
		}, []string{"projection"}),
	}
	reg.MustRegister(m.lag, m.beat)
	return m
}

// Run keeps the projection up with the events until ctx is done. An error is logged and tried again.
func (f *Follower) Run(ctx context.Context, bell *eventstore.Bell, m *Metrics, log *slog.Logger) {
	Wake(ctx, bell, func() {
		for behind := true; behind && ctx.Err() == nil; {
			p, err := f.stepOnce(ctx)
			if err != nil {
				if ctx.Err() == nil {
					log.ErrorContext(ctx, "projection is behind", "projection", f.Name, "error", err)
				}
				return
			}
			m.lag.WithLabelValues(f.Name).Set(p.Lag.Seconds())
			m.beat.WithLabelValues(f.Name).Set(float64(f.Now().Unix()))
			behind = p.Behind
		}
	})
}

func (f *Follower) stepOnce(ctx context.Context) (Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f.Step(ctx)
}

package projections

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Poll is how often a follower looks for new events when nothing wakes it.
const Poll = time.Second

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

// Run keeps the projection up with the events until ctx is done. It looks when it is woken, and each Poll; an error is logged and tried again.
func (f *Follower) Run(ctx context.Context, wake <-chan struct{}, m *Metrics, log *slog.Logger) {
	ticker := time.NewTicker(Poll)
	defer ticker.Stop()
	for {
		p, err := f.Step(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.ErrorContext(ctx, "projection is behind", "projection", f.Name, "error", err)
		default:
			m.lag.WithLabelValues(f.Name).Set(p.Lag.Seconds())
			m.beat.WithLabelValues(f.Name).Set(float64(f.Now().Unix()))
			if p.Behind {
				continue
			}
		}
		select {
		case <-wake:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

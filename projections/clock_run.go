package projections

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ClockMetrics shows how the clocks of all games do.
type ClockMetrics struct{ stuck, overdue prometheus.Gauge }

// NewClockMetrics returns metrics in a registry.
func NewClockMetrics(reg prometheus.Registerer) *ClockMetrics {
	m := &ClockMetrics{
		stuck: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mago_games_stuck", Help: "Games that wait for a clock or a bot while neither is at work; anything but 0 is a fault of the server.",
		}),
		overdue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mago_clocks_overdue_seconds", Help: "How long ago the first clock that is due ran out, else 0.",
		}),
	}
	reg.MustRegister(m.stuck, m.overdue)
	return m
}

// Run sweeps until ctx is done: each Poll, and when a clock is known to be due. An error is logged and tried again.
func (c *Clocks) Run(ctx context.Context, m *ClockMetrics, log *slog.Logger) {
	for {
		wait, err := c.once(ctx, m)
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "clocks are behind", "error", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// once sweeps and returns how long there is nothing more to do.
func (c *Clocks) once(ctx context.Context, m *ClockMetrics) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, failed := c.Sweep(ctx)
	w, err := c.Lists.Watch(ctx)
	if err != nil {
		return Poll, errors.Join(failed, err)
	}
	m.stuck.Set(float64(w.Stuck))
	left := w.Next.Sub(c.Time.Now())
	if w.Next.IsZero() || left >= 0 {
		m.overdue.Set(0)
		if !w.Next.IsZero() {
			return min(left+time.Millisecond, Poll), failed
		}
		return Poll, failed
	}
	m.overdue.Set(-left.Seconds())
	return Poll, failed // what is due was tried: again in its time
}

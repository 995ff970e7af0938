package projections

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Time is what time it is for games, on all servers of a database the same: the database's time where it has a clock of its own, else the
// machine's. The zero Time is the machine's.
type Time struct {
	// Ask returns the database's time; nil where the machine's is the only one.
	Ask func(context.Context) (time.Time, error)
	// Machine is the machine's clock; time.Now if it is nil. What is measured by it must not be stepped often.
	Machine func() time.Time

	offset atomic.Int64 // nanoseconds that the database's clock is ahead of the machine's
	last   atomic.Int64 // the latest time told, Unix milliseconds
}

const (
	// slowestAsk is the longest round trip that the time is taken from: the answer is off by half of it at most.
	slowestAsk = time.Second
	// slewed is how far the time may be put back without being seen to run backwards: it stands until it is reached again.
	slewed = time.Second
)

// Now is the time in whole milliseconds.
func (t *Time) Now() time.Time {
	now := t.machine().Add(time.Duration(t.offset.Load())).UnixMilli()
	for {
		last := t.last.Load()
		if now <= last && last-now < slewed.Milliseconds() {
			return time.UnixMilli(last)
		}
		if t.last.CompareAndSwap(last, now) {
			return time.UnixMilli(now)
		}
	}
}

// Measure finds out how far the database's clock is from the machine's.
func (t *Time) Measure(ctx context.Context) error {
	if t.Ask == nil {
		return nil
	}
	asked := t.machine()
	theirs, err := t.Ask(ctx)
	if err != nil {
		return fmt.Errorf("ask the database for the time: %w", err)
	}
	if took := t.machine().Sub(asked); took <= slowestAsk || t.last.Load() == 0 {
		t.offset.Store(int64(theirs.Sub(asked.Add(took / 2))))
	}
	return nil
}

func (t *Time) machine() time.Time {
	if t.Machine == nil {
		return time.Now()
	}
	return t.Machine()
}

package projections_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"mago/domain/game"
	"mago/projections"
)

// Servers that come up together after a silence record one outage; all of them know of it.
func TestOneOutageIsRecordedOnce(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	var want []game.Outage
	if err := h.keeper().beat.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	for round := range soak(5, 100) {
		last := h.ms.Load()
		h.pass(projections.Silence + time.Duration(round)*time.Minute + time.Millisecond)
		want = append(want, game.Outage{From: last, To: h.ms.Load()})
		var wg sync.WaitGroup
		for range 6 {
			k := h.keeper()
			wg.Go(func() {
				got, err := k.beat.Outages(t.Context())
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("round %d: %v, %v", round, got, err)
				}
			})
		}
		wg.Wait()
	}
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	a, b := h.keeper().beat, h.keeper().beat
	beat := func(beats ...*projections.Heartbeat) {
		t.Helper()
		for _, b := range beats {
			if err := b.Beat(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	outages := func(want ...game.Outage) {
		t.Helper()
		for _, b := range []*projections.Heartbeat{a, b} {
			if got, err := b.Outages(t.Context()); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, not %v: %v", got, want, err)
			}
		}
	}
	beat(a)
	for range 20 { // while one serves, the other's silence is none
		h.pass(projections.Silence)
		beat(a)
	}
	beat(b)
	outages()

	// Neither reaches the database for a while. Whoever is asked something then has to know.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	down := game.Outage{From: h.ms.Load()}
	h.pass(time.Minute)
	if _, err := a.Outages(gone); err == nil {
		t.Error("a server that can't reach the database knows of all outages")
	}
	down.To = h.ms.Load()
	outages(down)

	h.pass(-time.Hour) // the clock was wrong, and is put right
	beat(a, b)
	h.pass(time.Second)
	beat(b)
	outages(down)
	last := h.ms.Load()
	h.pass(61 * 24 * time.Hour)
	beat(a)
	if err := a.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	beat(a, b)
	outages(game.Outage{From: last, To: h.ms.Load()})
}

// The time is the database's: machines whose clocks differ agree on it, up to half of what asking takes.
func TestTime(t *testing.T) {
	t.Parallel()
	machine, theirs := new(hands), new(hands)
	machine.ms.Store(1_000_000)
	theirs.ms.Store(5_000_000)
	trip, failure := 40*time.Millisecond, error(nil)
	now := &projections.Time{Machine: machine.Now, Ask: func(context.Context) (time.Time, error) {
		machine.pass(trip / 2)
		theirs.pass(trip / 2)
		at := theirs.Now()
		machine.pass(trip / 2)
		theirs.pass(trip / 2)
		return at, failure
	}}
	measure := func() {
		t.Helper()
		if err := now.Measure(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	told := func(want int64) {
		t.Helper()
		if got := now.Now().UnixMilli(); got != want {
			t.Errorf("it is %d, not %d", got, want)
		}
	}
	measure()
	told(theirs.ms.Load())
	machine.pass(time.Hour)
	theirs.pass(time.Hour)
	told(theirs.ms.Load())

	before := now.Now().UnixMilli()
	theirs.pass(-300 * time.Millisecond) // they were a little ahead: the time stands until it is right
	measure()
	told(before)
	machine.pass(time.Second)
	theirs.pass(time.Second)
	told(theirs.ms.Load())
	theirs.pass(-time.Hour) // much ahead: it is put back
	measure()
	told(theirs.ms.Load())

	trip = 3 * time.Second // so slow an answer tells less than is known
	theirs.pass(time.Second)
	known := theirs.ms.Load() - 1000 + trip.Milliseconds()
	measure()
	told(known)
	trip, failure = 0, errors.New("gone")
	if err := now.Measure(t.Context()); !errors.Is(err, failure) {
		t.Errorf("asked for the time: %v", err)
	}
	told(known)
	if d := time.Since(new(projections.Time).Now()); d < 0 || d > time.Minute {
		t.Errorf("the machine's time is %v off", d)
	}
}

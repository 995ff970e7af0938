package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
)

// started starts a cluster of the test's own.
func started(t *testing.T, durable bool) *pgtest.Cluster {
	t.Helper()
	pgtest.Need(t)
	cluster, err := pgtest.Start(durable)
	if err != nil {
		t.Fatal(err)
	}
	stopped(t, cluster)
	return cluster
}

// stopped stops the cluster when the test ends.
func stopped(t *testing.T, cluster *pgtest.Cluster) {
	t.Helper()
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// load is commands on a few streams by several callers at once, as long as it runs.
type load struct {
	streams      [3]uuid.UUID
	acknowledged [3]atomic.Int32
	unknown      [3]atomic.Int32
	total        atomic.Int32
	stop         context.CancelFunc
	wg           sync.WaitGroup
}

func under(t *testing.T, s *Store) *load {
	t.Helper()
	runner := eventstore.NewRunner(s, counters, eventstore.Options{})
	l := &load{streams: [3]uuid.UUID{uuid.New(), uuid.New(), uuid.New()}}
	ctx, stop := context.WithCancel(t.Context())
	l.stop = stop
	for range 8 {
		l.wg.Go(func() {
			for ctx.Err() == nil {
				i := rand.IntN(len(l.streams))
				switch _, err := runner.Do(context.WithoutCancel(ctx), l.streams[i], addOne); {
				case err == nil:
					l.acknowledged[i].Add(1)
					l.total.Add(1)
				case errors.Is(err, eventstore.ErrUnknownOutcome):
					l.unknown[i].Add(1)
				case !errors.Is(err, eventstore.ErrUnavailable):
					t.Errorf("got %v", err)
				}
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) end() {
	l.stop()
	l.wg.Wait()
}

// passes waits until commands go through, and returns how long that took.
func (l *load) passes(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	for from := l.total.Load(); l.total.Load() < from+20; {
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("no command goes through")
		}
	}
	return time.Since(began)
}

// whole ends the load and checks that every acknowledged command was made once and no other, but for those whose outcome nobody was told.
func (l *load) whole(t *testing.T, s *Store) {
	t.Helper()
	l.end()
	for i, stream := range l.streams {
		sums(t, s, stream, int(l.acknowledged[i].Load()), int(l.acknowledged[i].Load()+l.unknown[i].Load()))
	}
	t.Logf("%d acknowledged, unknown %d, %d, %d", l.total.Load(), l.unknown[0].Load(), l.unknown[1].Load(), l.unknown[2].Load())
}

// TestCrashes ends the database as a loss of power would, again and again under load. No acknowledged command is lost, none made twice,
// and each time commands go through again.
func TestCrashes(t *testing.T) {
	t.Parallel()
	crashes := 2
	if os.Getenv("MAGO_SOAK") != "" {
		crashes = 10
	}
	cluster := started(t, true)
	url := cluster.URL("postgres")
	migrated(t, url)
	s := openedAt(t, url, Options{})
	createSums(t, s)
	l := under(t, s)
	for range crashes {
		l.passes(t)
		if err := errors.Join(cluster.Crash(), cluster.Start()); err != nil {
			t.Fatal(err)
		}
		t.Logf("20 commands went through within %v", l.passes(t))
	}
	l.whole(t, s)
}

// TestPrimaryLost: the primary dies under load for ever, its standby is promoted, and the store goes on with that by the same address. What was
// acknowledged is there.
func TestPrimaryLost(t *testing.T) {
	t.Parallel()
	primary := started(t, false)
	migrated(t, primary.URL("postgres"))
	standby, err := primary.Standby()
	if err != nil {
		t.Fatal(err)
	}
	stopped(t, standby)
	s := openedAt(t, primary.EitherURL(standby, "postgres"), Options{})
	createSums(t, s)
	l := under(t, s)
	l.passes(t)
	if err := errors.Join(primary.Crash(), standby.Promote()); err != nil {
		t.Fatal(err)
	}
	t.Logf("20 commands went through within %v", l.passes(t))
	l.whole(t, s)
}

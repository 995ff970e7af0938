package postgres

import (
	"context"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
)

// door is one server's bell and doorbell.
type door struct {
	*Doorbell
	bell *eventstore.Bell
}

// hung returns a server's doorbell on the database at the URL that has begun to hear.
func hung(t *testing.T, url string) door {
	t.Helper()
	d := door{bell: new(eventstore.Bell)}
	all, stop := d.bell.ListenAll()
	defer stop()
	d.Doorbell = openedAt(t, url, Options{}).NewDoorbell(d.bell)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	wait(t, all)
	return d
}

// wait waits for a ring.
func wait(t *testing.T, rung <-chan struct{}) {
	t.Helper()
	select {
	case <-rung:
	case <-time.After(time.Minute):
		t.Fatal("nobody rings")
	}
}

func TestDoorbell(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	a, b := hung(t, url), hung(t, url)
	stream := uuid.New()
	there, stopThere := b.bell.Listen(stream)
	defer stopThere()
	here, stopHere := a.bell.Listen(stream)
	defer stopHere()
	for version := 1; version <= 3; version++ {
		a.Ring(stream, version)
		select {
		case <-here:
		default:
			t.Error("the server's own listener was not rung at once")
		}
		wait(t, there)
	}
	b.Ring(stream, 4)
	wait(t, here)
}

// TestDoorbellOfMany: more streams than fit into a message, and all are rung.
func TestDoorbellOfMany(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	a, b := hung(t, url), hung(t, url)
	var last <-chan struct{}
	for range 20 {
		for range maxRung {
			stream := uuid.New()
			rung, stop := b.bell.Listen(stream)
			defer stop()
			last = rung
			a.Ring(stream, 1)
		}
		wait(t, last)
	}
}

// TestDoorbellComesBack: its connections are ended, and it rings again on new ones.
func TestDoorbellComesBack(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	a, b := hung(t, url), hung(t, url)
	stream := uuid.New()
	there, stop := b.bell.Listen(stream)
	defer stop()
	all, stopAll := b.bell.ListenAll()
	defer stopAll()
	if _, err := openedAt(t, url, Options{}).Writer().ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')`); err != nil {
		t.Fatal(err)
	}
	wait(t, all) // it hears again and looks everywhere
	a.Ring(stream, 5)
	wait(t, there)
}

func TestDoorbellMessage(t *testing.T) {
	t.Parallel()
	rung := make(map[uuid.UUID]int)
	for range maxRung {
		rung[uuid.New()] = math.MaxInt32
	}
	message := write(rung)
	if len(message) >= 8000 {
		t.Errorf("%d bytes", len(message))
	}
	if got, err := read(message); err != nil || !maps.Equal(got, rung) {
		t.Errorf("came back as %v, %v", got, err)
	}
	for _, bad := range []string{"", everything, "x", "x:1", message + ",", message[1:], message + ":1"} {
		if got, err := read(bad); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

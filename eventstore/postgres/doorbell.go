package postgres

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mago/eventstore"
)

const (
	// ringEvery is how often a server tells the others at most. Commits that notify wait for each other in the whole cluster of databases, so
	// appends never do, and what comes in between is told together.
	ringEvery = 25 * time.Millisecond
	// maxRung bounds the streams told of at once, as a message's length is bounded (8000 bytes, 34 a stream).
	maxRung = 200
	// everything is told where there were more.
	everything = "*"
	// listenCheck is how long a silent connection is trusted.
	listenCheck = 15 * time.Second
	channel     = "mago"
)

// Doorbell carries the rings of a Bell to the other servers on the database and theirs to it. A ring may be lost while connections are: who
// waits also looks once a second. The address of the store must not lead through a proxy that shares sessions between transactions.
type Doorbell struct {
	bell   *eventstore.Bell
	config *pgx.ConnConfig
	log    *slog.Logger
	self   atomic.Uint32 // the process of the database that rings for this server
	wake   chan struct{}

	mu    sync.Mutex
	rung  map[uuid.UUID]int // what the others are still to be told
	whole bool              // tell them to look everywhere
}

// NewDoorbell returns a doorbell around the bell, which works while Run does.
func (s *Store) NewDoorbell(bell *eventstore.Bell) *Doorbell {
	return &Doorbell{
		bell: bell, config: s.writer.Config().ConnConfig, log: s.log, wake: make(chan struct{}, 1), rung: make(map[uuid.UUID]int),
	}
}

// Ring tells listeners here at once and those of the other servers soon that a stream has come to a version.
func (d *Doorbell) Ring(stream uuid.UUID, version int) {
	d.bell.Ring(stream, version)
	d.mu.Lock()
	if !d.whole {
		d.rung[stream] = max(d.rung[stream], version)
		if len(d.rung) > maxRung {
			d.whole = true
			clear(d.rung)
		}
	}
	d.mu.Unlock()
	d.woken()
}

func (d *Doorbell) woken() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run connects the bell with the other servers until ctx is done. It holds two connections of its own and makes them anew when they are lost.
func (d *Doorbell) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { d.keep(ctx, "tell other servers of new events", d.tell) })
	wg.Go(func() { d.keep(ctx, "hear of other servers' new events", d.hear) })
	wg.Wait()
}

// keep runs f on a connection, and again on a new one whenever it fails.
func (d *Doorbell) keep(ctx context.Context, doing string, f func(context.Context, *pgx.Conn) error) {
	const first, last = 50 * time.Millisecond, 2 * time.Second
	for pause := first; ; pause = min(2*pause, last) {
		began := time.Now()
		err := d.on(ctx, f)
		if ctx.Err() != nil {
			return
		}
		d.log.WarnContext(ctx, "can't "+doing, "error", err)
		if time.Since(began) > last {
			pause = first // it had worked
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (d *Doorbell) on(ctx context.Context, f func(context.Context, *pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return err
	}
	err = f(ctx, conn)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return errors.Join(err, conn.Close(closing))
}

// tell tells the other servers what was rung here, at most once each ringEvery.
func (d *Doorbell) tell(ctx context.Context, conn *pgx.Conn) error {
	d.self.Store(conn.PgConn().PID())
	for {
		select {
		case <-d.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		if message := d.take(); message != "" {
			telling, cancel := context.WithTimeout(ctx, listenCheck)
			_, err := conn.Exec(telling, `SELECT pg_notify($1, $2)`, channel, message)
			cancel()
			if err != nil {
				d.mu.Lock()
				d.whole = true // whatever it was
				d.mu.Unlock()
				d.woken()
				return err
			}
		}
		select {
		case <-time.After(ringEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take returns what the others are to be told, "" for nothing.
func (d *Doorbell) take() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { d.whole = false; clear(d.rung) }()
	if d.whole {
		return everything
	}
	return write(d.rung)
}

// hear passes the rings of the other servers on.
func (d *Doorbell) hear(ctx context.Context, conn *pgx.Conn) error {
	listening, cancel := context.WithTimeout(ctx, listenCheck)
	defer cancel()
	if _, err := conn.Exec(listening, "LISTEN "+channel); err != nil {
		return err
	}
	d.bell.RingAll() // what was rung while nobody heard it here
	for {
		n, err := heard(ctx, conn)
		if err != nil {
			return err
		}
		if n == nil || n.PID == d.self.Load() {
			continue
		}
		rung, err := read(n.Payload)
		if err != nil {
			d.bell.RingAll() // a newer server may say it in another way
			continue
		}
		for stream, version := range rung {
			d.bell.Ring(stream, version)
		}
	}
}

// heard waits for a notification; nil is none, on a connection that lives.
func heard(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	waiting, cancel := context.WithTimeout(ctx, listenCheck)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	if err == nil || waiting.Err() == nil || ctx.Err() != nil {
		return n, err
	}
	asking, cancel := context.WithTimeout(ctx, listenCheck)
	defer cancel()
	return nil, conn.Ping(asking)
}

// write is the message of streams and the versions they have come to: "ID:VERSION,…", ids in base64.
func write(rung map[uuid.UUID]int) string {
	parts := make([]string, 0, len(rung))
	for stream, version := range rung {
		parts = append(parts, base64.RawURLEncoding.EncodeToString(stream[:])+":"+strconv.Itoa(version))
	}
	return strings.Join(parts, ",")
}

// read is the reverse of write.
func read(message string) (map[uuid.UUID]int, error) {
	rung := make(map[uuid.UUID]int)
	for part := range strings.SplitSeq(message, ",") {
		id, version, _ := strings.Cut(part, ":")
		raw, err := base64.RawURLEncoding.DecodeString(id)
		if err != nil || len(raw) != len(uuid.UUID{}) {
			return nil, fmt.Errorf("%q names no stream", part)
		}
		n, err := strconv.Atoi(version)
		if err != nil {
			return nil, fmt.Errorf("%q names no version", part)
		}
		rung[uuid.UUID(raw)] = n
	}
	return rung, nil
}

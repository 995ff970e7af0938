// Package postgres keeps events in PostgreSQL (15 or newer), for any number of servers beside each other on one database.
//
// An append is one statement in one round trip, with the statements of its read models behind it in the same message and the same
// transaction. There are two pools of connections: one that writes and one that can only read, so that neither keeps the other waiting.
// Both reach the primary, so reads see everything that was acknowledged before they began.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"mago/eventstore"
)

// Options of a Store; what is zero gets its default.
type Options struct {
	Writers          int           // connections that write, 16
	Readers          int           // connections that read, 8
	AcquireTimeout   time.Duration // how long to wait for a free connection, 2 s
	ConnectTimeout   time.Duration // of each host of the address, 3 s; connect_timeout in the address goes first
	StatementTimeout time.Duration // after which the database gives a statement up, 30 s; statement_timeout in the address goes first
	Logger           *slog.Logger  // nothing is logged by default
}

// Store is an eventstore.Store on a PostgreSQL database.
type Store struct {
	writer, reader     *pgxpool.Pool
	writerDB, readerDB *sql.DB
	acquireTimeout     time.Duration
	log                *slog.Logger
	once               sync.Once
	lost               atomic.Int64 // when a connection was last found dead, in nanoseconds since the store was opened
	opened             time.Time
}

var _ eventstore.Store = (*Store)(nil)

// Open connects to the database. The address is a URL as libpq reads it: it may name several hosts, of which the one that takes writes is
// used, and the settings of a session. Its tables must be there before the first call to the Store (package migrations makes them). ctx bounds the opening only.
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	opts = opts.withDefaults()
	s := &Store{acquireTimeout: opts.AcquireTimeout, log: opts.Logger, opened: time.Now()}
	var err error
	// What is written is found by key, so a plan made once serves: making it anew each time costs more than the append.
	if s.writer, err = s.openPool(ctx, url, opts.Writers, opts, "plan_cache_mode", "force_generic_plan"); err != nil {
		return nil, err
	}
	if s.reader, err = s.openPool(ctx, url, opts.Readers, opts, "default_transaction_read_only", "on"); err != nil {
		s.writer.Close()
		return nil, err
	}
	s.writerDB, s.readerDB = s.openDB(s.writer, false), s.openDB(s.reader, true)
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Writers <= 0 {
		o.Writers = 16
	}
	if o.Readers <= 0 {
		o.Readers = 8
	}
	if o.AcquireTimeout <= 0 {
		o.AcquireTimeout = 2 * time.Second
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 3 * time.Second
	}
	if o.StatementTimeout <= 0 {
		o.StatementTimeout = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (s *Store) openPool(ctx context.Context, url string, conns int, opts Options, param, value string) (*pgxpool.Pool, error) {
	config, err := poolConfig(url, conns, opts, param, value)
	if err != nil {
		return nil, err
	}
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return s.doubts(p.IdleDuration) }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, failed("open the database", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, failed("open the database", err)
	}
	return pool, nil
}

func poolConfig(url string, conns int, opts Options, param, value string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database address can't be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE") // it is not repeated: it may hold a password
	}
	config.MaxConns = int32(min(conns, 10_000)) //nolint:gosec // bounded
	config.MaxConnLifetimeJitter = 5 * time.Minute
	config.PingTimeout = opts.AcquireTimeout / 2
	conn := config.ConnConfig
	if conn.ConnectTimeout <= 0 {
		conn.ConnectTimeout = opts.ConnectTimeout
	}
	// Not "read-write": the pool that only reads would never find one.
	conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	for name, value := range map[string]string{
		"application_name":                    "mago",
		"statement_timeout":                   strconv.FormatInt(opts.StatementTimeout.Milliseconds(), 10),
		"idle_in_transaction_session_timeout": "10000", // a server that is gone must not hold its locks
	} {
		if _, given := conn.RuntimeParams[name]; !given {
			conn.RuntimeParams[name] = value
		}
	}
	conn.RuntimeParams[param] = value
	return config, nil
}

// noteLost notes that a connection was found dead: the others that have been idle since before may be so too.
func (s *Store) noteLost() { s.lost.Store(int64(time.Since(s.opened))) }

// doubts reports whether a connection that was idle so long must show that it lives before it is used: finding out with an append would
// leave its outcome unknown.
func (s *Store) doubts(idle time.Duration) bool {
	lost := s.lost.Load()
	return idle > time.Second || lost > 0 && idle >= time.Since(s.opened)-time.Duration(lost)
}

// acquire takes a connection from the pool; that it can't be had says nothing of the stored events.
func (s *Store) acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.acquireTimeout)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a connection: %w: %w", eventstore.ErrUnavailable, err)
	}
	return conn, nil
}

// Writer returns the connections that write, for accounts and read models. Its errors wrap eventstore.ErrUnavailable where
// trying again later may help, and eventstore.ErrUnknownOutcome where a change may or may not have been stored.
func (s *Store) Writer() *sql.DB { return s.writerDB }

// Reader returns the connections that can only read. What can be read again after a lost connection is.
func (s *Store) Reader() *sql.DB { return s.readerDB }

// Now returns the database's time.
func (s *Store) Now(ctx context.Context) (now time.Time, err error) {
	err = s.readerDB.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&now)
	return now, err
}

// Close waits for what is running and closes all connections. It may be called twice.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		err = errors.Join(s.readerDB.Close(), s.writerDB.Close())
		s.reader.Close()
		s.writer.Close()
	})
	return err
}

// Package sqlite keeps events in one SQLite file, for a server that is one process.
//
// There is one writing connection. Appends go through a goroutine that puts all that wait into one commit, so that many players'
// moves share one fsync; everything else that writes (accounts, settings) borrows the same connection between commits.
// Reads have connections of their own and see everything that was acknowledged before they began.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"mago/eventstore"
)

// Options of a Store; what is zero gets its default.
type Options struct {
	Readers     int           // connections that read, 4
	BusyTimeout time.Duration // how long to wait for another process that writes or for the writing connection, 5 s

	commit func(*session) error // tests let it fail
}

// Store is an eventstore.Store on an SQLite file.
type Store struct {
	writer, reader *sql.DB
	busyTimeout    time.Duration

	queue   chan *pending
	closing chan struct{} // closed when Close begins
	stopped chan struct{} // closed when the writing goroutine has ended
	once    sync.Once
	session *session // of the writing goroutine alone
	commit  func(*session) error

	mu       sync.Mutex
	prepared map[string]*sql.Stmt // on reader
}

var _ eventstore.Store = (*Store)(nil)

// Open opens the database file, creating it if there is none. Its tables must be there before the first call to the Store
// (package migrations makes them). ctx bounds the opening only.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	if opts.Readers <= 0 {
		opts.Readers = 4
	}
	if opts.BusyTimeout <= 0 {
		opts.BusyTimeout = 5 * time.Second
	}
	if opts.commit == nil {
		opts.commit = (*session).commit
	}
	s := &Store{
		busyTimeout: opts.BusyTimeout,
		queue:       make(chan *pending, maxBatch),
		closing:     make(chan struct{}),
		stopped:     make(chan struct{}),
		commit:      opts.commit,
		prepared:    make(map[string]*sql.Stmt),
	}
	var err error
	// The writer comes first: it makes the file and turns it to WAL, which a reader may not.
	s.writer, err = open(ctx, path, opts.BusyTimeout, 1, url.Values{"_journal_mode": {"WAL"}, "_txlock": {"immediate"}})
	if err != nil {
		return nil, err
	}
	s.reader, err = open(ctx, path, opts.BusyTimeout, opts.Readers, url.Values{"_query_only": {"1"}})
	if err != nil {
		return nil, errors.Join(err, s.writer.Close())
	}
	go s.write()
	return s, nil
}

func open(ctx context.Context, path string, busy time.Duration, conns int, params url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	params.Set("_busy_timeout", fmt.Sprint(busy.Milliseconds()))
	params.Set("_synchronous", "FULL")
	params.Set("_foreign_keys", "1")
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: abs, RawQuery: params.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(failed("open database "+path, err), db.Close())
	}
	return db, nil
}

// Writer returns the pool of the one connection that writes. Its transactions begin IMMEDIATE. Appends wait while it is taken,
// so a transaction on it must be short, and must not append.
func (s *Store) Writer() *sql.DB { return s.writer }

// Reader returns the pool of connections that can only read.
func (s *Store) Reader() *sql.DB { return s.reader }

// Close lets the appends that are already waiting be stored, refuses later ones, and closes the database. It may be called twice.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closing)
		<-s.stopped
		err = errors.Join(s.closeReader(), s.writer.Close())
	})
	return err
}

func (s *Store) closeReader() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	clear(s.prepared)
	return errors.Join(append(errs, s.reader.Close())...)
}

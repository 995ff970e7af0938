package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
)

// errDisk stands for an error that says nothing of what is on the disk.
var errDisk = errors.New("disk failed")

// appendAll appends one event to each of n new streams at once, and returns the errors.
func appendAll(t *testing.T, s *Store, n int) (streams []uuid.UUID, errs []error) {
	t.Helper()
	streams, errs = make([]uuid.UUID, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		streams[i] = uuid.New()
		b := batch(t, streams[i], eventstore.Tip{}, 1)
		wg.Go(func() { errs[i] = s.Append(t.Context(), b) })
	}
	wg.Wait()
	return streams, errs
}

// version is where the stream stands in the store.
func version(t *testing.T, s *Store, stream uuid.UUID) int {
	t.Helper()
	records, err := s.Read(t.Context(), stream, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return len(records)
}

// hold takes the writing connection, so that appends gather, until release.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	conn, err := s.Writer().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}

// waiting waits until n appends are in the queue behind the one that the goroutine holds.
func waiting(t *testing.T, s *Store, n int) {
	t.Helper()
	for len(s.queue) < n {
		select {
		case <-t.Context().Done():
			t.Fatal("the appends don't come")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestGroupCommit(t *testing.T) {
	t.Parallel()
	var commits atomic.Int32
	s := opened(t, Options{commit: func(w *session) error { commits.Add(1); return w.commit() }})
	release := hold(t, s)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, errs := appendAll(t, s, 51)
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	})
	waiting(t, s, 50)
	release()
	wg.Wait()
	if n := commits.Load(); n != 1 {
		t.Errorf("%d commits for appends that waited together", n)
	}
}

// TestToldAfterCommit: results are told only after the commit.
func TestToldAfterCommit(t *testing.T) {
	t.Parallel()
	var committed atomic.Bool
	s := opened(t, Options{commit: func(w *session) error {
		err := w.commit()
		committed.Store(true)
		return err
	}})
	if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); err != nil || !committed.Load() {
		t.Errorf("told %v, committed: %v", err, committed.Load())
	}
}

// TestCommitFails: a commit of which nobody can say whether it was done is an unknown outcome, and Lookup then knows.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	for name, done := range map[string]bool{"and is done": true, "and is not done": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var fail atomic.Bool
			s := opened(t, Options{commit: func(w *session) error {
				if !fail.Load() {
					return w.commit()
				}
				if done {
					if err := w.commit(); err != nil {
						return err
					}
				}
				return errDisk
			}})
			fail.Store(true)
			b := batch(t, uuid.New(), eventstore.Tip{}, 2)
			if err := s.Append(t.Context(), b); !errors.Is(err, eventstore.ErrUnknownOutcome) || !errors.Is(err, errDisk) {
				t.Errorf("got %v", err)
			}
			want := 0
			if done {
				want = 1
			}
			if v, err := s.Lookup(t.Context(), b.Records[0].Stream, b.Command); v != want || err != nil {
				t.Errorf("found at %d, %v; want %d", v, err, want)
			}
			// The next append has a sound connection and no open transaction.
			fail.Store(false)
			if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); err != nil {
				t.Error(err)
			}
			if got := version(t, s, b.Records[0].Stream); got != 2*want {
				t.Errorf("%d events", got)
			}
		})
	}
}

// TestDeferredForeignKey: what only the commit finds refuses the append that did it and no other.
func TestDeferredForeignKey(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	if _, err := s.Writer().Exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
		CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`); err != nil {
		t.Fatal(err)
	}
	release := hold(t, s)
	const n = 10
	var wg sync.WaitGroup
	for i := range n {
		b := batch(t, uuid.New(), eventstore.Tip{}, 1)
		if i%3 == 0 {
			b.With = []eventstore.Statement{{SQL: `INSERT INTO child (id) VALUES ($1)`, Args: []any{int64(i)}}}
		}
		wg.Go(func() {
			err := s.Append(t.Context(), b)
			if (err != nil) != (i%3 == 0) || errors.Is(err, eventstore.ErrUnknownOutcome) {
				t.Errorf("append %d: %v", i, err)
			}
			want := 1
			if i%3 == 0 {
				want = 0
			}
			if got := version(t, s, b.Records[0].Stream); got != want {
				t.Errorf("append %d: %d events, want %d", i, got, want)
			}
		})
	}
	waiting(t, s, n-1)
	release()
	wg.Wait()
}

// TestFull: a full disk refuses appends as unavailable and stores nothing; when there is room again, it goes on.
func TestFull(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	pages := func(n int) {
		t.Helper()
		if _, err := s.Writer().Exec(fmt.Sprint("PRAGMA max_page_count = ", n)); err != nil {
			t.Fatal(err)
		}
	}
	pages(1) // SQLite takes it as: no more than there are now
	b := batch(t, uuid.New(), eventstore.Tip{}, 1)
	b.Records[0].Data = []byte(`"` + strings.Repeat("x", 100_000) + `"`)
	if err := s.Append(t.Context(), b); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if got := version(t, s, b.Records[0].Stream); got != 0 {
		t.Errorf("%d events", got)
	}
	pages(1 << 30)
	if err := s.Append(t.Context(), b); err != nil {
		t.Error(err)
	}
}

// TestOtherProcessWrites: while another process holds the file's lock for too long, appends are refused as unavailable.
func TestOtherProcessWrites(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{BusyTimeout: 50 * time.Millisecond})
	other := raw(t, s)
	if _, err := other.Exec(`BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	streams, errs := appendAll(t, s, 5)
	for i, err := range errs {
		if !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("got %v", err)
		}
		if got := version(t, s, streams[i]); got != 0 {
			t.Errorf("%d events", got)
		}
	}
	if _, err := other.Exec(`COMMIT`); err != nil {
		t.Fatal(err)
	}
	if _, errs := appendAll(t, s, 5); errors.Join(errs...) != nil {
		t.Error(errs)
	}
}

// TestWriterTaken: the same while somebody in this process keeps the writing connection.
func TestWriterTaken(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{BusyTimeout: 50 * time.Millisecond})
	release := hold(t, s)
	if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	release()
	if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); err != nil {
		t.Error(err)
	}
}

// TestGivenUp: an append whose caller leaves while it waits is not stored, and doesn't hold up the others.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	left, stayed := batch(t, uuid.New(), eventstore.Tip{}, 1), batch(t, uuid.New(), eventstore.Tip{}, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Append(ctx, left)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("who left got %v", err)
		}
		release()
	})
	wg.Go(func() {
		if err := s.Append(t.Context(), stayed); err != nil {
			t.Errorf("who stayed got %v", err)
		}
	})
	waiting(t, s, 1)
	cancel()
	wg.Wait()
	if l, st := version(t, s, left.Records[0].Stream), version(t, s, stayed.Records[0].Stream); l != 0 || st != 1 {
		t.Errorf("who left has %d events, who stayed %d", l, st)
	}
}

// TestLeftDuringCommit: a caller who leaves while the append is written can't know, and Lookup does once it is done.
func TestLeftDuringCommit(t *testing.T) {
	t.Parallel()
	committing, leave := make(chan struct{}), make(chan struct{})
	s := opened(t, Options{commit: func(w *session) error {
		close(committing)
		<-leave
		return w.commit()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	b := batch(t, uuid.New(), eventstore.Tip{}, 1)
	go func() { <-committing; cancel() }()
	if err := s.Append(ctx, b); !errors.Is(err, eventstore.ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	close(leave)
	release := hold(t, s) // had only after the commit
	defer release()
	if v, err := s.Lookup(t.Context(), b.Records[0].Stream, b.Command); v != 1 || err != nil {
		t.Errorf("found at %d, %v", v, err)
	}
}

// TestClose: appends are stored and acknowledged, or refused and not stored, however they meet the end.
func TestClose(t *testing.T) {
	t.Parallel()
	path := migrated(t)
	s := mustOpen(t, path, Options{})
	const writers = 16
	acknowledged := make([]int, writers)
	streams := make([]uuid.UUID, writers)
	var started, wg sync.WaitGroup
	started.Add(writers)
	for i := range writers {
		streams[i] = uuid.New()
		wg.Go(func() {
			var tip eventstore.Tip
			for {
				b := batch(t, streams[i], tip, 1)
				err := s.Append(t.Context(), b)
				if acknowledged[i] == 0 {
					started.Done()
				}
				if err != nil {
					if !errors.Is(err, eventstore.ErrUnavailable) {
						t.Errorf("got %v", err)
					}
					return
				}
				acknowledged[i]++
				tip = eventstore.Tip{Version: tip.Version + 1, Hash: b.Records[0].Hash, At: b.Records[0].At}
			}
		})
	}
	started.Wait()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if _, err := s.Read(t.Context(), streams[0], 0, 0); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("a read after the end got %v", err)
	}
	again := mustOpen(t, path, Options{})
	defer again.Close()
	for i, stream := range streams {
		if got := version(t, again, stream); got != acknowledged[i] {
			t.Errorf("%d events, %d acknowledged", got, acknowledged[i])
		}
	}
}

// TestWriterShared: others write through the same connection between appends.
func TestWriterShared(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	if _, err := s.Writer().Exec(`CREATE TABLE other (n INTEGER)`); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				if _, errs := appendAll(t, s, 1); errs[0] != nil {
					t.Error(errs[0])
				}
			}
		})
		wg.Go(func() {
			for n := range 10 {
				tx, err := s.Writer().BeginTx(t.Context(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := tx.Exec(`INSERT INTO other VALUES ($1)`, n); err != nil {
					t.Error(err)
				}
				if err := tx.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var rows int
	if err := s.Reader().QueryRow(`SELECT count(*) FROM other`).Scan(&rows); err != nil || rows != 40 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

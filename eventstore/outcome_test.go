package eventstore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
)

var errLost = fmt.Errorf("connection lost: %w", ErrUnknownOutcome)

// once returns a script that runs f at the first append only.
func once(f func(m *memory, b Batch) error) func(context.Context, *memory, Batch) error {
	done := false
	return func(_ context.Context, m *memory, b Batch) error {
		if done {
			return nil
		}
		done = true
		return f(m, b)
	}
}

// applied checks that one command that adds 5 to a stream of 1 was stored exactly once, and that the caller was told so.
func applied(t *testing.T, m *memory, r *Runner[counter, added]) {
	t.Helper()
	l, err := r.Do(t.Context(), testStream, add(6, 5))
	if err != nil || l.State.Total != 6 || l.Version != 2 {
		t.Errorf("told %+v, %v", l, err)
	}
	m.onAppend, m.onLookup, m.onRead = nil, nil, nil
	for _, r := range []*Runner[counter, added]{r, NewRunner(m, counters, Options{})} {
		if l, err := r.Load(t.Context(), testStream); err != nil || l.State.Total != 6 {
			t.Errorf("stored %+v, %v", l, err)
		}
	}
}

func begun(t *testing.T) (*memory, *Runner[counter, added]) {
	t.Helper()
	m := newMemory()
	r := NewRunner(m, counters, Options{AppendTimeout: time.Minute})
	mustDo(t, r, testStream, 1)
	m.counts()
	return m, r
}

func TestUnknownAndStored(t *testing.T) {
	t.Parallel()
	m, r := begun(t)
	m.onAppend = once(func(m *memory, b Batch) error { return errors.Join(m.put(b), errLost) })
	applied(t, m, r)
	if appends, _, lookups := m.counts(); appends != 1 || lookups != 1 {
		t.Errorf("%d appends, %d look-ups", appends, lookups)
	}
}

func TestUnknownAndNotStored(t *testing.T) {
	t.Parallel()
	m, r := begun(t)
	m.onAppend = once(func(*memory, Batch) error { return errLost })
	applied(t, m, r)
	if appends, _, _ := m.counts(); appends != 2 {
		t.Errorf("%d appends", appends)
	}
}

// TestUnknownAndStoredLate: the look-up finds nothing, and then the append is stored after all, before or after it is decided again.
func TestUnknownAndStoredLate(t *testing.T) {
	t.Parallel()
	t.Run("before the state is read", func(t *testing.T) {
		t.Parallel()
		m, r := begun(t)
		var late Batch
		m.onAppend = once(func(_ *memory, b Batch) error { late = b; return errLost })
		m.onRead = func() error {
			if late.Records == nil {
				return nil
			}
			b := late
			late = Batch{}
			return m.put(b)
		}
		applied(t, m, r)
	})
	t.Run("before the second append", func(t *testing.T) {
		t.Parallel()
		m, r := begun(t)
		var late Batch
		m.onAppend = func(_ context.Context, m *memory, b Batch) error {
			if late.Records == nil {
				late = b
				return errLost
			}
			return m.put(late) // the append then conflicts
		}
		applied(t, m, r)
	})
}

// TestUnknownThenRefused: the append is lost, another process goes ahead, and the command is refused.
func TestUnknownThenRefused(t *testing.T) {
	t.Parallel()
	m, r := begun(t)
	other := NewRunner(m, counters, Options{})
	var lost Batch
	m.onAppend = once(func(_ *memory, b Batch) error { lost = b; return errLost })
	m.onLookup = func(m *memory) error {
		m.onLookup = nil
		m.mu.Unlock()
		defer m.mu.Lock()
		mustDo(t, other, testStream, 3)
		return nil
	}
	l, err := r.Do(t.Context(), testStream, add(6, 5))
	if !errors.Is(err, errTooMuch) || errors.Is(err, ErrUnknownOutcome) || l.State.Total != 4 {
		t.Errorf("told %+v, %v", l, err)
	}
	var conflict *ConflictError
	if err := m.put(lost); !errors.As(err, &conflict) {
		t.Errorf("the lost append could still be stored: %v", err)
	}
}

// TestUnknownAndNobodyToAsk: the caller is told that it isn't known, and the truth is found later.
func TestUnknownAndNobodyToAsk(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{AppendTimeout: 30 * time.Millisecond})
	mustDo(t, r, testStream, 1)
	m.onAppend = once(func(m *memory, b Batch) error { return errors.Join(m.put(b), errLost) })
	m.onLookup = func(*memory) error { return ErrUnavailable }
	if _, err := r.Do(t.Context(), testStream, add(6, 5)); !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	m.onLookup = nil
	if l, err := r.Load(t.Context(), testStream); err != nil || l.State.Total != 6 {
		t.Errorf("later: %+v, %v", l, err)
	}
	if _, err := r.Do(t.Context(), testStream, add(6, 5)); !errors.Is(err, errTooMuch) || errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("the next command: %v", err)
	}
}

// TestLookupIsAskedAgain: a database that is away for a moment is waited for.
func TestLookupIsAskedAgain(t *testing.T) {
	t.Parallel()
	m, r := begun(t)
	m.onAppend = once(func(m *memory, b Batch) error { return errors.Join(m.put(b), errLost) })
	failures := 3
	m.onLookup = func(*memory) error {
		if failures--; failures >= 0 {
			return ErrUnavailable
		}
		return nil
	}
	applied(t, m, r)
}

// TestCallerLeaves: the append of a caller that goes away is carried through, and so is finding out about it.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]error{"acknowledged": nil, "unknown": errLost} {
		m, r := begun(t)
		ctx, cancel := context.WithCancel(t.Context())
		m.onAppend = once(func(m *memory, b Batch) error {
			cancel()
			return errors.Join(outcome, func() error {
				if outcome == nil {
					return nil
				}
				return m.put(b)
			}())
		})
		inner := m.onAppend
		m.onAppend = func(actx context.Context, m *memory, b Batch) error {
			err := inner(actx, m, b)
			if actx.Err() != nil {
				t.Errorf("%s: the append ended with its caller", name)
			}
			if _, bounded := actx.Deadline(); !bounded {
				t.Errorf("%s: the append has no bound", name)
			}
			return err
		}
		if l, err := r.Do(ctx, testStream, add(6, 5)); err != nil || l.State.Total != 6 {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}

// TestUnavailable: an append that was not stored is not tried again, and the caller may.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	m, r := begun(t)
	m.onAppend = once(func(*memory, Batch) error { return fmt.Errorf("busy: %w", ErrUnavailable) })
	if _, err := r.Do(t.Context(), testStream, add(6, 5)); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	applied(t, m, r)
	m.onRead = func() error { return fmt.Errorf("busy: %w", ErrUnavailable) }
	if _, err := r.Load(t.Context(), testStream); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// TestCommandsOnAStreamWait: while one command appends, another on the stream waits, one on another stream doesn't, and
// waiting ends with the caller's context.
func TestCommandsOnAStreamWait(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{AppendTimeout: time.Minute})
	appending, goOn := make(chan struct{}), make(chan struct{})
	m.onAppend = once(func(m *memory, _ Batch) error {
		m.mu.Unlock()
		defer m.mu.Lock()
		close(appending)
		<-goOn
		return nil
	})
	first := make(chan error, 1)
	go func() {
		_, err := r.Do(t.Context(), testStream, add(10, 1))
		first <- err
	}()
	<-appending
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Do(ctx, testStream, add(10, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("who waits got %v", err)
	}
	mustDo(t, r, uuid.New(), 1)
	close(goOn)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if l := mustDo(t, r, testStream, 1); l.State.Total != 2 {
		t.Errorf("%+v", l)
	}
}

package eventstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Aggregate is what the Runner must know of the streams it runs: the state S, a plain value of which a copy is a snapshot,
// and the events E that change it.
type Aggregate[S, E any] struct {
	Encode func(event E) Event
	Decode func(record Record) (E, error)
	// Evolve returns the state after the event; it starts from the zero S and never fails. at is the record's time.
	Evolve func(state S, event E, at int64) S
	// Inline returns the statements that keep read models in the transaction of the append. It may be nil.
	Inline func(id uuid.UUID, before, after Loaded[S], events []E) []Statement
}

// Loaded is a stream's state and where the stream stood with it. At Version 0 there is no such stream.
type Loaded[S any] struct {
	State   S
	Version int
	Head    Hash  // of the event at Version
	At      int64 // of the event at Version, Unix milliseconds
}

// Decision is what a command does to a stream. With no events and no statements nothing is appended.
type Decision[E any] struct {
	Events []E
	First  []Statement // run in the append's transaction, before the inline read models'; an error if there are no events
	With   []Statement // run in the append's transaction, after the inline read models'; an error if there are no events
}

// Options of a Runner; what is zero gets its default.
type Options struct {
	CacheSize     int              // streams kept in memory, 4096
	Now           func() time.Time // time.Now
	Rand          io.Reader        // salts and command ids, crypto/rand.Reader
	AppendTimeout time.Duration    // of one append or of finding out what became of it, 5 s; the caller's context doesn't end it
	// Appended is told the version a stream has come to, after each append that is known to be stored. It must return at once: Bell.Ring does.
	Appended func(stream uuid.UUID, version int)
}

// CorruptError says that a stream can't be used as it is stored: its chain is broken, or one of its events is of a type or form that
// this program doesn't know. Err says which. Other streams are not concerned.
type CorruptError struct {
	Stream  uuid.UUID
	Version int
	Err     error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("stream %s can't be read at version %d: %v", e.Stream, e.Version, e.Err)
}

// Unwrap returns what was wrong.
func (e *CorruptError) Unwrap() error { return e.Err }

// Runner is the loop through which all commands and reads of one kind of stream go. Its methods may be called at once
// from many goroutines; commands on one stream wait for each other, those on different streams don't.
type Runner[S, E any] struct {
	store Store
	agg   Aggregate[S, E]
	opts  Options
	cache *cache[S]
	locks KeyedLock[uuid.UUID]
}

// NewRunner returns a Runner on the store.
func NewRunner[S, E any](store Store, agg Aggregate[S, E], opts Options) *Runner[S, E] {
	if opts.CacheSize <= 0 {
		opts.CacheSize = 4096
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	} else {
		opts.Rand = &lockedReader{r: opts.Rand}
	}
	if opts.AppendTimeout <= 0 {
		opts.AppendTimeout = 5 * time.Second
	}
	if opts.Appended == nil {
		opts.Appended = func(uuid.UUID, int) {}
	}
	return &Runner[S, E]{store: store, agg: agg, opts: opts, cache: newCache[S](opts.CacheSize)}
}

// Load returns the stream's newest state: what is cached and whatever the store has since. It is never older than what any
// process was told before the call.
func (r *Runner[S, E]) Load(ctx context.Context, id uuid.UUID) (Loaded[S], error) {
	cached, _ := r.cache.get(id)
	return r.catchUp(ctx, id, cached)
}

// LoadAt returns the state as it stood at the version, replayed from the stream's beginning; at the newest version if there is
// no such version yet. The version is at least 1.
func (r *Runner[S, E]) LoadAt(ctx context.Context, id uuid.UUID, version int) (Loaded[S], error) {
	if version < 1 {
		return Loaded[S]{}, fmt.Errorf("load stream %s at version %d: versions start at 1", id, version)
	}
	records, err := r.store.Read(ctx, id, 0, version)
	if err != nil {
		return Loaded[S]{}, fmt.Errorf("load stream %s at version %d: %w", id, version, err)
	}
	return r.replay(id, Loaded[S]{}, records)
}

// catchUp returns the newest state, reading only what follows from, and caches it.
func (r *Runner[S, E]) catchUp(ctx context.Context, id uuid.UUID, from Loaded[S]) (Loaded[S], error) {
	records, err := r.store.Read(ctx, id, from.Version, 0)
	if err != nil {
		return from, fmt.Errorf("load stream %s: %w", id, err)
	}
	next, err := r.replay(id, from, records)
	var broken *ChainError
	if from.Version > 0 && errors.As(err, &broken) {
		// The fault may be in what was cached, if the database was put back to an older state: the whole stream tells.
		r.cache.remove(id)
		return r.catchUp(ctx, id, Loaded[S]{})
	}
	if err != nil {
		return from, err
	}
	if next.Version > 0 {
		r.cache.put(id, next)
	}
	return next, nil
}

// replay checks the records' chain and folds them into the state.
func (r *Runner[S, E]) replay(id uuid.UUID, from Loaded[S], records []Record) (Loaded[S], error) {
	tip, err := VerifyChain(id, from.tip(), records)
	if err != nil {
		return from, &CorruptError{Stream: id, Version: tip.Version + 1, Err: err}
	}
	state := from.State
	for _, record := range records {
		event, err := r.agg.Decode(record)
		if err != nil {
			return from, &CorruptError{Stream: id, Version: record.Version, Err: err}
		}
		state = r.agg.Evolve(state, event, record.At)
	}
	return Loaded[S]{State: state, Version: tip.Version, Head: tip.Hash, At: tip.At}, nil
}

func (l Loaded[S]) tip() Tip { return Tip{Version: l.Version, Hash: l.Head, At: l.At} }

// lockedReader lets a source of random bytes that was given be read by many goroutines.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}

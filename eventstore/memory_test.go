package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// memory is a store in memory whose answers a test can script.
type memory struct {
	mu       sync.Mutex
	streams  map[uuid.UUID][]Record
	commands map[uuid.UUID]int
	with     []Statement // of all appends that were stored
	appends  int
	reads    int
	lookups  int

	// onAppend, if set, is asked before an append; what it returns is done instead if it is not nil.
	onAppend func(ctx context.Context, m *memory, b Batch) error
	onRead   func() error
	onLookup func(m *memory) error
}

var _ Store = (*memory)(nil)

func newMemory() *memory {
	return &memory{streams: make(map[uuid.UUID][]Record), commands: make(map[uuid.UUID]int)}
}

func (m *memory) Append(ctx context.Context, b Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.appends++
	if m.onAppend != nil {
		if err := m.onAppend(ctx, m, b); err != nil {
			return err
		}
	}
	return m.put(b)
}

// put is an append without a script; the caller holds the lock.
func (m *memory) put(b Batch) error {
	id := b.Records[0].Stream
	if len(m.streams[id]) != b.Expected() {
		return &ConflictError{Stream: id, Expected: b.Expected()}
	}
	m.streams[id] = append(m.streams[id], b.Records...)
	m.commands[b.Command] = b.Records[0].Version
	m.with = append(m.with, b.With...)
	return nil
}

func (m *memory) Read(_ context.Context, stream uuid.UUID, after, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if m.onRead != nil {
		if err := m.onRead(); err != nil {
			return nil, err
		}
	}
	all := m.streams[stream]
	rest := all[min(after, len(all)):]
	if limit > 0 {
		rest = rest[:min(limit, len(rest))]
	}
	return append([]Record(nil), rest...), nil
}

func (m *memory) ReadAll(context.Context, Cursor, int) ([]Record, Cursor, error) {
	return nil, "", errors.New("the runner reads streams only")
}

func (m *memory) Lookup(_ context.Context, _, command uuid.UUID) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lookups++
	if m.onLookup != nil {
		if err := m.onLookup(m); err != nil {
			return 0, err
		}
	}
	return m.commands[command], nil
}

// counts returns how often the store was called, and starts counting anew.
func (m *memory) counts() (appends, reads, lookups int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	appends, reads, lookups = m.appends, m.reads, m.lookups
	m.appends, m.reads, m.lookups = 0, 0, 0
	return appends, reads, lookups
}

// added is the one event of the tests' aggregate, a counter.
type added struct {
	N int `json:"n"`
}

// counter is the aggregate's state.
type counter struct {
	Total, Events int
	Last          int64
}

var counters = Aggregate[counter, added]{
	Encode: func(e added) Event {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		return Event{Type: "added", Data: data}
	},
	Decode: func(r Record) (e added, err error) {
		if r.Type != "added" {
			return e, fmt.Errorf("unknown type %q", r.Type)
		}
		return e, json.Unmarshal(r.Data, &e)
	},
	Evolve: func(s counter, e added, at int64) counter {
		return counter{Total: s.Total + e.N, Events: s.Events + 1, Last: at}
	},
	Inline: func(_ uuid.UUID, before, after Loaded[counter], events []added) []Statement {
		return []Statement{{SQL: "inline", Args: []any{int64(before.Version), int64(after.Version), int64(after.State.Total), int64(len(events))}}}
	},
}

var errTooMuch = errors.New("too much")

// add decides to add each n, unless the total would go above limit.
func add(limit int, ns ...int) func(Loaded[counter]) (Decision[added], error) {
	return func(l Loaded[counter]) (Decision[added], error) {
		var d Decision[added]
		total := l.State.Total
		for _, n := range ns {
			if total += n; total > limit {
				return Decision[added]{}, errTooMuch
			}
			d.Events = append(d.Events, added{N: n})
		}
		return d, nil
	}
}

// mustDo runs a command that must succeed.
func mustDo(t *testing.T, r *Runner[counter, added], id uuid.UUID, ns ...int) Loaded[counter] {
	t.Helper()
	l, err := r.Do(t.Context(), id, add(1_000_000, ns...))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

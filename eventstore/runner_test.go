package eventstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestDo(t *testing.T) {
	t.Parallel()
	m := newMemory()
	now := time.UnixMilli(1000)
	r := NewRunner(m, counters, Options{Now: func() time.Time { return now }})
	first := mustDo(t, r, testStream, 1, 2)
	if first.State != (counter{Total: 3, Events: 2, Last: 1000}) || first.Version != 2 || first.At != 1000 {
		t.Errorf("after the first: %+v", first)
	}
	now = time.UnixMilli(500) // a clock that is put back doesn't put back the stream's time
	second := mustDo(t, r, testStream, 4)
	if second.State != (counter{Total: 7, Events: 3, Last: 1000}) || second.Version != 3 {
		t.Errorf("after the second: %+v", second)
	}
	tip, err := VerifyChain(testStream, Tip{}, m.streams[testStream])
	if err != nil || tip != second.tip() {
		t.Errorf("tip %v, told %v: %v", tip, second.tip(), err)
	}
	loaded, err := r.Load(t.Context(), testStream)
	if err != nil || loaded != second {
		t.Errorf("loaded %+v, %v; told %+v", loaded, err, second)
	}
	fresh, err := NewRunner(m, counters, Options{}).Load(t.Context(), testStream)
	if err != nil || fresh != second {
		t.Errorf("replayed %+v, %v; told %+v", fresh, err, second)
	}
}

func TestStatementsGoWithTheAppend(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{})
	mustDo(t, r, testStream, 5)
	_, err := r.Do(t.Context(), testStream, func(Loaded[counter]) (Decision[added], error) {
		return Decision[added]{Events: []added{{1}, {2}}, First: []Statement{{SQL: "first"}}, With: []Statement{{SQL: "own"}}}, nil
	})
	if err != nil || len(m.with) != 4 {
		t.Fatalf("%v, %v", m.with, err)
	}
	first, inline, own := m.with[1], m.with[2], m.with[3]
	if first.SQL != "first" || own.SQL != "own" || inline.Args[0] != int64(1) || inline.Args[1] != int64(3) || inline.Args[2] != int64(8) || inline.Args[3] != int64(2) {
		t.Errorf("%v, %v", inline, own)
	}
	for _, none := range []Decision[added]{{With: []Statement{{SQL: "own"}}}, {First: []Statement{{SQL: "first"}}}} {
		_, err = r.Do(t.Context(), testStream, func(Loaded[counter]) (Decision[added], error) { return none, nil })
		if err == nil || len(m.with) != 4 {
			t.Errorf("statements without events: %v", err)
		}
	}
}

// TestReadsAndAppends counts what each kind of command costs.
func TestReadsAndAppends(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{})
	costs := func(what string, appends, reads int) {
		t.Helper()
		if a, rd, l := m.counts(); a != appends || rd != reads || l != 0 {
			t.Errorf("%s: %d appends, %d reads, %d look-ups; want %d, %d, 0", what, a, rd, l, appends, reads)
		}
	}
	mustDo(t, r, testStream, 1)
	costs("a stream that isn't cached", 1, 1)
	mustDo(t, r, testStream, 1)
	costs("accepted on cached state", 1, 0)
	_, err := r.Do(t.Context(), testStream, add(0, 1))
	costs("refused on cached state", 0, 1)
	if !errors.Is(err, errTooMuch) {
		t.Error(err)
	}
	_, err = r.Do(t.Context(), uuid.New(), add(0, 1))
	costs("refused on loaded state", 0, 1)
	if !errors.Is(err, errTooMuch) {
		t.Error(err)
	}
	if l, err := r.Do(t.Context(), testStream, add(0)); err != nil || l.Version != 2 {
		t.Errorf("nothing to do: %+v, %v", l, err)
	}
	costs("nothing to do, on cached state", 0, 1)
	mustDo(t, NewRunner(m, counters, Options{}), testStream, 1) // another process
	costs("the other process", 1, 1)
	if l := mustDo(t, r, testStream, 1); l.State.Total != 4 {
		t.Errorf("%+v", l)
	}
	costs("a conflict", 2, 1)
}

// TestRefusalIsChecked: a refusal by a state that another process has changed is decided again.
func TestRefusalIsChecked(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r, other := NewRunner(m, counters, Options{}), NewRunner(m, counters, Options{})
	mustDo(t, r, testStream, 10)
	mustDo(t, other, testStream, -9)
	decided := 0
	l, err := r.Do(t.Context(), testStream, func(l Loaded[counter]) (Decision[added], error) {
		decided++
		return add(10, 5)(l)
	})
	if err != nil || l.State.Total != 6 || decided != 2 {
		t.Errorf("%+v after %d decisions, %v", l, decided, err)
	}
	// Nothing newer: it is not decided again.
	decided = 0
	l, err = r.Do(t.Context(), testStream, func(l Loaded[counter]) (Decision[added], error) {
		decided++
		return add(10, 5)(l)
	})
	if !errors.Is(err, errTooMuch) || l.State.Total != 6 || decided != 1 {
		t.Errorf("%+v after %d decisions, %v", l, decided, err)
	}
}

func TestLoadIsNeverOlder(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r, other := NewRunner(m, counters, Options{}), NewRunner(m, counters, Options{})
	for range 5 {
		mustDo(t, r, testStream, 1)
		told := mustDo(t, other, testStream, 1)
		if l, err := r.Load(t.Context(), testStream); err != nil || l != told {
			t.Errorf("loaded %+v, %v; the other process told %+v", l, err, told)
		}
	}
	if l, err := r.Load(t.Context(), uuid.New()); err != nil || l != (Loaded[counter]{}) {
		t.Errorf("no such stream: %+v, %v", l, err)
	}
}

func TestLoadAt(t *testing.T) {
	t.Parallel()
	r := NewRunner(newMemory(), counters, Options{})
	var told []Loaded[counter]
	for range 4 {
		told = append(told, mustDo(t, r, testStream, 3))
	}
	for version := 1; version <= 6; version++ {
		want := told[min(version, 4)-1]
		if l, err := r.LoadAt(t.Context(), testStream, version); err != nil || l != want {
			t.Errorf("at %d: %+v, %v", version, l, err)
		}
	}
	for _, version := range []int{0, -1} {
		if _, err := r.LoadAt(t.Context(), testStream, version); err == nil {
			t.Errorf("loaded at %d", version)
		}
	}
	if l, err := r.Load(t.Context(), testStream); err != nil || l != told[3] {
		t.Errorf("afterwards: %+v, %v", l, err)
	}
}

// TestEndlessConflict: a stream that others always change first is given up as unavailable.
func TestEndlessConflict(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{})
	mustDo(t, r, testStream, 1)
	m.onAppend = func(_ context.Context, m *memory, _ Batch) error {
		tip := tipOf(m.streams[testStream])
		records, err := Seal(testStream, tip, tip.At, r.opts.Rand, []Event{counters.Encode(added{N: 1})})
		if err != nil {
			return err
		}
		m.streams[testStream] = append(m.streams[testStream], records...)
		return nil
	}
	if _, err := r.Do(t.Context(), testStream, add(1000, 1)); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	if appends, _, _ := m.counts(); appends != 1+maxAttempts {
		t.Errorf("%d appends", appends)
	}
}

func tipOf(records []Record) Tip {
	last := records[len(records)-1]
	return Tip{Version: last.Version, Hash: last.Hash, At: last.At}
}

// TestCorrupt: a stream with an event that can't be read errs, and others don't.
func TestCorrupt(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]Event{"unknown type": {Type: "subtracted", Data: []byte(`{"n":1}`)}, "bad data": {Type: "added", Data: []byte(`{"n":`)}} {
		m := newMemory()
		r := NewRunner(m, counters, Options{})
		told := mustDo(t, r, testStream, 1)
		records, err := Seal(testStream, told.tip(), told.At, r.opts.Rand, []Event{event})
		if err != nil {
			t.Fatal(err)
		}
		m.streams[testStream] = append(m.streams[testStream], records...)
		_, loadErr := r.Load(t.Context(), testStream)
		_, doErr := r.Do(t.Context(), testStream, add(10, 1))
		for _, err := range []error{loadErr, doErr} {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Stream != testStream || corrupt.Version != 2 {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if l, err := r.LoadAt(t.Context(), testStream, 1); err != nil || l != told {
			t.Errorf("%s: before it: %+v, %v", name, l, err)
		}
		mustDo(t, r, uuid.New(), 1)
	}
}

// TestChangedBytes: an event changed in the store is found when it is read.
func TestChangedBytes(t *testing.T) {
	t.Parallel()
	m := newMemory()
	mustDo(t, NewRunner(m, counters, Options{}), testStream, 1, 2, 3)
	m.streams[testStream][1].Data = []byte(`{"n":200}`)
	_, err := NewRunner(m, counters, Options{}).Load(t.Context(), testStream)
	var chain *ChainError
	var corrupt *CorruptError
	if !errors.As(err, &chain) || chain.Version != 2 || !errors.As(err, &corrupt) || corrupt.Version != 2 {
		t.Errorf("got %v", err)
	}
}

// TestStoreWentBack: a store that was put back to an older state and went on from there is followed, not the cache.
func TestStoreWentBack(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{})
	mustDo(t, r, testStream, 1)
	backup := append([]Record(nil), m.streams[testStream]...)
	mustDo(t, r, testStream, 10)
	mustDo(t, r, testStream, 10)
	m.streams[testStream] = backup
	if l := mustDo(t, r, testStream, 2); l.State.Total != 3 || l.Version != 2 {
		t.Errorf("shorter: %+v", l)
	}

	other := NewRunner(m, counters, Options{})
	mustDo(t, r, testStream, 10)
	m.streams[testStream] = append([]Record(nil), backup...)
	for range 3 {
		mustDo(t, other, testStream, 1)
	}
	if l, err := r.Load(t.Context(), testStream); err != nil || l.State.Total != 4 {
		t.Errorf("another continuation: %+v, %v", l, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory()
	r := NewRunner(m, counters, Options{CacheSize: 10})
	ids := make([]uuid.UUID, 30)
	for round := 1; round <= 3; round++ {
		for i := range ids {
			if round == 1 {
				ids[i] = uuid.New()
			}
			if l := mustDo(t, r, ids[i], 1); l.State.Total != round {
				t.Errorf("%+v", l)
			}
		}
	}
	if n := r.cache.lru.Len(); n != 10 {
		t.Errorf("%d streams cached", n)
	}
	if n := len(r.locks.locks); n != 0 {
		t.Errorf("%d locks kept", n)
	}
}

// TestManyCallers: commands of two processes on few streams; each is applied once.
func TestManyCallers(t *testing.T) {
	t.Parallel()
	m := newMemory()
	runners := []*Runner[counter, added]{NewRunner(m, counters, Options{CacheSize: 2}), NewRunner(m, counters, Options{})}
	ids := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for range 50 {
				id := ids[i%3]
				if _, err := runners[i%2].Do(t.Context(), id, add(1_000_000, 1)); err != nil && !errors.Is(err, ErrUnavailable) {
					t.Error(err)
				} else if err != nil {
					mustDo(t, runners[i%2], id, 1)
				}
				if _, err := runners[i%2].Load(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		for _, r := range runners {
			if l, err := r.Load(t.Context(), id); err != nil || l.State.Total != 200 {
				t.Errorf("%+v, %v", l, err)
			}
		}
		if _, err := VerifyChain(id, Tip{}, m.streams[id]); err != nil {
			t.Error(err)
		}
	}
}

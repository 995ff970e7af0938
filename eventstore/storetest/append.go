package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"mago/eventstore"
)

func testAppendRead(f *fixture) {
	t := f.t
	a, b := newStream(), newStream()
	f.mustAppend(t, a, 1)
	f.mustAppend(t, b, 3)
	f.mustAppend(t, a, 2)
	f.holds(t, a)
	f.holds(t, b)
	same(t, f.mustRead(t, uuid.New(), 0, 0), nil)
}

func testReadPart(f *fixture) {
	t := f.t
	s := newStream()
	f.mustAppend(t, s, 5)
	for after := range 7 {
		for limit := range 7 {
			from := min(after, 5)
			to := 5
			if limit > 0 {
				to = min(from+limit, 5)
			}
			same(t, f.mustRead(t, s.id, after, limit), s.records[from:to])
		}
	}
}

func testBytes(f *fixture) {
	t := f.t
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	s := newStream()
	b := s.seal(t,
		eventstore.Event{Type: "plain", Data: []byte(`{}`)},
		eventstore.Event{Type: "text", Data: []byte("{\"name\":\"<\u2028\x7f😀'\\\"\"}"), Secret: []byte("s")},
		eventstore.Event{Type: "binary", Data: all, Secret: all},
		eventstore.Event{Type: "large", Data: make([]byte, 100_000), Secret: make([]byte, 10_000)},
	)
	if err := f.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s.stored(b)
	f.holds(t, s)
	if secret := f.mustRead(t, s.id, 0, 1)[0].Secret; secret != nil {
		t.Errorf("no secret became %q", secret)
	}
}

func testBadBatches(f *fixture) {
	t := f.t
	s, other := newStream(), newStream()
	f.mustAppend(t, s, 1)
	gap, mixed, command, version := s.next(t, 3), s.next(t, 2), s.next(t, 1), s.next(t, 1)
	gap.Records = append(gap.Records[:1], gap.Records[2])
	mixed.Records[1].Stream = other.id
	command.Command = uuid.Nil
	version.Records[0].Version = 0
	for name, b := range map[string]eventstore.Batch{"empty": {Command: uuid.New()}, "gap": gap, "two streams": mixed, "no command": command, "version 0": version} {
		if err := f.Append(t.Context(), b); err == nil {
			t.Errorf("%s: appended", name)
		}
	}
	f.holds(t, s)
	f.holds(t, other)
}

func testConflict(f *fixture) {
	t := f.t
	s := newStream()
	for range 3 {
		// Above the stream's end, also where there is no stream.
		ahead := &stream{id: s.id, tip: eventstore.Tip{Version: s.tip.Version + 1}}
		f.conflicts(t, ahead.next(t, 1))
		stale := s.next(t, 2)
		f.mustAppend(t, s, 2)
		f.conflicts(t, stale) // the first time this is the second append with expected version 0
		f.holds(t, s)
	}
	low := &stream{id: s.id, tip: eventstore.Tip{Version: 2}}
	f.conflicts(t, low.next(t, 10))
	f.holds(t, s)
}

// conflicts checks that the batch is refused as a conflict.
func (f *fixture) conflicts(t *testing.T, b eventstore.Batch) {
	t.Helper()
	err := f.Append(t.Context(), b)
	var conflict *eventstore.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if conflict.Stream != b.Records[0].Stream || conflict.Expected != b.Expected() {
		t.Errorf("conflict is %+v", conflict)
	}
}

func testConflictLeavesNothing(f *fixture) {
	t := f.t
	s := newStream()
	stale := s.next(t, 2)
	stale.With = []eventstore.Statement{keep("stale", 1)}
	f.mustAppend(t, s, 1, keep("first", 1))
	f.conflicts(t, stale)
	f.holds(t, s)
	f.keeps(t, 1)
	if v, err := f.Lookup(t.Context(), s.id, stale.Command); v != 0 || err != nil {
		t.Errorf("the refused command is found at %d, %v", v, err)
	}
}

func testStatements(f *fixture) {
	t := f.t
	s := newStream()
	// They run in order, and after the events.
	f.mustAppend(t, s, 3,
		keep("a", 1),
		eventstore.Statement{SQL: `UPDATE kept SET n = n + $2 WHERE id = $1`, Args: []any{"a", int64(4)}},
		eventstore.Statement{SQL: `INSERT INTO kept (id, n) SELECT $1, count(*) FROM events`, Args: []any{"b"}},
	)
	f.mustAppend(t, s, 1, eventstore.Statement{SQL: `INSERT INTO kept (id, n) VALUES ($2, $1) ON CONFLICT (id) DO UPDATE SET n = excluded.n`, Args: []any{int64(9), "b"}})
	for id, want := range map[string]int{"a": 5, "b": 9} {
		var got int
		if err := f.Reader().QueryRowContext(t.Context(), `SELECT n FROM kept WHERE id = $1`, id).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", id, got, err, want)
		}
	}
	f.holds(t, s)
}

func testFailingStatement(f *fixture) {
	t := f.t
	s := newStream()
	f.mustAppend(t, s, 1, keep("a", 1))
	for _, bad := range []eventstore.Statement{keep("a", 2), {SQL: `INSERT INTO nowhere VALUES (1)`}, {SQL: `nonsense`}, {SQL: `UPDATE events SET at = 0`}} {
		for _, id := range []uuid.UUID{s.id, uuid.New()} {
			at := &stream{id: id}
			if id == s.id {
				at = s
			}
			b := at.next(t, 2)
			b.With = []eventstore.Statement{keep("b", 1), bad, keep("c", 1)}
			err := f.Append(t.Context(), b)
			var conflict *eventstore.ConflictError
			if err == nil || errors.As(err, &conflict) || errors.Is(err, eventstore.ErrUnknownOutcome) || errors.Is(err, eventstore.ErrUnavailable) {
				t.Errorf("%s: got %v", bad.SQL, err)
			}
			f.holds(t, at)
			f.keeps(t, 1)
		}
	}
	f.mustAppend(t, s, 1, keep("b", 1))
	f.holds(t, s)
}

// testFailingStatementAmongOthers: appends that are written together are refused each for itself.
func testFailingStatementAmongOthers(f *fixture) {
	t := f.t
	f.mustAppend(t, newStream(), 1, keep("taken", 1))
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			s := newStream()
			b := s.next(t, 1+i%3)
			if i%3 == 0 {
				b.With = []eventstore.Statement{keep(fmt.Sprint("x", i), 1), keep("taken", 1)}
			} else {
				b.With = []eventstore.Statement{keep(fmt.Sprint("x", i), 1)}
			}
			err := f.Append(t.Context(), b)
			if (err != nil) != (i%3 == 0) {
				t.Errorf("append %d: %v", i, err)
			}
			if err == nil {
				s.stored(b)
			}
			f.holds(t, s)
		})
	}
	wg.Wait()
	f.keeps(t, 41)
}

func testCommandOnce(f *fixture) {
	t := f.t
	a, b := newStream(), newStream()
	first := f.mustAppend(t, a, 2)
	again := a.next(t, 2)
	again.Command = first.Command
	if err := f.Append(t.Context(), again); err == nil {
		t.Error("a command was appended twice to a stream")
	}
	f.holds(t, a)
	other := b.next(t, 1)
	other.Command = first.Command
	if err := f.Append(t.Context(), other); err != nil {
		t.Errorf("the command's id in another stream: %v", err)
	}
}

func testLookup(f *fixture) {
	t := f.t
	s := newStream()
	want := map[uuid.UUID]int{uuid.New(): 0}
	for n := 1; n <= 3; n++ {
		first := s.tip.Version + 1
		want[f.mustAppend(t, s, n).Command] = first
	}
	for command, version := range want {
		if got, err := f.Lookup(t.Context(), s.id, command); got != version || err != nil {
			t.Errorf("found at %d, %v; want %d", got, err, version)
		}
		if got, err := f.Lookup(t.Context(), uuid.New(), command); got != 0 || err != nil {
			t.Errorf("in another stream: found at %d, %v", got, err)
		}
	}
}

func testEndedContext(f *fixture) {
	t := f.t
	s := newStream()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := f.Append(ctx, s.next(t, 1))
	if !errors.Is(err, context.Canceled) || errors.Is(err, eventstore.ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	f.holds(t, s)
}

func testAppendOnly(f *fixture) {
	t := f.t
	s := newStream()
	f.mustAppend(t, s, 3)
	for _, sql := range []string{
		`UPDATE events SET type = 'other'`, `UPDATE events SET data = data WHERE version = 2`, `DELETE FROM events`, `DELETE FROM events WHERE version = 3`,
	} {
		if _, err := f.Writer().ExecContext(t.Context(), sql); err == nil {
			t.Errorf("%s was done", sql)
		}
	}
	f.holds(t, s)
}

func testReaderCantWrite(f *fixture) {
	t := f.t
	if _, err := f.Reader().ExecContext(t.Context(), `INSERT INTO kept (id, n) VALUES ('a', 1)`); err == nil {
		t.Error("the reader wrote")
	}
	f.keeps(t, 0)
}

func testReopen(f *fixture) {
	t := f.t
	s := newStream()
	f.mustAppend(t, s, 2, keep("a", 1))
	_, cursor, err := f.tail(t.Context(), "", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.DB = f.open()
	f.holds(t, s)
	f.keeps(t, 1)
	stale := &stream{id: s.id}
	f.conflicts(t, stale.next(t, 1))
	last := f.mustAppend(t, s, 1)
	f.holds(t, s)
	after, _, err := f.tail(t.Context(), cursor, 1)
	if err != nil {
		t.Fatal(err)
	}
	same(t, after, last.Records)
}

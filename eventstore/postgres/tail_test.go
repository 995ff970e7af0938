package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
)

// open is an append that was run and is not yet committed.
type open struct {
	tx    pgx.Tx
	batch eventstore.Batch
}

// begin runs an append in a transaction of its own that stays open.
func begin(t *testing.T, s *Store, b eventstore.Batch) open {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), s.writer.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.SendBatch(t.Context(), message(b)).Close(); err != nil {
		t.Fatal(err)
	}
	return open{tx, b}
}

func (o open) end(t *testing.T, commit bool) {
	t.Helper()
	end := o.tx.Rollback
	if commit {
		end = o.tx.Commit
	}
	if err := errors.Join(end(t.Context()), o.tx.Conn().Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// follower reads everything, and counts how often it got each event.
type follower struct {
	next func() []event
	got  map[event]int
}

type event struct {
	stream  uuid.UUID
	version int
}

func (f *follower) read() int {
	page := f.next()
	for _, e := range page {
		f.got[e]++
	}
	return len(page)
}

// byCursor follows as the store does it.
func byCursor(t *testing.T, s *Store) *follower {
	t.Helper()
	var cursor eventstore.Cursor
	return &follower{got: make(map[event]int), next: func() (page []event) {
		records, next, err := s.ReadAll(t.Context(), cursor, 5)
		if err != nil {
			t.Fatal(err)
		}
		cursor = next
		for _, r := range records {
			page = append(page, event{r.Stream, r.Version})
		}
		return page
	}}
}

// byPosition follows by the position alone, which is what the store must not do.
func byPosition(t *testing.T, s *Store) *follower {
	t.Helper()
	position := int64(0)
	return &follower{got: make(map[event]int), next: func() (page []event) {
		rows, err := s.Reader().QueryContext(t.Context(), `SELECT position, stream_id, version FROM events WHERE position > $1 ORDER BY position LIMIT 5`, position)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var e event
			if err := rows.Scan(&position, &e.stream, &e.version); err != nil {
				t.Fatal(err)
			}
			page = append(page, e)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return page
	}}
}

// TestNoGaps holds appends open while others are committed and read, in hundreds of interleavings: who follows all events misses none. Who
// follows by position does.
func TestNoGaps(t *testing.T) {
	t.Parallel()
	steps := 400
	if os.Getenv("MAGO_SOAK") != "" {
		steps = 10_000
	}
	s := opened(t, Options{})
	random := rand.New(rand.NewPCG(1, 2))
	followers := []*follower{byCursor(t, s), byPosition(t, s)}
	want := make(map[event]bool)
	stored := func(b eventstore.Batch) {
		for _, r := range b.Records {
			want[event{r.Stream, r.Version}] = true
		}
	}
	var pending []open
	for range steps {
		b := batch(t, uuid.New(), eventstore.Tip{}, 1+random.IntN(3))
		switch choice := random.IntN(10); {
		case choice < 2 && len(pending) < 4:
			pending = append(pending, begin(t, s, b))
		case choice < 4 && len(pending) > 0:
			i := random.IntN(len(pending))
			commit := random.IntN(4) > 0
			pending[i].end(t, commit)
			if commit {
				stored(pending[i].batch)
			}
			pending = append(pending[:i], pending[i+1:]...)
		case choice < 7:
			if err := s.Append(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			stored(b)
		default:
			for _, f := range followers {
				f.read()
			}
		}
	}
	for _, o := range pending {
		o.end(t, true)
		stored(o.batch)
	}
	missed := make([]int, len(followers))
	for i, f := range followers {
		for read := 1; len(f.got) < len(want) && (read > 0 || i == 0); { // other tests' transactions may hold the store back for a while
			read = f.read()
		}
		for e := range want {
			switch f.got[e] {
			case 0:
				missed[i]++
			case 1:
			default:
				t.Errorf("follower %d got %v %d times", i, e, f.got[e])
			}
		}
		if len(f.got) > len(want) {
			t.Errorf("follower %d got %d events of %d", i, len(f.got), len(want))
		}
	}
	if missed[0] != 0 {
		t.Errorf("%d of %d events were missed", missed[0], len(want))
	}
	if missed[1] == 0 {
		t.Error("following by position missed nothing: the test shows nothing")
	}
	t.Logf("%d events; by position %d of them were missed", len(want), missed[1])
}

// TestOrderGuard: an append by a transaction that is older than the stream's last one is refused, since who follows all would get the stream's
// events in the wrong order.
func TestOrderGuard(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	stream := uuid.New()
	first := batch(t, stream, eventstore.Tip{}, 2)
	conn, err := s.writer.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	second := batch(t, stream, tip(first), 1)
	if err := tx.SendBatch(t.Context(), message(second)).Close(); codeOf(err) != codeOlder {
		t.Errorf("got %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The store tries again in a younger transaction, for a while.
	ahead := func(by int) {
		t.Helper()
		if _, err := s.Writer().ExecContext(t.Context(), `UPDATE streams SET last_xid = (pg_current_xact_id()::text::bigint + $1)::text::xid8`, by); err != nil {
			t.Fatal(err)
		}
	}
	ahead(2)
	if err := s.Append(t.Context(), second); err != nil {
		t.Errorf("it didn't catch up: %v", err)
	}
	ahead(1_000_000_000)
	var conflict *eventstore.ConflictError
	err = s.Append(t.Context(), batch(t, stream, tip(second), 1))
	if !errors.Is(err, eventstore.ErrUnavailable) || errors.As(err, &conflict) {
		t.Errorf("got %v", err)
	}
	if records, err := s.Read(t.Context(), stream, 0, 0); err != nil || len(records) != 3 {
		t.Errorf("%d records, %v", len(records), err)
	}
}

func tip(b eventstore.Batch) eventstore.Tip {
	last := b.Records[len(b.Records)-1]
	return eventstore.Tip{Version: last.Version, Hash: last.Hash, At: last.At}
}

// TestRestored: after a restore into a cluster whose ids of transactions are lower, migrating makes everything go on: old events are read,
// old streams appended to, and new events stand behind the old ones.
func TestRestored(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	s := openedAt(t, url, Options{})
	old := batch(t, uuid.New(), eventstore.Tip{}, 3)
	if err := s.Append(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE streams SET last_xid = '999999999999'`,
		`ALTER TABLE events DISABLE TRIGGER events_no_change`, `UPDATE events SET xid = '999999999999'`, `ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_change`,
	} {
		if _, err := s.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	next := batch(t, old.Records[0].Stream, tip(old), 1)
	if err := s.Append(t.Context(), next); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("before: %v", err)
	}
	migrated(t, url)
	fresh := batch(t, uuid.New(), eventstore.Tip{}, 1)
	for _, b := range []eventstore.Batch{next, fresh} {
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	f := byCursor(t, s)
	var order []event
	for len(order) < 5 {
		order = append(order, f.next()...)
	}
	want := []event{{old.Records[0].Stream, 1}, {old.Records[0].Stream, 2}, {old.Records[0].Stream, 3}, {next.Records[0].Stream, 4}, {fresh.Records[0].Stream, 1}}
	for i := range want {
		if order[i] != want[i] {
			t.Errorf("event %d is %v, want %v", i, order[i], want[i])
		}
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	rising := []place{
		{}, {0, 0, 1}, {0, 1, 0}, {0, 9, 1 << 62}, {0, 10, 0}, {1, 0, 0}, {1, 1 << 63, 5}, {2, 0, 0}, {10, 0, 0}, {32767, 1<<64 - 1, 1<<63 - 1},
	}
	for i, p := range rising {
		c := p.cursor()
		if got, err := parseCursor(c); err != nil || got != p {
			t.Errorf("%v came back from %q as %v, %v", p, c, got, err)
		}
		if i > 0 && c <= rising[i-1].cursor() {
			t.Errorf("%q does not stand behind %q", c, rising[i-1].cursor())
		}
		for _, bad := range []eventstore.Cursor{c + "0", c[1:], "-" + c[1:], c + "\n", " " + c, c[:len(c)-1] + "x"} {
			if got, err := parseCursor(bad); err == nil {
				t.Errorf("%q was read as %v", bad, got)
			}
		}
	}
}

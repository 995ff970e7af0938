package postgres

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
)

// run runs statements as whoever owns the tables.
func run(t *testing.T, s *Store, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := s.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// isStored checks how many records the stream has.
func isStored(t *testing.T, s *Store, stream uuid.UUID, want int) {
	t.Helper()
	if records, err := s.Read(t.Context(), stream, 0, 0); err != nil || len(records) != want {
		t.Errorf("%d records, %v; want %d", len(records), err, want)
	}
}

// TestTriedAgain: an append that was rolled back by a deadlock or the like is sent again, and given up as unavailable if that doesn't help.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	run(t, s, `CREATE SEQUENCE tries`, `CREATE FUNCTION fail(code text, times bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN IF nextval('tries') <= times THEN RAISE EXCEPTION 'not now' USING ERRCODE = code; END IF; END $$`)
	for _, code := range []string{"40001", "40P01"} {
		for _, times := range []int{1, 3, 4} {
			run(t, s, `ALTER SEQUENCE tries RESTART`)
			b := batch(t, uuid.New(), eventstore.Tip{}, 2)
			b.With = []eventstore.Statement{{SQL: `SELECT fail($1, $2)`, Args: []any{code, int64(times)}}}
			err := s.Append(t.Context(), b)
			want := 2
			if times == 4 {
				want = 0
			}
			if (err == nil) != (want > 0) || err != nil && !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
				t.Errorf("%s %d times: got %v", code, times, err)
			}
			isStored(t, s, b.Records[0].Stream, want)
		}
	}
}

// TestRefusedAtCommit: the statements have run and the commit says no.
func TestRefusedAtCommit(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	run(t, s, `CREATE TABLE parents (id int PRIMARY KEY)`, `CREATE TABLE children (id int REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
	b := batch(t, uuid.New(), eventstore.Tip{}, 2)
	b.With = []eventstore.Statement{{SQL: `INSERT INTO children VALUES ($1)`, Args: []any{int64(1)}}}
	err := s.Append(t.Context(), b)
	if err == nil || errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	isStored(t, s, b.Records[0].Stream, 0)
}

// TestBadArgument: what can't be sent is refused, and the connection goes on being used.
func TestBadArgument(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{Writers: 1})
	run(t, s, `CREATE TABLE numbers (n int)`)
	for _, arg := range []any{"x", int64(1) << 40, make(chan int)} {
		b := batch(t, uuid.New(), eventstore.Tip{}, 1)
		b.With = []eventstore.Statement{{SQL: `INSERT INTO numbers VALUES ($1)`, Args: []any{arg}}}
		err := s.Append(t.Context(), b)
		if err == nil || errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("%v: got %v", arg, err)
		}
		isStored(t, s, b.Records[0].Stream, 0)
	}
	if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); err != nil {
		t.Error(err)
	}
}

// TestLocked: an append that waits for a lock is ended by the database, by an administrator, or given up by its caller.
func TestLocked(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	holder := openedAt(t, url, Options{})
	first := batch(t, uuid.New(), eventstore.Tip{}, 1)
	stream := first.Records[0].Stream
	if err := holder.Append(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	tx, err := holder.Writer().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `SELECT FROM streams WHERE stream_id = $1 FOR UPDATE`, stream.String()); err != nil {
		t.Fatal(err)
	}
	next := batch(t, stream, tip(first), 1)
	err = openedAt(t, url, Options{StatementTimeout: 100 * time.Millisecond}).Append(t.Context(), next)
	if !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
		t.Errorf("given up by the database: got %v", err)
	}
	// waiting appends as somebody and does something when the append waits.
	waiting := func(ctx context.Context, somebody string, then func(pid int)) error {
		done := make(chan error, 1)
		s := openedAt(t, url+"&application_name="+somebody, Options{})
		go func() { done <- s.Append(ctx, next) }()
		for {
			var pid int
			err := holder.Reader().QueryRowContext(t.Context(), `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`, somebody).Scan(&pid)
			if err == nil {
				then(pid)
				return <-done
			}
			if !errors.Is(err, sql.ErrNoRows) {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = waiting(ctx, "quitter", func(int) { cancel() })
	if !errors.Is(err, eventstore.ErrUnknownOutcome) || !errors.Is(err, context.Canceled) {
		t.Errorf("given up by its caller: got %v", err)
	}
	err = waiting(t.Context(), "victim", func(pid int) {
		if _, err := holder.Writer().ExecContext(t.Context(), `SELECT pg_terminate_backend($1)`, pid); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
		t.Errorf("ended by an administrator: got %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Append(t.Context(), next); err != nil {
		var conflict *eventstore.ConflictError
		if !errors.As(err, &conflict) { // the one whose caller gave up may have got through
			t.Error(err)
		}
	}
	isStored(t, holder, stream, 2)
}

// TestHandleOutcomes: what the handles for accounts and read models say when the connection is cut.
func TestHandleOutcomes(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.New(t))
	s := openedAt(t, proxy.URL, Options{})
	run(t, s, `CREATE TABLE names (name text PRIMARY KEY)`)
	insert := `INSERT INTO names VALUES ($1)`
	for fault, stored := range map[pgtest.Fault]int{pgtest.Lose: 0, pgtest.CutReply: 1} {
		proxy.Next(fault, "marked")
		_, err := s.Writer().ExecContext(t.Context(), insert, "marked")
		if !errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("fault %d: got %v", fault, err)
		}
		tx, err := s.Writer().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), insert, "in a transaction"); err != nil {
			t.Error(err)
		}
		proxy.Next(fault, "marked")
		if _, err = tx.ExecContext(t.Context(), insert, "marked too"); !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("fault %d in a transaction: got %v", fault, err)
		}
		_ = tx.Rollback() // the connection is gone
		var n int
		if err := s.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM names`).Scan(&n); err != nil || n != stored {
			t.Errorf("fault %d: %d stored, %v", fault, n, err)
		}
		if tx, err = s.Writer().BeginTx(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), insert, "committed"); err != nil {
			t.Error(err)
		}
		proxy.Next(fault, "commit")
		if err := tx.Commit(); !errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("fault %d at the commit: got %v", fault, err)
		}
		run(t, s, `DELETE FROM names`)
	}
	_, err := s.Writer().ExecContext(t.Context(), `INSERT INTO names VALUES ($1), ($1)`, "twice")
	if err == nil || errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
		t.Errorf("a constraint: got %v", err)
	}
	rows, err := s.Reader().QueryContext(t.Context(), `SELECT generate_series(1, 10000000)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	proxy.CutAll()
	more := true
	for more {
		more = rows.Next()
	}
	if err := rows.Err(); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("in the middle of rows: got %v", err)
	}
}

// TestLostBehindTheRow: the row that was asked for has come, and the connection ends before the end of the answer.
func TestLostBehindTheRow(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	for name, db := range map[string]*sql.DB{"reader": s.Reader(), "writer": s.Writer()} {
		var n int
		err := db.QueryRowContext(t.Context(), `SELECT n FROM generate_series(1, 2) n WHERE n = 1 OR pg_terminate_backend(pg_backend_pid())`).Scan(&n)
		if n != 1 || !errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}

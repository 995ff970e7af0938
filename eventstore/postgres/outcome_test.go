package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
)

// added is the event of streams that count.
type added struct{ N int }

// counters counts, and keeps the sums in a table in the transactions of the appends.
var counters = eventstore.Aggregate[int, added]{
	Encode: func(e added) eventstore.Event {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		return eventstore.Event{Type: "marked_added", Data: data}
	},
	Decode: func(r eventstore.Record) (e added, err error) { return e, json.Unmarshal(r.Data, &e) },
	Evolve: func(sum int, e added, _ int64) int { return sum + e.N },
	Inline: func(id uuid.UUID, _, after eventstore.Loaded[int], _ []added) []eventstore.Statement {
		return []eventstore.Statement{{
			SQL:  `INSERT INTO sums (id, sum, appends) VALUES ($1, $2, 1) ON CONFLICT (id) DO UPDATE SET sum = excluded.sum, appends = sums.appends + 1`,
			Args: []any{id.String(), int64(after.State)},
		}}
	},
}

func addOne(eventstore.Loaded[int]) (eventstore.Decision[added], error) {
	return eventstore.Decision[added]{Events: []added{{1}}}, nil
}

func createSums(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Writer().ExecContext(t.Context(), `CREATE TABLE sums (id uuid PRIMARY KEY, sum bigint NOT NULL, appends bigint NOT NULL)`); err != nil {
		t.Fatal(err)
	}
}

// sums checks a stream that was only added one to: at least so many times and at most so many, as its events and the table say.
func sums(t *testing.T, s *Store, stream uuid.UUID, least, most int) {
	t.Helper()
	l, err := eventstore.NewRunner(s, counters, eventstore.Options{}).Load(t.Context(), stream)
	if err != nil || l.State != l.Version || l.State < least || l.State > most {
		t.Errorf("stream %s sums up to %d at version %d, want %d to %d: %v", stream, l.State, l.Version, least, most, err)
	}
	var sum, appends int
	err = s.Reader().QueryRowContext(t.Context(), `SELECT sum, appends FROM sums WHERE id = $1`, stream.String()).Scan(&sum, &appends)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || sum != l.State || appends != l.State {
		t.Errorf("stream %s sums up to %d, kept are %d after %d appends: %v", stream, l.State, sum, appends, err)
	}
}

// TestLostAnswers cuts the connection before, in and after appends; the loop finds out what became of each, and each is made once.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	times := 20
	if os.Getenv("MAGO_SOAK") != "" {
		times = 500
	}
	url := pgtest.New(t)
	proxy := pgtest.NewProxy(t, url)
	s, direct := openedAt(t, proxy.URL, Options{}), openedAt(t, url, Options{})
	createSums(t, direct)
	appended := 0
	runner := eventstore.NewRunner(s, counters, eventstore.Options{Appended: func(uuid.UUID, int) { appended++ }, AppendTimeout: time.Minute})
	stream := uuid.New()
	for i := range times {
		proxy.Next(pgtest.Fault(1+i%4), "marked_added")
		told, err := runner.Do(t.Context(), stream, addOne)
		if err != nil || told.State != i+1 {
			t.Fatalf("fault %d: told %+v, %v", 1+i%4, told, err)
		}
		sums(t, direct, stream, i+1, i+1)
	}
	if appended != times {
		t.Errorf("%d were rung", appended)
	}
}

// TestOutcomes: what the store says of an append whose connection is cut.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	proxy := pgtest.NewProxy(t, url)
	s := openedAt(t, proxy.URL, Options{})
	for fault, stored := range map[pgtest.Fault]bool{pgtest.Lose: false, pgtest.Halve: false, pgtest.CutReply: true} {
		for _, warm := range []bool{false, true} {
			if !warm {
				s.writer.Reset() // the statement isn't prepared yet
			}
			b := batch(t, uuid.New(), eventstore.Tip{}, 1)
			proxy.Next(fault, "card_played")
			if err := s.Append(t.Context(), b); !errors.Is(err, eventstore.ErrUnknownOutcome) || errors.Is(err, eventstore.ErrUnavailable) {
				t.Errorf("fault %d: got %v", fault, err)
			}
			version, err := s.Lookup(t.Context(), b.Records[0].Stream, b.Command)
			if err != nil || (version == 1) != stored {
				t.Errorf("fault %d: looked up %d, %v", fault, version, err)
			}
			if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		}
	}
}

// TestReadsAgain: reads whose connections are gone are made again on others.
func TestReadsAgain(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.New(t))
	s := openedAt(t, proxy.URL, Options{Readers: 2})
	b := batch(t, uuid.New(), eventstore.Tip{}, 2)
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		proxy.CutAll()
		if records, err := s.Read(t.Context(), b.Records[0].Stream, 0, 0); err != nil || len(records) != 2 {
			t.Errorf("read %d records, %v", len(records), err)
		}
		proxy.CutAll()
		var one int
		if err := s.Reader().QueryRowContext(t.Context(), `SELECT 1`).Scan(&one); err != nil {
			t.Errorf("through database/sql: %v", err)
		}
		proxy.CutAll()
		if version, err := s.Lookup(t.Context(), b.Records[0].Stream, b.Command); err != nil || version != 1 {
			t.Errorf("looked up %d, %v", version, err)
		}
	}
}

// TestHanging: where no answer comes, an append is unknown and a read unavailable, and both work again when the database does.
func TestHanging(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	proxy := pgtest.NewProxy(t, url)
	s, direct := openedAt(t, proxy.URL, Options{AcquireTimeout: 200 * time.Millisecond, ConnectTimeout: 200 * time.Millisecond}), openedAt(t, url, Options{})
	b := batch(t, uuid.New(), eventstore.Tip{}, 1)
	second := batch(t, b.Records[0].Stream, tip(b), 1) // with both, all statements are prepared, and what hangs is their running
	if err := errors.Join(s.Append(t.Context(), b), s.Append(t.Context(), second)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context(), b.Records[0].Stream, 0, 0); err != nil {
		t.Fatal(err)
	}
	proxy.Hold()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	next := batch(t, b.Records[0].Stream, tip(second), 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Append(ctx, next); !errors.Is(err, eventstore.ErrUnknownOutcome) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("append: %v", err)
		}
	})
	wg.Go(func() {
		if _, err := s.Read(ctx, b.Records[0].Stream, 0, 0); !errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("read: %v", err)
		}
	})
	wg.Go(func() {
		if _, err := s.Reader().ExecContext(ctx, `SELECT 1`); !errors.Is(err, eventstore.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("database/sql: %v", err)
		}
	})
	wg.Wait()
	proxy.Release()
	for {
		err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1))
		if err == nil {
			break
		}
		if !errors.Is(err, eventstore.ErrUnavailable) && !errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Fatal(err)
		}
	}
	if records, err := direct.Read(t.Context(), b.Records[0].Stream, 0, 0); err != nil || len(records) > 3 {
		t.Errorf("%d records, %v", len(records), err)
	}
}

// TestExhausted: where no connection is free, nothing was stored and it is worth trying later.
func TestExhausted(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{Writers: 1, Readers: 1, AcquireTimeout: 50 * time.Millisecond})
	stream := uuid.New()
	unavailable := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, eventstore.ErrUnknownOutcome) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	for _, db := range []*sql.DB{s.Writer(), s.Reader()} {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), `SELECT 1`)
		unavailable("database/sql", err)
		if db == s.Writer() {
			unavailable("append", s.Append(t.Context(), batch(t, stream, eventstore.Tip{}, 1)))
			_, err = s.Lookup(t.Context(), stream, stream)
		} else {
			_, err = s.Read(t.Context(), stream, 0, 0)
		}
		unavailable("read", err)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), batch(t, stream, eventstore.Tip{}, 1)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

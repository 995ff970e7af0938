// Package storetest is the suite of tests that every engine of package eventstore must pass.
package storetest

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/eventstore"
)

// DB is an engine with the handles that accounts and read models use.
type DB interface {
	eventstore.Store
	eventstore.Marker
	Writer() *sql.DB
	Reader() *sql.DB
	Close() error
}

// Create makes a new database with its tables, of which the test is the only user until it ends, and returns how to open it.
// It is opened again only after it was closed.
type Create func(t *testing.T) (open func() DB)

// Run runs the suite. What it tests is said in eventstore.Store.
func Run(t *testing.T, create Create) {
	t.Helper()
	tests := []struct {
		name string
		run  func(*fixture)
	}{
		{"append and read", testAppendRead},
		{"read a part", testReadPart},
		{"bytes come back as they were", testBytes},
		{"bad batches", testBadBatches},
		{"conflict", testConflict},
		{"conflict leaves nothing", testConflictLeavesNothing},
		{"statements", testStatements},
		{"failing statement", testFailingStatement},
		{"failing statement among others", testFailingStatementAmongOthers},
		{"command once", testCommandOnce},
		{"lookup", testLookup},
		{"ended context", testEndedContext},
		{"append-only", testAppendOnly},
		{"reader can't write", testReaderCantWrite},
		{"reopen", testReopen},
		{"read all", testReadAll},
		{"read all pages", testReadAllPages},
		{"read all bad arguments", testReadAllBadArguments},
		{"read all while others write", testReadAllWhileWriting},
		{"marks", testMarks},
		{"marks while others write", testMarksWhileWriting},
		{"marks of another history", func(f *fixture) { testOtherHistory(f, newFixture(f.t, create)) }},
		{"one winner a version", testOneWinner},
		{"many streams", testManyStreams},
		{"random", testRandom},
		{"runner", testRunner},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(newFixture(t, create))
		})
	}
}

// fixture is one test's database.
type fixture struct {
	DB
	t    *testing.T
	open func() DB
}

func newFixture(t *testing.T, create Create) *fixture {
	t.Helper()
	f := &fixture{t: t, open: create(t)}
	f.DB = f.open()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	// A read model of the suite's own, to see what an append's statements did.
	if _, err := f.Writer().ExecContext(t.Context(), `CREATE TABLE kept (id TEXT PRIMARY KEY, n BIGINT NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	return f
}

// stream is a stream as the test knows it.
type stream struct {
	id      uuid.UUID
	tip     eventstore.Tip
	records []eventstore.Record
}

func newStream() *stream { return &stream{id: uuid.Must(uuid.NewV7())} }

// next seals n events behind what the test knows of the stream.
func (s *stream) next(t *testing.T, n int) eventstore.Batch {
	t.Helper()
	events := make([]eventstore.Event, n)
	for i := range events {
		events[i] = eventstore.Event{Type: "counted", Data: []byte(`{"n":1}`)}
	}
	return s.seal(t, events...)
}

func (s *stream) seal(t *testing.T, events ...eventstore.Event) eventstore.Batch {
	t.Helper()
	records, err := eventstore.Seal(s.id, s.tip, s.tip.At+7, rand.Reader, events)
	if err != nil {
		t.Fatal(err)
	}
	return eventstore.Batch{Records: records, Command: uuid.New()}
}

// stored notes that the batch is in the store.
func (s *stream) stored(b eventstore.Batch) {
	last := b.Records[len(b.Records)-1]
	s.tip = eventstore.Tip{Version: last.Version, Hash: last.Hash, At: last.At}
	s.records = append(s.records, b.Records...)
}

// mustAppend appends n events with statements and returns their batch.
func (f *fixture) mustAppend(t *testing.T, s *stream, n int, with ...eventstore.Statement) eventstore.Batch {
	t.Helper()
	b := s.next(t, n)
	b.With = with
	if err := f.Append(t.Context(), b); err != nil {
		t.Fatalf("append: %v", err)
	}
	s.stored(b)
	return b
}

func (f *fixture) mustRead(t *testing.T, id uuid.UUID, after, limit int) []eventstore.Record {
	t.Helper()
	records, err := f.Read(t.Context(), id, after, limit)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return records
}

// holds checks that the stream is in the store exactly as the test knows it, and its chain whole.
func (f *fixture) holds(t *testing.T, s *stream) {
	t.Helper()
	got := f.mustRead(t, s.id, 0, 0)
	same(t, got, s.records)
	tip, err := eventstore.VerifyChain(s.id, eventstore.Tip{}, got)
	if err != nil || tip != s.tip {
		t.Errorf("tip %v, want %v: %v", tip, s.tip, err)
	}
}

// keeps checks how many rows the suite's read model has.
func (f *fixture) keeps(t *testing.T, want int) {
	t.Helper()
	var got int
	if err := f.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM kept`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%d rows kept, want %d", got, want)
	}
}

// keep is a statement that puts a row into the suite's read model and fails if it is there.
func keep(id string, n int64) eventstore.Statement {
	return eventstore.Statement{SQL: `INSERT INTO kept (id, n) VALUES ($1, $2)`, Args: []any{id, n}}
}

func same(t *testing.T, got, want []eventstore.Record) {
	t.Helper()
	equalBytes := cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) })
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if diff := cmp.Diff(want, got, equalBytes); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

package postgres

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"mago/eventstore"
)

// unseen returns which of the streams have an event that the mark does not stand for.
func unseen(t *testing.T, s *Store, since eventstore.Mark, streams ...uuid.UUID) (out []bool) {
	t.Helper()
	condition, args, err := s.Unseen(since, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range streams {
		var n int
		if err := s.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM events e WHERE e.stream_id = $1 AND `+condition, append([]any{id.String()}, args...)...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		out = append(out, n > 0)
	}
	return out
}

// A mark is taken while appends run: it doesn't stand for those, whether they began before or after what it stands for, and it never says again what
// was there when it was taken, however long others run on.
func TestMarksTakenWhileAppendsRun(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	mark := func(since eventstore.Mark) eventstore.Mark {
		t.Helper()
		m, err := s.Mark(t.Context(), since)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	ids := make([]uuid.UUID, 6)
	for i := range ids {
		ids[i] = uuid.Must(uuid.NewV7())
	}
	appended := func(i int) {
		t.Helper()
		if err := s.Append(t.Context(), batch(t, ids[i], eventstore.Tip{}, 1)); err != nil {
			t.Fatal(err)
		}
	}
	appended(0)
	slow, given := begin(t, s, batch(t, ids[1], eventstore.Tip{}, 1)), begin(t, s, batch(t, ids[2], eventstore.Tip{}, 1))
	appended(3)
	late := begin(t, s, batch(t, ids[4], eventstore.Tip{}, 1))
	m := mark("")
	slow.end(t, true)
	late.end(t, true)
	given.end(t, false)
	if got, want := unseen(t, s, m, ids...), []bool{false, true, false, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("behind the mark: %v, want %v", got, want)
	}
	appended(5)
	next := mark(m)
	if got, want := unseen(t, s, next, ids...), make([]bool, 6); !slices.Equal(got, want) {
		t.Errorf("behind the next mark: %v", got)
	}

	// Where an event that a mark stands for is gone, the mark is of another history, though the newest of its events is there.
	held := begin(t, s, batch(t, uuid.Must(uuid.NewV7()), eventstore.Tip{}, 1))
	for i := range ids[:3] {
		ids[i] = uuid.Must(uuid.NewV7())
		appended(i)
	}
	before, err := parseMark(mark(""))
	if err != nil {
		t.Fatal(err)
	}
	held.end(t, true)
	after, err := parseMark(mark(""))
	if err != nil {
		t.Fatal(err)
	}
	if before.place != after.place || len(before.running) != 1 || len(after.running) != 0 {
		t.Fatalf("%+v, then %+v", before, after)
	}
	before.running = nil // so it stands for an event that was not there
	if _, err := s.Mark(t.Context(), before.bytes()); err == nil {
		t.Error("a mark that lacks an event is taken")
	}
}

package storetest

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/eventstore"
)

// event is one event by its place.
type event struct {
	stream  uuid.UUID
	version int
}

func eventsOf(records []eventstore.Record) map[event]int {
	out := map[event]int{}
	for _, r := range records {
		out[event{r.Stream, r.Version}]++
	}
	return out
}

func (f *fixture) mustMark(t *testing.T, since eventstore.Mark) eventstore.Mark {
	t.Helper()
	m, err := f.Mark(t.Context(), since)
	if err != nil {
		t.Fatalf("mark: %v", err)
	}
	return m
}

// unseen counts the events that a mark does not stand for into got.
func (f *fixture) unseen(t *testing.T, since eventstore.Mark, got map[event]int) {
	t.Helper()
	condition, args, err := f.Unseen(since, 2)
	if err != nil {
		t.Fatalf("unseen: %v", err)
	}
	rows, err := f.Reader().QueryContext(t.Context(), `SELECT e.stream_id, e.version FROM events e WHERE e.version > $1 AND `+condition, append([]any{0}, args...)...)
	if err != nil {
		t.Fatalf("unseen: %v", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var e event
		if err := rows.Scan(&e.stream, &e.version); err != nil {
			t.Fatal(err)
		}
		got[e]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// testMarks: behind a mark stands what was appended after it was taken, and nothing else.
func testMarks(f *fixture) {
	t := f.t
	if m := f.mustMark(t, ""); m != "" {
		t.Errorf("the mark of no event is %q", m)
	}
	streams := []*stream{newStream(), newStream()}
	marks := []eventstore.Mark{""}
	behind := []int{0}
	var all []eventstore.Record
	for n := range 2 * 40 { // more than any engine looks back
		all = append(all, f.mustAppend(t, streams[n%2], 1+n%3).Records...)
		if n%7 == 0 {
			marks, behind = append(marks, f.mustMark(t, marks[len(marks)-1])), append(behind, len(all))
		}
	}
	if again := f.mustMark(t, f.mustMark(t, "")); again != f.mustMark(t, "") {
		t.Error("nothing was appended and the mark is another")
	}
	for i, m := range marks {
		f.mustMark(t, m) // it is of this history, however old
		got := map[event]int{}
		f.unseen(t, m, got)
		if diff := cmp.Diff(eventsOf(all[behind[i]:]), got, cmp.AllowUnexported(event{})); diff != "" {
			t.Errorf("mark %d: %s", i, diff)
		}
		if len(m) > 40 {
			t.Errorf("where nothing else is written a mark has %d bytes", len(m))
		}
	}
}

// testMarksWhileWriting: who takes a mark and then looks at what is behind the one before misses nothing, in whatever order commits come.
func testMarksWhileWriting(f *fixture) {
	t := f.t
	const writers, appends = 8, 25
	streams := make([]*stream, writers)
	var wg sync.WaitGroup
	for i := range streams {
		streams[i] = newStream()
		wg.Go(func() {
			for n := range appends {
				b := streams[i].next(t, 1+n%3)
				if err := f.Append(t.Context(), b); err != nil {
					t.Errorf("append: %v", err)
					return
				}
				streams[i].stored(b)
			}
		})
	}
	written := make(chan struct{})
	go func() { wg.Wait(); close(written) }()
	got := map[event]int{}
	since, looks := eventstore.Mark(""), 0
	for running := true; running; looks++ {
		select {
		case <-written:
			running = false
		default:
		}
		next := f.mustMark(t, since)
		f.unseen(t, since, got)
		since = next
	}
	total, twice := 0, 0
	for _, s := range streams {
		for e := range eventsOf(s.records) {
			total++
			if got[e] == 0 {
				t.Errorf("version %d of stream %s was never seen", e.version, e.stream)
			}
			twice += got[e] - 1
		}
	}
	t.Logf("%d events, %d looks, %d seen again", total, looks, twice)
	rest := map[event]int{}
	f.unseen(t, since, rest)
	if len(rest) != 0 {
		t.Errorf("%d events are behind the last mark", len(rest))
	}
}

// testOtherHistory: marks of another database are known as such, and what is no mark is refused.
func testOtherHistory(f, other *fixture) {
	t := f.t
	s := newStream()
	f.mustAppend(t, s, 2)
	m := f.mustMark(t, "")
	if _, err := other.Mark(t.Context(), m); !errors.Is(err, eventstore.ErrOtherHistory) {
		t.Errorf("an empty database takes a mark of another: %v", err)
	}
	for range 3 {
		other.mustAppend(t, newStream(), 1)
		if _, err := other.Mark(t.Context(), m); !errors.Is(err, eventstore.ErrOtherHistory) {
			t.Errorf("a database takes a mark of another: %v", err)
		}
	}
	rng := rand.New(rand.NewPCG(15, 1)) //nolint:gosec // the same each time
	for range 300 {
		bytes := []byte(m)
		for range 1 + rng.IntN(4) {
			bytes[rng.IntN(len(bytes))] = byte(rng.IntN(256)) //nolint:gosec // below 256
		}
		bad := eventstore.Mark(bytes[:rng.IntN(len(bytes)+1)]) + eventstore.Mark(strings.Repeat("\xff", rng.IntN(12)))
		if bad == "" || strings.HasPrefix(string(bad), string(m)) {
			continue
		}
		_, err := f.Mark(t.Context(), bad)
		if !errors.Is(err, eventstore.ErrOtherHistory) && !errors.Is(err, eventstore.ErrBadMark) {
			t.Errorf("mark %x: %v", bad, err)
		}
		if _, _, err := f.Unseen(bad, 1); err != nil && !errors.Is(err, eventstore.ErrBadMark) {
			t.Errorf("mark %x: %v", bad, err)
		}
	}
}

package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
)

// tail reads what is behind the cursor until it has n records, and looks whether there are more. An engine may hold back what is new while
// transactions run, also those of others, so it is asked again; a store that holds back for ever gives too few.
func (f *fixture) tail(ctx context.Context, after eventstore.Cursor, n int) (records []eventstore.Record, end eventstore.Cursor, err error) {
	patience := time.After(time.Minute)
	for end = after; ; {
		page, next, err := f.ReadAll(ctx, end, n-len(records)+1)
		if err != nil {
			return records, end, err
		}
		records, end = append(records, page...), next
		if len(records) >= n {
			return records, end, nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-patience:
			return records, end, nil
		}
	}
}

func testReadAll(f *fixture) {
	t := f.t
	records, cursor, err := f.ReadAll(t.Context(), "", 10)
	if len(records) != 0 || cursor != "" || err != nil {
		t.Errorf("of an empty store: %v, %q, %v", records, cursor, err)
	}
	a, b := newStream(), newStream()
	var want []eventstore.Record
	for i := range 6 {
		s := a
		if i%3 == 1 {
			s = b
		}
		want = append(want, f.mustAppend(t, s, 1+i%2).Records...)
	}
	got, end, err := f.tail(t.Context(), "", len(want))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want) // one after the other, so in the order of the appends
	none, again, err := f.ReadAll(t.Context(), end, 100)
	if len(none) != 0 || again != end || err != nil {
		t.Errorf("behind the end: %v, %q (was %q), %v", none, again, end, err)
	}
}

func testReadAllPages(f *fixture) {
	t := f.t
	s := newStream()
	for range 4 {
		f.mustAppend(t, s, 3)
	}
	if _, _, err := f.tail(t.Context(), "", len(s.records)); err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit <= 13; limit++ {
		var got []eventstore.Record
		var cursor eventstore.Cursor
		for {
			page, next, err := f.ReadAll(t.Context(), cursor, limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			if len(page) > limit || next <= cursor {
				t.Fatalf("limit %d: %d records, cursor %q after %q", limit, len(page), next, cursor)
			}
			got, cursor = append(got, page...), next
		}
		same(t, got, s.records)
	}
}

func testReadAllBadArguments(f *fixture) {
	t := f.t
	f.mustAppend(t, newStream(), 1)
	for _, cursor := range []eventstore.Cursor{"x", "-1", "1 OR 1=1", "99999999999999999999999"} {
		if records, _, err := f.ReadAll(t.Context(), cursor, 10); err == nil {
			t.Errorf("cursor %q was taken: %d records", cursor, len(records))
		}
	}
	for _, limit := range []int{0, -1} {
		if _, _, err := f.ReadAll(t.Context(), "", limit); err == nil {
			t.Errorf("limit %d was taken", limit)
		}
	}
}

// testReadAllWhileWriting: who follows the store while others write misses nothing and sees nothing twice.
func testReadAllWhileWriting(f *fixture) {
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

	tips := make(map[uuid.UUID]eventstore.Tip)
	follow := func(page []eventstore.Record) {
		for _, r := range page {
			tip, err := eventstore.VerifyChain(r.Stream, tips[r.Stream], []eventstore.Record{r})
			if err != nil {
				t.Errorf("the follower misses or repeats: %v", err)
			}
			tips[r.Stream] = tip
		}
	}
	var cursor eventstore.Cursor
	read := 0
	for running := true; running; {
		select {
		case <-written:
			running = false
		default:
		}
		page, next, err := f.ReadAll(t.Context(), cursor, 7)
		if err != nil {
			t.Fatalf("read all: %v", err)
		}
		follow(page)
		cursor, read = next, read+len(page)
	}
	rest := -read
	for _, s := range streams {
		rest += len(s.records)
	}
	page, _, err := f.tail(t.Context(), cursor, rest)
	if err != nil {
		t.Fatalf("read all: %v", err)
	}
	follow(page)
	for _, s := range streams {
		if tips[s.id] != s.tip {
			t.Errorf("the follower stands at %d of %d", tips[s.id].Version, s.tip.Version)
		}
		f.holds(t, s)
	}
}

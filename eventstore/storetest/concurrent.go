package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"mago/eventstore"
)

// testOneWinner: of writers that all append to one stream at the same version, exactly one succeeds, each time.
func testOneWinner(f *fixture) {
	t := f.t
	const writers, versions = 8, 20
	s := newStream()
	for range versions {
		var wins atomic.Int32
		var won eventstore.Batch
		var wg sync.WaitGroup
		for w := range writers {
			b := s.next(t, 1)
			b.With = []eventstore.Statement{keep(fmt.Sprint(b.Records[0].Version, " by ", w), 1)}
			wg.Go(func() {
				err := f.Append(t.Context(), b)
				var conflict *eventstore.ConflictError
				switch {
				case err == nil:
					if wins.Add(1) == 1 {
						won = b
					}
				case !errors.As(err, &conflict):
					t.Errorf("a loser got %v", err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d writers won version %d", wins.Load(), s.tip.Version+1)
		}
		s.stored(won)
	}
	f.holds(t, s)
	f.keeps(t, versions)
}

// testManyStreams: many writers, some of them meeting on a stream; each stream holds exactly what was acknowledged.
func testManyStreams(f *fixture) {
	t := f.t
	const streams, writers, appends = 10, 3, 8
	var acknowledged atomic.Int32
	var wg sync.WaitGroup
	all := make([]*stream, streams)
	for i := range all {
		all[i] = newStream()
		for range writers {
			wg.Go(func() {
				for n := 0; n < appends; {
					read, err := f.Read(t.Context(), all[i].id, 0, 0)
					if err != nil {
						t.Errorf("read: %v", err)
						return
					}
					tip, err := eventstore.VerifyChain(all[i].id, eventstore.Tip{}, read)
					if err != nil {
						t.Errorf("chain: %v", err)
						return
					}
					mine := &stream{id: all[i].id, tip: tip}
					b := mine.next(t, 1+n%2)
					b.With = []eventstore.Statement{keep(b.Command.String(), 1)}
					err = f.Append(t.Context(), b)
					var conflict *eventstore.ConflictError
					if errors.As(err, &conflict) {
						continue
					}
					if err != nil {
						t.Errorf("append: %v", err)
						return
					}
					if v, err := f.Lookup(t.Context(), mine.id, b.Command); v != b.Records[0].Version || err != nil {
						t.Errorf("an acknowledged command is found at %d, %v", v, err)
					}
					acknowledged.Add(1)
					n++
				}
			})
		}
	}
	wg.Wait()
	const events = appends * 3 / 2
	for _, s := range all {
		got := f.mustRead(t, s.id, 0, 0)
		if _, err := eventstore.VerifyChain(s.id, eventstore.Tip{}, got); err != nil || len(got) != writers*events {
			t.Errorf("%d events, want %d: %v", len(got), writers*events, err)
		}
	}
	f.keeps(t, int(acknowledged.Load()))
}

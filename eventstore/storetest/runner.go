package storetest

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/google/uuid"

	"mago/eventstore"
)

// deposited is the event of the suite's aggregate, whose state is the sum of what was deposited.
type deposited struct {
	N int64 `json:"n"`
}

var deposits = eventstore.Aggregate[int64, deposited]{
	Encode: func(e deposited) eventstore.Event {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err) // a struct of one number
		}
		return eventstore.Event{Type: "deposited", Data: data}
	},
	Decode: func(r eventstore.Record) (e deposited, err error) { return e, json.Unmarshal(r.Data, &e) },
	Evolve: func(sum int64, e deposited, _ int64) int64 { return sum + e.N },
	Inline: func(id uuid.UUID, _, after eventstore.Loaded[int64], _ []deposited) []eventstore.Statement {
		return []eventstore.Statement{{
			SQL:  `INSERT INTO kept (id, n) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = excluded.n`,
			Args: []any{id.String(), after.State},
		}}
	},
}

// testRunner: commands of two runners, as of two processes, on few streams; each is applied once, what is loaded is never older
// than what was told, and the read model kept in the appends says the same as the events.
func testRunner(f *fixture) {
	t := f.t
	runners := []*eventstore.Runner[int64, deposited]{
		eventstore.NewRunner(f.DB, deposits, eventstore.Options{CacheSize: 1}),
		eventstore.NewRunner(f.DB, deposits, eventstore.Options{}),
	}
	one := func(eventstore.Loaded[int64]) (eventstore.Decision[deposited], error) {
		return eventstore.Decision[deposited]{Events: []deposited{{N: 1}, {N: 2}}}, nil
	}
	const callers, commands = 4, 10
	ids := []uuid.UUID{uuid.New(), uuid.New()}
	var wg sync.WaitGroup
	for i := range callers {
		mine, other := runners[i%2], runners[(i+1)%2]
		id := ids[i/2]
		wg.Go(func() {
			for range commands {
				told, err := mine.Do(t.Context(), id, one)
				for errors.Is(err, eventstore.ErrUnavailable) { // the other went first each time
					told, err = mine.Do(t.Context(), id, one)
				}
				if err != nil {
					t.Errorf("do: %v", err)
					return
				}
				if l, err := other.Load(t.Context(), id); err != nil || l.Version < told.Version {
					t.Errorf("loaded version %d, %v; told %d", l.Version, err, told.Version)
				}
			}
		})
	}
	wg.Wait()
	const want = callers / 2 * commands * 3
	for _, id := range ids {
		f.sums(id, runners[0], want)
		f.sums(id, eventstore.NewRunner(f.DB, deposits, eventstore.Options{}), want)
	}
}

// sums checks a stream's sum by its events and in the read model.
func (f *fixture) sums(id uuid.UUID, r *eventstore.Runner[int64, deposited], want int64) {
	f.t.Helper()
	ctx := f.t.Context()
	l, err := r.Load(ctx, id)
	if err != nil || l.State != want {
		f.t.Errorf("the sum is %d, %v; want %d", l.State, err, want)
	}
	var kept int64
	if err := f.Reader().QueryRowContext(ctx, `SELECT n FROM kept WHERE id = $1`, id.String()).Scan(&kept); err != nil || kept != want {
		f.t.Errorf("the read model has %d, %v; want %d", kept, err, want)
	}
}

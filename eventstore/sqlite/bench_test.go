package sqlite

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"mago/eventstore"
)

// BenchmarkAppend appends one event with one statement at a time from each of a number of writers, each on its own stream, and counts
// how many appends shared a commit. The single ones take turns, so that every append has a commit to itself.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("single/writers=%d", writers), func(b *testing.B) {
			var alone sync.Mutex
			benchmarkAppend(b, writers, func(s *Store, batch eventstore.Batch) error {
				alone.Lock()
				defer alone.Unlock()
				return s.Append(b.Context(), batch)
			})
		})
		b.Run(fmt.Sprintf("group/writers=%d", writers), func(b *testing.B) {
			benchmarkAppend(b, writers, func(s *Store, batch eventstore.Batch) error { return s.Append(b.Context(), batch) })
		})
	}
}

func benchmarkAppend(b *testing.B, writers int, do func(*Store, eventstore.Batch) error) {
	b.Helper()
	var commits atomic.Int64
	s := opened(b, Options{commit: func(w *session) error { commits.Add(1); return w.commit() }})
	if _, err := s.Writer().Exec(`CREATE TABLE bench_games (id TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID`); err != nil {
		b.Fatal(err)
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			stream := uuid.Must(uuid.NewV7())
			var tip eventstore.Tip
			for left.Add(-1) >= 0 {
				next := batch(b, stream, tip, 1)
				next.With = []eventstore.Statement{{
					SQL:  `INSERT INTO bench_games (id, version) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET version = excluded.version`,
					Args: []any{stream.String(), int64(tip.Version + 1)},
				}}
				if err := do(s, next); err != nil {
					b.Error(err)
					return
				}
				tip = eventstore.Tip{Version: tip.Version + 1, Hash: next.Records[0].Hash, At: next.Records[0].At}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
	b.ReportMetric(float64(b.N)/float64(commits.Load()), "appends/commit")
}

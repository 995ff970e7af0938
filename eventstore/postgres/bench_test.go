package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
)

// The bare insert that an append is held against: one row like that of an event (colons would be variables), prepared, by PostgreSQL's own program.
const (
	bareTable = `CREATE TABLE bare (position bigint GENERATED ALWAYS AS IDENTITY, stream_id uuid NOT NULL, at bigint NOT NULL, version int NOT NULL, type text NOT NULL,
 hash bytea NOT NULL, private bytea NOT NULL, data bytea NOT NULL, PRIMARY KEY (stream_id, version))`
	bareInsert = `\set version random(1, 1000000000)
INSERT INTO bare (stream_id, at, version, type, hash, private, data) VALUES (gen_random_uuid(), 1700000000000, :version, 'card_played',
 '0123456789abcdef0123456789abcdef', '0123456789abcdef', '{"auto" null,"card" "E13","round" 7,"seat" 2,"trick" 3}');`
)

// inlineGame is what the read model of games adds to each append, with a row of its usual size.
const inlineGame = `INSERT INTO games (game_id, version, status, visibility, updated_at, turn, bot_turn, summary)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
 ON CONFLICT (game_id) DO UPDATE SET version = excluded.version, status = excluded.status, updated_at = excluded.updated_at,
  turn = excluded.turn, bot_turn = excluded.bot_turn, summary = excluded.summary`

// BenchmarkAppend appends one event with its read model's row at a time from each of a number of writers, each on its own stream, on a cluster that
// syncs, and holds the rate against pgbench's on the same cluster. The two take turns, since the machine may have other work.
func BenchmarkAppend(b *testing.B) {
	pgtest.Need(b)
	cluster, err := pgtest.Start(true)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			b.Error(err)
		}
	})
	url := cluster.URL("postgres")
	migrated(b, url)
	const most = 64
	s := openedAt(b, url, Options{Writers: most, AcquireTimeout: time.Minute})
	if _, err := s.Writer().Exec(bareTable); err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(b.TempDir(), "bare.sql")
	if err := os.WriteFile(script, []byte(bareInsert), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, writers := range []int{1, 8, 32, most} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			var own, bare time.Duration
			const turns = 4
			each := max(b.N/turns/writers, min(b.N, 150)) // fewer would measure how its connections warm up
			own = appends(b, s, writers, b.N-b.N/turns*(turns-1))
			for range turns - 1 {
				bare += pgbench(b, cluster, script, writers, each)
				own += appends(b, s, writers, b.N/turns)
			}
			bares := each * writers * (turns - 1)
			b.ReportMetric(float64(b.N)/own.Seconds(), "appends/s")
			b.ReportMetric(float64(bares)/bare.Seconds(), "pgbench/s")
			b.ReportMetric(float64(b.N)/own.Seconds()/(float64(bares)/bare.Seconds()), "ratio")
		})
	}
}

// appends appends so many times and returns how long it took.
func appends(b *testing.B, s *Store, writers, times int) time.Duration {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(times))
	summary := []byte(strings.Repeat("x", 860))
	var wg sync.WaitGroup
	began := time.Now()
	for range writers {
		wg.Go(func() {
			stream := uuid.Must(uuid.NewV7())
			var at eventstore.Tip
			for left.Add(-1) >= 0 {
				next := batch(b, stream, at, 1)
				next.With = []eventstore.Statement{{SQL: inlineGame, Args: []any{
					stream.String(), int64(at.Version + 1), "playing", "public", int64(1_700_000_000_000), int64(1 << (at.Version % 4)), int64(0), summary,
				}}}
				if err := s.Append(b.Context(), next); err != nil {
					b.Error(err)
					return
				}
				at = tip(next)
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbench runs the script so many times with each of the clients and returns how long it took, connecting apart.
func pgbench(b *testing.B, cluster *pgtest.Cluster, script string, clients, times int) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), cluster.Bin("pgbench"), "-n", "-M", "prepared", "-f", script, "-c", strconv.Itoa(clients), "-j", "2",
		"-t", strconv.Itoa(times), "-h", cluster.Dir(), "-U", "postgres", "postgres")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	found := tps.FindSubmatch(out)
	if found == nil {
		b.Fatalf("no rate in %s", out)
	}
	rate, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(float64(clients*times) / rate * float64(time.Second))
}

package projections_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// follower is one server's follower of the statistics.
func (h hall) follower(batch int) *projections.Follower {
	return &projections.Follower{
		Projection: projections.Statistics, Store: h.store, Games: projections.NewGames(h.store, eventstore.Options{}),
		Reader: h.store.Reader(), Writer: h.store.Writer(), Now: time.Now, Batch: batch,
	}
}

func catchUp(t *testing.T, f *projections.Follower) projections.Progress {
	t.Helper()
	p, err := f.CatchUp(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// settled catches up until the statistics are what the games say, and fails if they never are. On PostgreSQL a transaction that runs anywhere in the
// cluster holds back what is younger, so catching up once may end early.
func (h hall) settled(t *testing.T, f *projections.Follower, ids []uuid.UUID, users []string) projections.Progress {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	want := h.tallies(t, ids)
	for range 12_000 {
		p := catchUp(t, f)
		if cmp.Equal(want, h.stats(t, users)) {
			return p
		}
		<-ticker.C
	}
	t.Fatal(cmp.Diff(want, h.stats(t, users)))
	return projections.Progress{}
}

// tallies is a player's statistics by option, counted anew from the games as they stand.
func (h hall) tallies(t *testing.T, ids []uuid.UUID) map[string]projections.PlayerStats {
	t.Helper()
	out := map[string]projections.PlayerStats{}
	for _, id := range ids {
		g, err := h.games.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		v := g.State.View(game.Spectator)
		if v.Status != game.Finished {
			continue
		}
		for i, seat := range v.Seats {
			key := fmt.Sprint(seat.User, v.Rules)
			s := out[key]
			s.Rules = v.Rules
			if seat.Left {
				s.Abandoned++
				out[key] = s
				continue
			}
			s.Games++
			s.Score += seat.Total
			s.Places += v.Result.Places[i]
			if v.Result.Places[i] == 1 {
				s.Wins++
			}
			for _, r := range v.Rounds {
				s.Bids++
				if r.Points[i] > 0 {
					s.Met++
				}
			}
			out[key] = s
		}
	}
	return out
}

func (h hall) stats(t *testing.T, users []string) map[string]projections.PlayerStats {
	t.Helper()
	lists, out := projections.NewLists(h.store.Reader(), h.store.Writer()), map[string]projections.PlayerStats{}
	for _, u := range users {
		all, err := lists.Stats(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			out[fmt.Sprint(u, s.Rules)] = s
		}
	}
	return out
}

// played plays games of the same few people to their ends, in one of which somebody resigns.
func (h hall) played(t *testing.T, games int) (ids []uuid.UUID, users []string) {
	t.Helper()
	for i := range 5 {
		users = append(users, userID(9, i))
	}
	for n := range games {
		rules := game.Rules{Players: 3 + n%2, Length: game.Five, Bidding: game.Bidding(n % 4), Foresight: n%3 == 0}
		id := h.open(t, rules, game.Public, append([]string{}, users[n%2:n%2+rules.Players]...))
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		if n == 2 {
			if _, err := h.do(t.Context(), id, func(game.State) (game.Command, []projections.Statement) { return game.Resign{Seat: 1}, nil }); err != nil {
				t.Fatal(err)
			}
		}
		for moved := true; moved; {
			var err error
			if moved, err = h.step(t.Context(), id, rng); err != nil {
				t.Fatal(err)
			}
		}
		ids = append(ids, id)
	}
	return ids, users
}

func TestStatisticsFollowTheGames(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ids, users := h.played(t, 6)
	for _, batch := range []int{1000, 7} { // the second finds nothing new, in small steps
		if p := h.settled(t, h.follower(batch), ids, users); !p.Live || p.Behind {
			t.Errorf("after catching up: %+v", p)
		}
	}
	lists := projections.NewLists(h.store.Reader(), h.store.Writer())
	var board []projections.Rank
	for cursor, first := "", true; cursor != "" || first; first = false {
		page, next, err := lists.Leaderboard(t.Context(), 3, 1, projections.Page{Limit: 2, After: cursor})
		if err != nil {
			t.Fatal(err)
		}
		board, cursor = append(board, page...), next
	}
	games := 0
	for i, r := range board {
		games += r.Games
		if i > 0 && board[i-1].Mean < r.Mean || r.Mean != 1000*r.Score/r.Games {
			t.Errorf("line %d of %+v", i, board)
		}
	}
	if games != 3*3-1 { // three games of three, in one of which a seat was left
		t.Errorf("the leaderboard counts %d seats: %+v", games, board)
	}
	if _, _, err := lists.Leaderboard(t.Context(), 3, 1, projections.Page{Limit: 2, After: "x"}); !errors.Is(err, projections.ErrBadCursor) {
		t.Errorf("a bad cursor: %v", err)
	}
}

// Followers on several servers, some of which stop anywhere and come again, count each game once.
func TestManyFollowersCountOnce(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for n := range 3 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(8, uint64(n)))
			for ctx.Err() == nil {
				f := h.follower(1 + rng.IntN(40))
				life, kill := context.WithCancel(ctx)
				for range rng.IntN(12) {
					if rng.IntN(8) == 0 {
						kill() // in the middle of a step, as far as the step is concerned
					}
					if _, err := f.Step(life); err != nil && life.Err() == nil && !errors.Is(err, eventstore.ErrUnavailable) {
						t.Error(err)
					}
				}
				kill()
			}
		})
	}
	ids, users := h.played(t, 3)
	stop()
	wg.Wait()
	h.settled(t, h.follower(50), ids, users)
}

// A build beside the living one changes nothing that is read until it has caught up; then it takes its place, and nothing of the old one is left.
func TestRebuildBesideTheLivingRows(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ids, users := h.played(t, 4)
	f := h.follower(20)
	first := h.settled(t, f, ids, users)
	if _, err := h.store.Writer().ExecContext(t.Context(), `UPDATE player_stats SET games = 99`); err != nil { // so that old and new are told apart
		t.Fatal(err)
	}
	newer := h.follower(20)
	newer.Version++
	for p := (projections.Progress{Behind: true}); p.Behind; {
		for _, s := range h.stats(t, users) {
			if s.Games != 99 {
				t.Fatalf("read while it is rebuilt: %+v", s)
			}
		}
		var err error
		if p, err = newer.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p.Build <= first.Build {
			t.Fatalf("build %d of a newer version than %d's", p.Build, first.Build)
		}
	}
	h.settled(t, newer, ids, users)
	var old int
	err := h.store.Reader().QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM player_stats WHERE build = $1) + (SELECT count(*) FROM player_totals WHERE build = $2)
 + (SELECT count(*) FROM checkpoints WHERE build = $3)`, first.Build, first.Build, first.Build).Scan(&old)
	if err != nil || old != 0 {
		t.Errorf("%d old rows are left: %v", old, err)
	}
	// A rebuild that is asked for does the same under the same version, and a follower that was at work moves on to it.
	if err := newer.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := h.settled(t, newer, ids, users); !p.Live {
		t.Errorf("after a rebuild: %+v", p)
	}
}

// A follower whose batch does not commit takes it up again where it was.
func TestABatchTakesEffectWhole(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ids, users := h.played(t, 3)
	f := h.follower(0)
	broken := h.follower(0)
	calls := 0
	broken.Project = func(build int64, s *game.State, e game.Event) []projections.Statement {
		calls++
		if calls == 2 {
			return []projections.Statement{{SQL: `INSERT INTO no_such_table VALUES (1)`}}
		}
		return projections.Statistics.Project(build, s, e)
	}
	count := func() (n int) {
		if err := h.store.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM player_stats`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for calls < 2 { // on PostgreSQL the first batch may be short
		before := count()
		if _, err := broken.Step(t.Context()); calls < 2 {
			continue
		} else if err == nil {
			t.Fatal("a broken batch went through")
		}
		if after := count(); after != before {
			t.Errorf("%d rows of a broken batch", after-before)
		}
	}
	h.settled(t, f, ids, users)
}

// Two versions of the code at work at once, as when servers are replaced one after the other: the newer one's build takes the place of the older's, once
// and for all, and until then the older one's goes on.
func TestAnOlderVersionGivesWay(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ids, users := h.played(t, 3)
	older, newer := h.follower(10), h.follower(10)
	newer.Version++
	first := h.settled(t, older, ids, users)
	if err := newer.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	more, _ := h.played(t, 1) // counted by the living build while the other is behind
	ids = append(ids, more...)
	if p := h.settled(t, older, ids, users); p.Build != first.Build || !p.Live {
		t.Errorf("the older version went on with %+v after %+v", p, first)
	}
	second := h.settled(t, newer, ids, users)
	for !second.Live {
		second = catchUp(t, newer)
	}
	for range 3 {
		if p := catchUp(t, older); p.Build != 0 {
			t.Errorf("the older version works on build %d again", p.Build)
		}
		if p := catchUp(t, newer); p.Build != second.Build || !p.Live {
			t.Errorf("the newer version went on with %+v after %+v", p, second)
		}
	}
	h.settled(t, newer, ids, users)
}

// While a rebuild of the same version is behind, what is read goes on with the games.
func TestTheLivingBuildGoesOnDuringARebuild(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ids, users := h.played(t, 2)
	f := h.follower(5)
	first := h.settled(t, f, ids, users)
	if err := f.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	more, _ := h.played(t, 1)
	ids = append(ids, more...)
	want := h.tallies(t, ids)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range 60_000 { // the living build is up to date long before the new one
		p, err := f.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.Build == first.Build {
			t.Fatalf("no build beside %d", first.Build)
		}
		if cmp.Equal(want, h.stats(t, users)) {
			return
		}
		<-ticker.C
	}
	t.Fatal(cmp.Diff(want, h.stats(t, users)))
}

func TestCursorsAreCanonical(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	lists := projections.NewLists(h.store.Reader(), h.store.Writer())
	const id = "0190b2a4-0000-7000-8000-00000000000a"
	for _, bad := range []string{"urn:uuid:" + id, "{" + id + "}", strings.ReplaceAll(id, "-", ""), strings.ToUpper(id), id + " ", "x"} {
		page := projections.Page{Limit: 1, After: bad}
		_, _, public := lists.Public(t.Context(), userID(0, 0), game.NoGame, page)
		_, _, mine := lists.Mine(t.Context(), userID(0, 0), game.NoGame, false, projections.Page{Limit: 1, After: "1-" + bad})
		_, _, board := lists.Leaderboard(t.Context(), 3, 1, projections.Page{Limit: 1, After: "1_" + bad})
		for name, err := range map[string]error{"public": public, "mine": mine, "leaderboard": board} {
			if !errors.Is(err, projections.ErrBadCursor) {
				t.Errorf("%s after %q: %v", name, bad, err)
			}
		}
	}
}

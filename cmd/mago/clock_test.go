package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
	"mago/eventstore/testdb"
	"mago/projections"
)

// manyDue lets the time of many games' turns end in the same second, while one of four servers is killed: each turn is ended once.
func manyDue(t *testing.T, binary string) {
	t.Helper()
	db := pgtest.New(t)
	store := testdb.Open(t, db)
	defer store.Close()
	processes, _ := servers(t, binary, db, 4)
	n := soak(60, 500)
	const turn = time.Minute
	var end time.Time
	var ids []uuid.UUID
	for ahead := time.Duration(4+n/40) * time.Second; time.Now().After(end); ahead *= 2 { // again, where making them took too long
		end = time.Now().Add(ahead).Truncate(time.Second)
		ids = dueGames(t, store, end.Add(-turn), turn, n)
	}
	<-time.After(time.Until(end.Add(game.Grace*time.Millisecond + 300*time.Millisecond)))
	processes[3].kill(t)
	slowest := time.Duration(0)
	for _, id := range ids {
		if took := timedOut(t, store, id).Sub(end); took < game.Grace*time.Millisecond {
			t.Errorf("a turn was ended %v behind its deadline", took)
		} else {
			slowest = max(slowest, took)
		}
	}
	t.Logf("%d turns ended; the last %v behind its deadline", n, slowest.Round(time.Millisecond))
	endAll(t, processes[:3]...)
	for _, id := range ids {
		if n := len(dump(t, store, `SELECT version FROM events WHERE type = 'turn_timed_out' AND stream_id = '`+id.String()+`'`)); n != 1 {
			t.Errorf("game %s: %d timeouts", id, n)
		}
	}
	inspect(t, db)
}

// dueGames starts games whose first turn has begun at a time.
func dueGames(t *testing.T, store testdb.Store, at time.Time, turn time.Duration, n int) []uuid.UUID {
	t.Helper()
	games := projections.NewGames(store, eventstore.Options{Now: func() time.Time { return at }})
	ids := make([]uuid.UUID, n)
	for i := range ids {
		id := uuid.Must(uuid.NewV7())
		ids[i] = id
		commands := []game.Command{game.CreateGame{
			ID: id.String(), Host: uuid.NewString(), Rules: game.Rules{Players: 3}, AutoStart: true,
			Clock: game.Clock{Kind: game.PerTurn, Seconds: int(turn.Seconds()), MaxTimeouts: 3},
		}}
		for range 2 {
			commands = append(commands, game.JoinGame{User: uuid.NewString(), Seat: game.NoSeat})
		}
		for _, c := range commands {
			_, err := games.Do(t.Context(), id, func(g projections.Game) (projections.Decision, error) {
				events, err := game.Decide(g.State, c)
				return projections.Decision{Events: events}, err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return ids
}

// timedOut waits until a game's turn is ended by the clock, and returns when.
func timedOut(t *testing.T, store testdb.Store, id uuid.UUID) time.Time {
	t.Helper()
	for began := time.Now(); time.Since(began) < tooLong; <-time.After(10 * time.Millisecond) {
		records, err := store.Read(t.Context(), id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if r.Type == "turn_timed_out" {
				return time.UnixMilli(r.At)
			}
		}
	}
	t.Fatalf("no turn of game %s ends", id)
	return time.Time{}
}

// killedInTime kills the server while turns run. What ran out meanwhile is given back when it comes again, and only then runs out.
func killedInTime(t *testing.T, binary string) {
	t.Helper()
	db := testdb.New(t)
	p := mustLaunch(t, binary, "127.0.0.1:0", db)
	players := make([]*apitest.Client, 3)
	for i := range players {
		players[i] = apitest.Register(t, p.url)
	}
	var g apitest.Game
	players[0].Must(t, http.StatusCreated, http.MethodPost, "/v1/games", map[string]any{
		"rules": apitest.Rules{Players: 3}, "clock": map[string]any{"kind": "per_turn", "seconds": 5},
	}, &g)
	for _, c := range players[1:] {
		c.Must(t, http.StatusCreated, http.MethodPost, "/v1/games/"+g.ID+"/players", struct{}{}, nil)
	}
	<-time.After(time.Second)
	p.kill(t)
	<-time.After(projections.Silence + 3*time.Second)
	p = mustLaunch(t, binary, strings.TrimPrefix(p.url, "http://"), db)
	store := testdb.Open(t, db)
	id := uuid.MustParse(g.ID)
	timedOut(t, store, id)
	records, err := store.Read(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	var began, extended time.Time
	for i, r := range records {
		types = append(types, r.Type)
		switch at := time.UnixMilli(r.At); r.Type {
		case "dealt":
			began = at
		case "clock_extended":
			extended = at
		case "turn_timed_out":
			if lasted := at.Sub(began); extended.IsZero() || lasted < 5*time.Second+projections.Silence {
				t.Errorf("a turn of 5 s ended %v after it began, with an outage between: %v %v", lasted, types, records[i].At)
			}
		}
		if r.Type == "turn_timed_out" {
			break
		}
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if err := p.end(t); err != nil {
		t.Errorf("ended with %v\n%s", err, p.log)
	}
	inspect(t, db)
}

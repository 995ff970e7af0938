package projections_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// hall is a database with games in it.
type hall struct {
	store testdb.Store
	games *projections.Games
}

func newHall(t testing.TB) hall {
	t.Helper()
	store := testdb.Open(t, testdb.New(t))
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return hall{store, projections.NewGames(store, eventstore.Options{})}
}

// do runs a command that must be accepted.
func (h hall) do(ctx context.Context, id uuid.UUID, decide func(s game.State) (game.Command, []projections.Statement)) (projections.Game, error) {
	return h.games.Do(ctx, id, func(g projections.Game) (projections.Decision, error) {
		cmd, with := decide(g.State)
		if cmd == nil {
			return projections.Decision{}, nil
		}
		events, err := game.Decide(g.State, cmd)
		return projections.Decision{Events: events, With: with}, err
	})
}

// userID is the id of a table's i-th user.
func userID(table, i int) string { return fmt.Sprintf("0190b2a4-0000-7000-8000-%06d%06d", table, i) }

// open opens a game and seats users until so many are there.
func (h hall) open(t testing.TB, rules game.Rules, visibility game.Visibility, users []string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	must := func(cmd game.Command, with ...projections.Statement) {
		t.Helper()
		if _, err := h.do(t.Context(), id, func(game.State) (game.Command, []projections.Statement) { return cmd, with }); err != nil {
			t.Fatal(err)
		}
	}
	must(game.CreateGame{ID: id.String(), Host: users[0], Rules: rules, Visibility: visibility, AutoStart: true},
		projections.InsertSettings(id.String(), projections.Settings{}))
	for _, u := range users[1:] {
		must(game.JoinGame{User: u, Seat: game.NoSeat})
	}
	return id
}

// step makes a legal move at random; false when nobody is on turn.
func (h hall) step(ctx context.Context, id uuid.UUID, rng *rand.Rand) (bool, error) {
	moved := false
	_, err := h.do(ctx, id, func(s game.State) (game.Command, []projections.Statement) {
		turn := s.Turn().All()
		if moved = len(turn) > 0; !moved {
			return nil, nil
		}
		seat := turn[rng.IntN(len(turn))]
		can := s.View(seat).You.Can
		switch {
		case len(can.Trump) > 0:
			return game.NameTrump{Seat: seat, Suit: can.Trump[rng.IntN(4)]}, nil
		case len(can.Bid) > 0:
			return game.PlaceBid{Seat: seat, Tricks: can.Bid[rng.IntN(len(can.Bid))]}, nil
		}
		return game.PlayCard{Seat: seat, Card: can.Play[rng.IntN(len(can.Play))]}, nil
	})
	return moved, err
}

// fill plays games of all biddings to different ends, some of which have lost a player on the way.
func (h hall) fill(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for n := range 12 {
		users := make([]string, 3+n%4)
		for i := range users {
			users[i] = fmt.Sprintf("0190b2a4-0000-7000-8000-00000000000%d", (i+n)%8)
		}
		rules := game.Rules{Players: len(users), Bidding: game.Bidding(n % 4), Length: game.Five, Foresight: n%3 == 0}
		if n%5 == 4 {
			users = users[1:] // stays a lobby
		}
		id := h.open(t, rules, game.Visibility(n%2), users)
		if n%5 == 4 {
			if _, err := h.do(t.Context(), id, func(game.State) (game.Command, []projections.Statement) { return game.LeaveLobby{Seat: 0, By: 0}, nil }); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for range []int{0, 5, 40, 1000}[n%4] {
			moved, err := h.step(t.Context(), id, rng)
			if err != nil {
				t.Fatal(err)
			}
			if !moved {
				break
			}
		}
		if n%4 == 2 {
			if _, err := h.do(t.Context(), id, func(game.State) (game.Command, []projections.Statement) { return game.Resign{Seat: 1}, nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// dump is every row of the inline read models, byte for byte.
func (h hall) dump(t *testing.T) (out []string) {
	t.Helper()
	for _, query := range []string{`SELECT * FROM games ORDER BY game_id`, `SELECT * FROM game_players ORDER BY game_id, user_id`, `SELECT * FROM departures ORDER BY game_id, user_id`} {
		rows, err := h.store.Reader().QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, scan(t, rows)...)
	}
	return out
}

func scan(t *testing.T, rows *sql.Rows) (out []string) {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		var line strings.Builder
		for i, v := range values {
			fmt.Fprintf(&line, "%s=%q ", columns[i], fmt.Sprint(v))
		}
		out = append(out, line.String())
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func (h hall) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := h.store.Writer().ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// Whatever has become of the rows, a rebuild makes the same ones as the games' own commands did, and leaves what is no read model alone.
func TestRebuildMakesTheSameRows(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.fill(t, rand.New(rand.NewPCG(1, 1)))
	want := h.dump(t)
	if len(want) < 12 {
		t.Fatalf("%d rows", len(want))
	}
	empty := `X'7B7D'`
	if testdb.Postgres() {
		empty = `'\x7B7D'`
	}
	const nobody, nothing = "'0190b2a4-0000-7000-8000-0000000000ff'", "'0190b2a4-0000-7000-8000-0000000000fe'"
	for name, damage := range map[string]string{
		"nothing":              `SELECT 1`,
		"games gone":           `DELETE FROM games`,
		"players gone":         `DELETE FROM game_players`,
		"one player gone":      `DELETE FROM game_players WHERE seat = 1`,
		"departures gone":      `DELETE FROM departures`,
		"departures":           `UPDATE departures SET version = 1, at = 1`,
		"a departure too many": `INSERT INTO departures (user_id, game_id, version, at) SELECT ` + nobody + `, game_id, 2, 2 FROM games`,
		"a departure of none":  `INSERT INTO departures (user_id, game_id, version, at) VALUES (` + nobody + `, ` + nothing + `, 1, 1)`,
		"status":               `UPDATE games SET status = 'finished'`,
		"visibility":           `UPDATE games SET visibility = 'public'`,
		"turns":                `UPDATE games SET turn = 63, bot_turn = 63, updated_at = 0`,
		"summary":              `UPDATE games SET summary = ` + empty,
		"an older version":     `UPDATE games SET version = 1`,
		"a version to come":    `UPDATE games SET version = 1000000, status = 'lobby'`,
		"a player too many":    `INSERT INTO game_players (user_id, game_id, seat) SELECT ` + nobody + `, game_id, 5 FROM games`,
		"a game of no event":   `INSERT INTO games (game_id, version, status, visibility, updated_at, turn, bot_turn, summary) VALUES (` + nothing + `, 1, 'lobby', 'public', 0, 0, 0, ` + empty + `)`,
		"a player of none":     `INSERT INTO game_players (user_id, game_id, seat) VALUES (` + nobody + `, ` + nothing + `, 0)`,
	} {
		h.exec(t, damage)
		n, err := projections.Rebuild(t.Context(), h.store.Writer(), projections.NewGames(h.store, eventstore.Options{}))
		if err != nil || n != 12 {
			t.Errorf("%s: rebuilt %d: %v", name, n, err)
		}
		if diff := cmp.Diff(want, h.dump(t)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	var settings int
	if err := h.store.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM game_settings`).Scan(&settings); err != nil || settings != 12 {
		t.Errorf("%d settings are left: %v", settings, err)
	}
}

// Games go on while the rows are rebuilt, and their rows are right when both are done.
func TestRebuildWhileGamesGoOn(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	var ids []uuid.UUID
	for n := range 4 {
		users := []string{userID(n, 0), userID(n, 1), userID(n, 2)}
		ids = append(ids, h.open(t, game.Rules{Players: 3, Length: game.Five, Bidding: game.Bidding(n)}, game.Public, users))
	}
	var wg sync.WaitGroup
	for n, id := range ids {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(2, uint64(n)))
			for moved := true; moved; {
				var err error
				if moved, err = h.step(t.Context(), id, rng); err != nil {
					t.Error(err)
				}
			}
		})
	}
	other := projections.NewGames(h.store, eventstore.Options{}) // as another process would
	for range 20 {
		h.exec(t, `DELETE FROM game_players`)
		if _, err := projections.Rebuild(t.Context(), h.store.Writer(), other); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	got := h.dump(t)
	h.exec(t, `DELETE FROM games`)
	if _, err := projections.Rebuild(t.Context(), h.store.Writer(), h.games); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(got, h.dump(t)); diff != "" || len(got) != 4+12 {
		t.Errorf("%d rows; %s", len(got), diff)
	}
}

// Who leaves everything is in no lobby and counts as left in every running game; games that are over are let be.
func TestLeaveGames(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	user, a, b := userID(0, 0), userID(0, 1), userID(0, 2)
	lists := projections.NewLists(h.store.Reader(), h.store.Writer())
	rules := game.Rules{Players: 3, Length: game.Five}
	host := h.open(t, rules, game.Private, []string{user, b})
	guest := h.open(t, rules, game.Public, []string{a, user})
	alone := h.open(t, rules, game.Public, []string{user})
	running := h.open(t, rules, game.Public, []string{a, user, b})
	over := h.open(t, rules, game.Public, []string{a, b, user})
	others := h.open(t, rules, game.Public, []string{a, b})
	rng := rand.New(rand.NewPCG(3, 3))
	for moved := true; moved; {
		var err error
		if moved, err = h.step(t.Context(), over, rng); err != nil {
			t.Fatal(err)
		}
	}
	before, err := h.games.Load(t.Context(), over)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it may be repeated
		if err := projections.LeaveGames(t.Context(), lists, h.games, user); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[uuid.UUID]string{
		host: "lobby, host 1, version 4", guest: "lobby, host 0, version 4", alone: "cancelled, host -1, version 4",
		over: fmt.Sprintf("finished, host 0, version %d", before.Version), others: "lobby, host 0, version 3",
	} {
		g, err := h.games.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s, host %d, version %d", g.State.Status, g.State.Host, g.Version); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if id != over && g.State.SeatOf(user) != game.NoSeat {
			t.Errorf("the user still sits in %s", want)
		}
	}
	if g, err := h.games.Load(t.Context(), running); err != nil || g.State.Left != [game.MaxPlayers]int{0, 1} || g.State.Status != game.Playing {
		t.Errorf("the running game: %v %v %v", g.State.Status, g.State.Left, err)
	}
}

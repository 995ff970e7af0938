package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// check looks for every acknowledged move in the stream, exactly once.
func (g *contest) check(t *testing.T, number int) {
	t.Helper()
	events := g.load.events(t, g.Players[0], g.ID)
	if len(events) == 0 {
		t.Fatalf("game %d is not there", number)
	}
	moves := 0
	for i, e := range events {
		if e.Version != i+1 {
			t.Fatalf("game %d: version %d stands at %d", number, e.Version, i+1)
		}
		if e.Type == "bid_placed" || e.Type == "card_played" || e.Type == "trump_set" && strings.Contains(string(e.Data), `"by":"dealer"`) {
			moves++
		}
	}
	for _, y := range g.yes {
		found := 0
		for _, e := range events[min(y.after, len(events)):min(y.version, len(events))] {
			if y.is(e) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("game %d: %+v is %d times in the stream", number, y, found)
		}
	}
	if moves < len(g.yes) || moves > len(g.yes)+g.doubt {
		t.Errorf("game %d: %d moves in the stream, %d acknowledged and %d in doubt", number, moves, len(g.yes), g.doubt)
	}
	if last := events[len(events)-1].Type; last != "game_finished" {
		t.Errorf("game %d ends with %s", number, last)
	}
}

// events returns a game's stream by a server that lives.
func (l *load) events(t *testing.T, c *apitest.Client, id string) []apitest.Event {
	t.Helper()
	a, ok := l.insist(t, c, "GET", "/v1/games/"+id+"/events?limit=1000", nil) // of five rounds
	if !ok {
		return nil
	}
	var page struct {
		Items     []apitest.Event
		NextAfter *int `json:"next_after"`
	}
	a.Decode(t, &page)
	if page.NextAfter != nil {
		t.Errorf("game %s is longer than was thought", id)
	}
	return page.Items
}

// is tells whether an event is what the move made happen.
func (y acknowledged) is(e apitest.Event) bool {
	var data struct {
		Seat   *int
		Suit   *string
		Round  int
		Trick  int
		Tricks json.RawMessage
		Card   string
	}
	body, _ := y.move.Body.(map[string]any)
	if json.Unmarshal(e.Data, &data) != nil || data.Seat == nil || *data.Seat != y.seat || data.Round != body["round"] {
		return false
	}
	switch y.move.Path {
	case "/bids":
		return e.Type == "bid_placed" && string(data.Tricks) == fmt.Sprint(body["tricks"])
	case "/plays":
		return e.Type == "card_played" && data.Trick == body["trick"] && (data.Card == body["card"] || body["card"] == "??")
	}
	return e.Type == "trump_set" && data.Suit != nil && *data.Suit == body["suit"]
}

// inspect opens a database that no server uses any more: all chains are whole, no command was stored twice, and the lists and the statistics
// are what the streams say.
func inspect(t *testing.T, url string) {
	t.Helper()
	store := testdb.Open(t, url)
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	games := projections.NewGames(store, eventstore.Options{})
	finished := chains(t, store, games)
	for _, twice := range dump(t, store, `SELECT stream_id, cmd_id, count(*) FROM events WHERE cmd_id IS NOT NULL GROUP BY stream_id, cmd_id HAVING count(*) > 1`) {
		t.Errorf("a command is stored twice: %s", twice)
	}
	const rows, seats = `SELECT game_id, version, status, visibility, updated_at, turn, bot_turn, due_at, awaited, summary FROM games ORDER BY game_id`,
		`SELECT game_id, seat, user_id FROM game_players ORDER BY game_id, seat`
	if stuck, err := projections.NewLists(store.Reader(), store.Writer()).Stuck(t.Context()); len(stuck) > 0 || err != nil {
		t.Errorf("games that nothing takes on: %v %v", stuck, err)
	}
	before := append(dump(t, store, rows), dump(t, store, seats)...)
	if _, err := projections.Rebuild(t.Context(), store.Writer(), games); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, append(dump(t, store, rows), dump(t, store, seats)...)); diff != "" {
		t.Errorf("the lists are not what the streams say: %s", diff)
	}
	statistics(t, store, games, finished)
}

// chains checks all streams from end to end and returns the games that are finished.
func chains(t *testing.T, store testdb.Store, games *projections.Games) (finished []game.View) {
	t.Helper()
	heads, events := dump(t, store, `SELECT stream_id, version FROM streams ORDER BY stream_id`), 0
	for _, head := range heads {
		id := uuid.MustParse(head[:36])
		records, err := store.Read(context.WithoutCancel(t.Context()), id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		events += len(records)
		tip, err := eventstore.VerifyChain(id, eventstore.Tip{}, records)
		if err != nil || head != fmt.Sprint(id, " ", tip.Version) || tip.Version != len(records) {
			t.Errorf("stream %s: chain to %d of %d records: %v", head, tip.Version, len(records), err)
		}
		g, err := games.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if v := g.State.View(game.Spectator); v.Status == game.Finished {
			finished = append(finished, v)
		}
	}
	if all := dump(t, store, `SELECT count(*) FROM events`)[0]; all != fmt.Sprint(events) {
		t.Errorf("%s events, %d of them in streams", all, events)
	}
	t.Logf("%d streams, %d finished games, %d events", len(heads), len(finished), events)
	return finished
}

// statistics follows the events to their end and compares with what the finished games say.
func statistics(t *testing.T, store testdb.Store, games *projections.Games, finished []game.View) {
	t.Helper()
	want, got := map[string]projections.PlayerStats{}, map[string]projections.PlayerStats{}
	users := map[string]bool{}
	ranked := 0 // lines of games that count for the leaderboard: those without bots of their own
	for _, v := range finished {
		bots := slices.ContainsFunc(v.Seats, func(seat game.SeatView) bool { return seat.User == "" })
		for i, seat := range v.Seats {
			if seat.User == "" {
				continue
			}
			if !bots && !seat.Left {
				ranked++
			}
			users[seat.User] = true
			key := fmt.Sprint(seat.User, v.Rules)
			s := want[key]
			s.Rules = v.Rules
			if seat.Left {
				s.Abandoned++
				want[key] = s
				continue
			}
			s.Games, s.Score, s.Places = s.Games+1, s.Score+seat.Total, s.Places+v.Result.Places[i]
			if v.Result.Places[i] == 1 {
				s.Wins++
			}
			for _, r := range v.Rounds {
				s.Bids++
				if r.Points[i] > 0 {
					s.Met++
				}
			}
			want[key] = s
		}
	}
	follower := &projections.Follower{Projection: projections.Statistics, Store: store, Games: games, Reader: store.Reader(), Writer: store.Writer(), Now: time.Now}
	lists := projections.NewLists(store.Reader(), store.Writer())
	for began := time.Now(); time.Since(began) < tooLong; <-time.After(20 * time.Millisecond) { // a transaction anywhere in the cluster holds back what is younger
		if _, err := follower.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		for user := range users {
			stats, err := lists.Stats(t.Context(), user)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range stats {
				got[fmt.Sprint(user, s.Rules)] = s
			}
		}
		if cmp.Equal(want, got) {
			total := dump(t, store, `SELECT coalesce(sum(games), 0) FROM player_totals WHERE build = (SELECT live FROM projections WHERE name = 'statistics')`)
			if total[0] != strconv.Itoa(ranked) {
				t.Errorf("the leaderboard counts %s, not %d", total[0], ranked)
			}
			return
		}
	}
	t.Errorf("the statistics are not what the games say: %s", cmp.Diff(want, got))
}

// dump returns the rows of a query as text.
func dump(t *testing.T, store testdb.Store, query string) (out []string) {
	t.Helper()
	rows, err := store.Reader().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, to := make([]string, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Join(values, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

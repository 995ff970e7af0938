package projections_test

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// spoil puts events behind a game that no program of this version can go on from.
func (h hall) spoil(t *testing.T, id uuid.UUID, behind ...game.Event) {
	t.Helper()
	g, err := h.games.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	events := []eventstore.Event{{Type: "of_a_later_version", Data: []byte("{}")}}
	for _, e := range behind {
		data, _ := game.Encode(e)
		events = append(events, eventstore.Event{Type: game.TypeOf(e), Data: data})
	}
	records, err := eventstore.Seal(id, eventstore.Tip{Version: g.Version, Hash: g.Head, At: g.At}, g.At, rand.Reader, events)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.Append(t.Context(), eventstore.Batch{Records: records, Command: uuid.New()}); err != nil {
		t.Fatal(err)
	}
}

// A game that can't be read keeps no other from being rebuilt, left, counted or played on.
func TestAnUnreadableGameStopsNoOther(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	leaver := userID(9, 1)
	rules := game.Rules{Players: 3, Length: game.Five}
	three := func() []string { return []string{userID(8, 0), leaver, userID(8, 2)} }
	spoiled, whole := h.open(t, rules, game.Public, three()), h.open(t, rules, game.Public, three())
	ids, users := h.played(t, 3)
	var corrupt *eventstore.CorruptError

	// Bots are wanted in both games. The spoiled one is reported once.
	lists := projections.NewLists(h.store.Reader(), h.store.Writer())
	if err := projections.LeaveGames(t.Context(), lists, h.games, leaver); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.Writer().ExecContext(t.Context(), `UPDATE games SET bot_turn = 2 WHERE game_id = $1`, spoiled.String()); err != nil {
		t.Fatal(err)
	}
	h.spoil(t, spoiled, game.GameFinished{Totals: []int{0, 0, 0}, Places: []int{1, 1, 1}})
	bots := projections.Bots{Lists: lists, Games: projections.NewGames(h.store, eventstore.Options{}), Log: slog.New(slog.DiscardHandler)}
	if _, err := bots.MoveAll(t.Context()); !errors.As(err, &corrupt) || corrupt.Stream != spoiled {
		t.Errorf("bots say %v", err)
	}
	if _, err := bots.MoveAll(t.Context()); err != nil {
		t.Errorf("bots say again %v", err)
	}
	if g, err := h.games.Load(t.Context(), whole); err != nil || g.State.BotTurn() != 0 {
		t.Errorf("bots have not moved in the other game: %v", err)
	}

	// Another player leaves both.
	if err := projections.LeaveGames(t.Context(), lists, h.games, userID(8, 2)); err != nil {
		t.Errorf("leaving: %v", err)
	}
	if g, err := h.games.Load(t.Context(), whole); err != nil || g.State.Left[2] == 0 {
		t.Errorf("the other game was not left: %v", err)
	}

	n, err := projections.Rebuild(t.Context(), h.store.Writer(), h.games)
	if !errors.As(err, &corrupt) || n != 1+len(ids) {
		t.Errorf("rebuilt %d of %d games that can be read: %v", n, 1+len(ids), err)
	}

	f := h.follower(3)
	h.settled(t, f, ids, users)
	if got := h.stats(t, []string{userID(8, 0)}); !cmp.Equal(got, map[string]projections.PlayerStats{}) {
		t.Errorf("the spoiled game was counted: %v", got)
	}
}

package projections_test

import (
	"fmt"
	"testing"
	"time"

	"mago/domain/game"
	"mago/projections"
)

func (h hall) sync() *projections.Sync {
	return projections.NewSync(h.store, h.store.Reader(), h.store.Writer())
}

// Departures are forgotten when nobody can ask for them any more, and no sooner. A bot that is removed is nobody's departure.
func TestDepartures(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	host, guest := userID(0, 0), userID(0, 1)
	_, mark, err := h.sync().Unfinished(t.Context(), guest)
	if err != nil {
		t.Fatal(err)
	}
	id := h.open(t, game.Rules{Players: 4}, game.Public, []string{host, guest})
	for _, cmd := range []game.Command{
		game.SeatBot{By: 0, Seat: 2, Level: game.EasyBot, Engine: "e"}, game.LeaveLobby{Seat: 2, By: 0}, game.LeaveLobby{Seat: 1, By: 1},
	} {
		if _, err := h.do(t.Context(), id, func(game.State) (game.Command, []projections.Statement) { return cmd, nil }); err != nil {
			t.Fatal(err)
		}
	}
	left := func() string {
		t.Helper()
		changes, _, err := h.sync().Since(t.Context(), guest, mark)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, c := range changes {
			out += fmt.Sprintf("%s gone %v at %d;", c.State.ID, c.Gone, c.State.Version)
		}
		return out
	}
	want := fmt.Sprintf("%s gone true at %d;", id, 6)
	lists := projections.NewLists(h.store.Reader(), h.store.Writer())
	if err := lists.PruneDepartures(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := left(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n, err := projections.Rebuild(t.Context(), h.store.Writer(), h.games); n != 1 || err != nil {
		t.Errorf("rebuilt %d: %v", n, err)
	}
	if got := left(); got != want {
		t.Errorf("rebuilt: %q, want %q", got, want)
	}
	if err := lists.PruneDepartures(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := left(); got != "" {
		t.Errorf("after its time: %q", got)
	}
}

// An idle poll of a user with two thousand games behind them.
func BenchmarkSyncOfAVeteran(b *testing.B) {
	h := newHall(b)
	user := userID(0, 0)
	for range 2000 {
		h.open(b, game.Rules{Players: 3}, game.Public, []string{user})
	}
	for _, statement := range []string{`UPDATE games SET status = 'finished'`, `ANALYZE`} {
		if _, err := h.store.Writer().ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	_, mark, err := h.sync().Unfinished(b.Context(), user)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if changes, _, err := h.sync().Since(b.Context(), user, mark); err != nil || len(changes) != 0 {
			b.Fatal(changes, err)
		}
	}
}

package projections_test

import (
	"math/rand/v2"
	"testing"

	"mago/domain/game"
)

// BenchmarkLoadGame loads and folds a whole four-player game from the database, its chain checked, as after a restart.
func BenchmarkLoadGame(b *testing.B) {
	h := newHall(b)
	id := h.open(b, game.Rules{Players: 4}, game.Public, []string{userID(0, 0), userID(0, 1), userID(0, 2), userID(0, 3)})
	rng := rand.New(rand.NewPCG(1, 1))
	for moved := true; moved; {
		var err error
		if moved, err = h.step(b.Context(), id, rng); err != nil {
			b.Fatal(err)
		}
	}
	g, err := h.games.Load(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := h.games.LoadAt(b.Context(), id, g.Version); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Version), "events")
}

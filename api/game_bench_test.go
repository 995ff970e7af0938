package api

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
)

// BenchmarkMoves is acknowledged moves over HTTP, through everything: tokens, the game, an SQLite file with synchronous FULL, and the view in
// the answer. The clients know their games by heart, so that nothing but moves is asked for.
func BenchmarkMoves(b *testing.B) {
	for _, kind := range []struct{ minimal, keyed bool }{{false, false}, {true, false}, {true, true}} {
		for _, clients := range []int{1, 32} {
			b.Run(fmt.Sprintf("clients=%d/minimal=%v/keyed=%v", clients, kind.minimal, kind.keyed), func(b *testing.B) {
				benchmarkMoves(b, clients, kind.minimal, kind.keyed)
			})
		}
	}
}

func benchmarkMoves(b *testing.B, clients int, minimal, keyed bool) {
	b.Helper()
	r := start(b)
	players := registerAll(b, r, game.MaxPlayers)
	for _, p := range players {
		p.HTTP = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
		defer p.HTTP.CloseIdleConnections()
	}
	tables := make([]*mirror, clients)
	for i := range tables {
		tables[i] = newMirror(b, r, players, uint64(i))
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var wg sync.WaitGroup
	for i := range tables {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if !tables[i].move(b, minimal, keyed) {
					tables[i] = newMirror(b, r, players, rand.Uint64())
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
}

// mirror is a game whose client has a copy of all of it.
type mirror struct {
	*apitest.Table
	copy history
	rng  *rand.Rand
}

func newMirror(b *testing.B, r *running, players []*apitest.Client, seed uint64) *mirror {
	b.Helper()
	m := &mirror{Table: apitest.Seat(b, apitest.Rules{Players: len(players)}, players), rng: rand.New(rand.NewPCG(13, seed))}
	g, err := r.Games.Load(b.Context(), uuid.MustParse(m.ID))
	if err != nil {
		b.Fatal(err)
	}
	m.copy.state = g.State
	return m
}

// move makes a move at random; false when the game is over.
func (m *mirror) move(b *testing.B, minimal, keyed bool) bool {
	b.Helper()
	turn := m.copy.state.Turn().All()
	if len(turn) == 0 {
		return false
	}
	moves := m.copy.moves(turn[m.rng.IntN(len(turn))])
	cmd := moves[m.rng.IntN(len(moves))]
	m.copy.events = nil
	m.copy.play(b, cmd)
	p, path, body := m.request(cmd)
	want, prefer := http.StatusOK, header("Prefer", "return=representation")
	if minimal {
		want, prefer = http.StatusNoContent, header("Prefer", "return=minimal")
	}
	headers := []apitest.Header{prefer}
	if keyed {
		headers = append(headers, newKey())
	}
	if a, err := p.Send(b.Context(), http.MethodPost, m.Path(path), body, headers...); err != nil || a.Status != want {
		b.Fatalf("%s %v: %d %s %v", path, body, a.Status, a.Body, err)
	}
	return true
}

// request is what asks the API for a command.
func (m *mirror) request(cmd game.Command) (by *apitest.Client, path string, body any) {
	switch c := cmd.(type) {
	case game.NameTrump:
		return m.Players[c.Seat], "/trump", map[string]string{"suit": c.Suit.String()}
	case game.PlaceBid:
		return m.Players[c.Seat], "/bids", map[string]int{"tricks": c.Tricks}
	case game.PlayCard:
		return m.Players[c.Seat], "/plays", map[string]string{"card": c.Card.String()}
	}
	return nil, "", nil
}

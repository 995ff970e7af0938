package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// victim is a server that is killed and comes again at the same address.
type victim struct {
	binary, addr, db string

	mu    sync.Mutex
	up    chan struct{} // closed while the server runs
	now   *process
	kills int
}

// alive returns a channel that is closed when the server is up.
func (v *victim) alive() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.up
}

func (v *victim) kill(t *testing.T) {
	t.Helper()
	v.mu.Lock()
	v.up = make(chan struct{})
	v.mu.Unlock()
	_ = v.now.cmd.Process.Kill()
	if err := <-v.now.done; err == nil {
		t.Error("the server ended well instead of being killed")
	}
	v.kills++
	v.now = mustLaunch(t, v.binary, v.addr, v.db)
	close(v.up)
}

// acknowledged is a move that the server has said yes to.
type acknowledged struct {
	seat    int
	move    apitest.Move
	after   int // the version it was made for
	version int // the version of the answer
}

// besiegedGame is a game played while its server is killed.
type besiegedGame struct {
	*apitest.Table
	v     *victim
	acks  chan<- struct{}
	mu    sync.Mutex
	yes   []acknowledged
	doubt int // moves of which no answer came
}

// crashes plays games from many clients, kills the server at random moments, and looks for all that was acknowledged.
func crashes(t *testing.T, binary string) {
	t.Helper()
	kills, length := 3, "five"
	if os.Getenv("MAGO_SOAK") == "1" {
		kills, length = 20, "full"
	}
	v := &victim{binary: binary, db: testdb.New(t), up: make(chan struct{})}
	v.now = mustLaunch(t, binary, "127.0.0.1:0", v.db)
	v.addr = strings.TrimPrefix(v.now.url, "http://")
	close(v.up)
	players := make([]*apitest.Client, 4)
	for i := range players {
		players[i] = apitest.Register(t, v.now.url)
	}
	acks := make(chan struct{}, 1<<16)
	games := make([]*besiegedGame, 6)
	for i := range games {
		rules := apitest.Rules{Players: 3 + i%2, Bidding: []string{"open", "hidden", "secret"}[i%3], Length: length, Foresight: i > 3}
		games[i] = &besiegedGame{Table: apitest.Seat(t, rules, players[:rules.Players]), v: v, acks: acks}
	}
	var wg sync.WaitGroup
	for i, g := range games {
		wg.Go(func() {
			g.play(t, rand.New(rand.NewPCG(1, uint64(i))))
		})
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	for v.kills < kills {
		for range 5 + rand.IntN(60) {
			select {
			case <-acks:
			case <-ended:
			}
		}
		v.kill(t)
	}
	<-ended
	doubt := 0
	for i, g := range games {
		g.check(t, i)
		doubt += g.doubt
	}
	t.Logf("killed %d times; %d moves were cut off", v.kills, doubt)
	if err := v.now.end(t); err != nil {
		t.Errorf("ended with %v\n%s", err, v.now.log)
	}
	v.autopsy(t, len(games))
}

// play plays the game to its end. Moves of several seats at once are sent at once.
func (g *besiegedGame) play(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for {
		view := g.see(t, 0)
		if view == nil || view.Status != "playing" {
			return
		}
		var wg sync.WaitGroup
		for _, seat := range view.Turn.Seats {
			own := g.see(t, seat)
			moves := own.Moves()
			if len(moves) == 0 {
				continue // it moved already: the answer came no more
			}
			m := moves[rng.IntN(len(moves))]
			wg.Go(func() { g.send(t, own, m) })
		}
		wg.Wait()
	}
}

// see fetches a seat's view, from the next server if this one is gone. It is repeated until it is answered.
func (g *besiegedGame) see(t *testing.T, seat int) *apitest.Game {
	t.Helper()
	for {
		a, err := g.Players[seat].Send(t.Context(), http.MethodGet, g.Path(""), nil)
		if err != nil {
			if t.Context().Err() != nil {
				return nil
			}
			<-g.v.alive()
			continue
		}
		if a.Status != http.StatusOK {
			t.Errorf("view: %d %s", a.Status, a.Body)
		}
		view := new(apitest.Game)
		a.Decode(t, view)
		return view
	}
}

// send sends a move once.
func (g *besiegedGame) send(t *testing.T, view *apitest.Game, m apitest.Move) {
	t.Helper()
	seat := view.You.Seat
	a, err := g.Players[seat].Send(t.Context(), http.MethodPost, g.Path(m.Path), m.Body, apitest.Header{Name: "If-Match", Value: strconv.Quote(strconv.Itoa(view.Version))})
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err != nil:
		g.doubt++
	case a.Status == http.StatusOK:
		var after apitest.Game
		a.Decode(t, &after)
		g.yes = append(g.yes, acknowledged{seat, m, view.Version, after.Version})
		g.acks <- struct{}{}
	default:
		t.Errorf("seat %d, %v: %d %s", seat, m, a.Status, a.Body)
	}
}

// check looks for every acknowledged move in the stream, exactly once.
func (g *besiegedGame) check(t *testing.T, number int) {
	t.Helper()
	events := g.Players[0].Events(t, g.ID)
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
		for _, e := range events[y.after:y.version] {
			if y.is(e) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("game %d: %+v is %d times in the stream", number, y, found)
		}
	}
	if moves < len(g.yes) || moves > len(g.yes)+g.doubt {
		t.Errorf("game %d: %d moves in the stream, %d acknowledged and %d without an answer", number, moves, len(g.yes), g.doubt)
	}
	if last := events[len(events)-1].Type; last != "game_finished" {
		t.Errorf("game %d ends with %s", number, last)
	}
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

// autopsy opens the database that is left: all chains are whole, and the lists are what the streams say.
func (v *victim) autopsy(t *testing.T, games int) {
	t.Helper()
	store := testdb.Open(t, v.db)
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	runner, lists := projections.NewGames(store, eventstore.Options{}), projections.NewLists(store.Reader(), store.Writer())
	listed := func() []projections.Listed {
		items, _, err := lists.Public(t.Context(), game.Finished, projections.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	before := listed()
	if len(before) != games {
		t.Errorf("%d games are listed as finished, %d are", len(before), games)
	}
	for _, item := range before {
		id := uuid.MustParse(item.State.ID)
		records, err := store.Read(context.WithoutCancel(t.Context()), id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if tip, err := eventstore.VerifyChain(id, eventstore.Tip{}, records); err != nil || tip.Version != item.State.Version {
			t.Errorf("game %s: chain to %d, listed at %d: %v", id, tip.Version, item.State.Version, err)
		}
	}
	if _, err := projections.Rebuild(t.Context(), store.Writer(), runner); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, listed()); diff != "" || slices.ContainsFunc(before, func(l projections.Listed) bool { return l.State.Places[0] == 0 }) {
		t.Errorf("the lists after the crashes are not what the streams say: %s", diff)
	}
}

package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/card"
	"mago/eventstore"
)

// raced is one answer to a command sent in a race.
type raced struct {
	apitest.Answer
	version string // demanded by If-Match, "" for none
}

// Many clients at once, legal and illegal, often for the same version: of those for one version exactly one is accepted, the others are told
// why not, and the stream has no gap.
func TestRaces(t *testing.T) {
	t.Parallel()
	commands := 50
	if soak() {
		commands = 1000
	}
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 6, Length: "full"})
	answers := make([][]raced, 6)
	var wg sync.WaitGroup
	for seat := range answers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(11, uint64(seat)))
			for range commands {
				answers[seat] = append(answers[seat], race(t, table, seat, rng))
			}
		})
	}
	wg.Wait()
	won := map[string]int{}
	for _, a := range slices.Concat(answers...) {
		switch {
		case a.Status == http.StatusOK && a.version != "":
			if won[a.version]++; won[a.version] > 1 {
				t.Errorf("two commands were accepted for version %s", a.version)
			}
		case a.Status == http.StatusOK:
		case a.Status < 400 || a.Status >= 500 || a.Code() == "":
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if len(won) == 0 {
		t.Error("no command was accepted")
	}
	wholeStream(t, r, table)
}

// race sends a command of a seat, mostly one that a look at the game suggests.
func race(t *testing.T, table *apitest.Table, seat int, rng *rand.Rand) raced {
	t.Helper()
	g := table.View(t, seat)
	m := apitest.Move{Path: "/bids", Body: map[string]int{"tricks": rng.IntN(3)}}
	if rng.IntN(2) == 0 {
		m = apitest.Move{Path: "/plays", Body: map[string]string{"card": card.Deck()[rng.IntN(card.Count)].String()}}
	}
	if moves := g.Moves(); len(moves) > 0 && rng.IntN(5) > 0 {
		m = moves[rng.IntN(len(moves))]
	}
	if rng.IntN(3) == 0 {
		return raced{Answer: table.Players[seat].Do(t, "POST", table.Path(m.Path), m.Body)}
	}
	version := strconv.Itoa(g.Version)
	return raced{table.Players[seat].Do(t, "POST", table.Path(m.Path), m.Body, header("If-Match", strconv.Quote(version))), version}
}

// wholeStream checks that what is stored of a game has no gap, a whole chain, and folds to what is shown.
func wholeStream(t *testing.T, r *running, table *apitest.Table) {
	t.Helper()
	id := uuid.MustParse(table.ID)
	records, err := r.store.Read(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	tip, err := eventstore.VerifyChain(id, eventstore.Tip{}, records)
	if err != nil || tip.Version != len(records) {
		t.Errorf("the chain of %d records ends at %d: %v", len(records), tip.Version, err)
	}
	states := fold(t, records)
	last := states[len(states)-1]
	for _, p := range table.Players {
		body := p.Must(t, http.StatusOK, "GET", table.Path(""), nil, nil).Body
		if want := r.wantView(t, &last, p.Tokens.User.ID); string(body) != string(want) {
			t.Errorf("shown\n%s, folded\n%s", body, want)
		}
	}
}

// All bids that are made at the same time are accepted, whatever version they are for.
func TestAllHiddenBidsAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, bidding := range []string{"hidden", "secret"} {
		table := startedBidding(t, r, apitest.Rules{Players: 6, Bidding: bidding, Length: "five"})
		tag := etag(table.View(t, 0).Version)
		var wg sync.WaitGroup
		for seat, p := range table.Players {
			wg.Go(func() {
				if a := p.Do(t, "POST", table.Path("/bids"), map[string]int{"tricks": seat % 2}, header("If-Match", tag)); a.Status != http.StatusOK {
					t.Errorf("seat %d: %d %s", seat, a.Status, a.Body)
				}
			})
		}
		wg.Wait()
		if g := table.View(t, 0); g.Round.Phase != "playing" {
			t.Errorf("%s: %s", bidding, g.Round.Phase)
		}
		wholeStream(t, r, table)
	}
}

// The last seat of a table is taken once, and the game starts once.
func TestLastSeatRace(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 8)
	for range 5 {
		l := open(t, u[0], nil)
		l.join(u[1], nil)
		answers := make([]apitest.Answer, len(u))
		var wg sync.WaitGroup
		for i, c := range u[2:] {
			wg.Go(func() { answers[i] = c.Do(t, "POST", l.path+"/players", nil) })
		}
		wg.Wait()
		joined := 0
		for _, a := range answers[:6] {
			switch {
			case a.Status == http.StatusCreated:
				joined++
			case a.Code() != "not_in_lobby":
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if g := l.view(u[0]); joined != 1 || g.Status != "playing" || g.Version != 6 && g.Version != 7 {
			t.Errorf("%d joined, the game is %s at version %d", joined, g.Status, g.Version)
		}
	}
}

// One user at many requests joins once; a client seed that is set at once by several requests of one player is one of them.
func TestOneUserAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], nil)
	count := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			a := u[1].Do(t, "POST", l.path+"/players", map[string]any{"client_seed": fmt.Sprint("s", i)})
			mu.Lock()
			defer mu.Unlock()
			count[fmt.Sprintf("%d %s", a.Status, a.Code())]++
		})
	}
	wg.Wait()
	if count["201 "] != 1 || count["409 already_joined"] != 9 {
		t.Errorf("%v", count)
	}
	for _, e := range u[0].Events(t, l.path[len("/v1/games/"):])[2:] {
		if !json.Valid(e.Data) || e.Type != "player_joined" {
			t.Errorf("%s %s", e.Type, e.Data)
		}
	}
}

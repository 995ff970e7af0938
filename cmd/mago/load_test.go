package main

import (
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mago/api/apitest"
)

// soak returns the small count of a test, or the large one where there is time.
func soak(small, large int) int {
	if os.Getenv("MAGO_SOAK") == "1" {
		return large
	}
	return small
}

// load is games that are played to their ends while something goes wrong beneath: each table plays one after another until the load is stopped.
// Each request takes any of the servers. What is not answered, or with 503, is looked at before anything is done again.
type load struct {
	servers []string // addresses

	acked atomic.Int64  // moves that were said yes to
	away  atomic.Int64  // answers 503
	cut   atomic.Int64  // requests without an answer
	more  chan struct{} // told of each move that was said yes to
	stop  chan struct{}
	wg    sync.WaitGroup
	mu    sync.Mutex
	games []*contest
}

// startLoad registers players and lets them play.
func startLoad(t *testing.T, tables int, servers ...string) *load {
	t.Helper()
	l := &load{servers: servers, more: make(chan struct{}, 1), stop: make(chan struct{})}
	players := make([]*apitest.Client, 4)
	for i := range players {
		players[i] = apitest.Register(t, servers[i%len(servers)])
	}
	for table := range tables {
		l.wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(table)))
			for n := table; !t.Failed(); n++ {
				rules := apitest.Rules{Players: 3 + n%2, Bidding: []string{"open", "hidden", "secret"}[n%3], Length: "five", Foresight: n%4 > 1}
				if g := l.seat(t, rules, players[:rules.Players]); g != nil {
					g.play(t, rng)
				}
				select {
				case <-l.stop:
					return
				default:
				}
			}
		})
	}
	return l
}

// finish lets the games come to their ends, and looks for all that was said yes to.
func (l *load) finish(t *testing.T) {
	t.Helper()
	close(l.stop)
	l.wg.Wait()
	doubt := 0
	for i, g := range l.games {
		g.check(t, i)
		doubt += g.doubt
	}
	t.Logf("%d games, %d moves acknowledged, %d in doubt; %d answers of 503, %d requests cut off", len(l.games), l.acked.Load(), doubt, l.away.Load(), l.cut.Load())
}

// tooLong is after how long a test gives a server up.
const tooLong = 2 * time.Minute

// await returns when n more moves are said yes to, and how long that took.
func (l *load) await(t *testing.T, n int) time.Duration {
	t.Helper()
	began, want := time.Now(), l.acked.Load()+int64(n)
	for l.acked.Load() < want {
		select {
		case <-l.more:
		case <-time.After(tooLong):
			t.Fatalf("no move succeeds any more; %d answers of 503, %d requests cut off", l.away.Load(), l.cut.Load())
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	return time.Since(began)
}

// send makes a request through one of the servers and tells whether it was answered with anything but that the service is away for a moment.
// Any other failure of a server fails the test.
func (l *load) send(t *testing.T, c *apitest.Client, method, path string, body any, headers ...apitest.Header) (apitest.Answer, bool) {
	t.Helper()
	through := *c
	through.Base = l.servers[rand.IntN(len(l.servers))]
	a, err := through.Send(t.Context(), method, path, body, headers...)
	if err == nil {
		apitest.CheckAnswer(t, method, path, a)
	}
	switch {
	case err != nil:
		l.cut.Add(1)
	case a.Status == http.StatusServiceUnavailable && a.Code() == "unavailable" && a.Header.Get("Retry-After") != "":
		l.away.Add(1)
	case a.Status >= 500:
		t.Errorf("%s %s: %d %v %s", method, path, a.Status, a.Header, a.Body)
	default:
		return a, true
	}
	return a, false
}

// insist makes a request again and again until it is answered; false is never.
func (l *load) insist(t *testing.T, c *apitest.Client, method, path string, body any) (apitest.Answer, bool) {
	t.Helper()
	for began := time.Now(); !t.Failed(); {
		if a, ok := l.send(t, c, method, path, body); ok {
			return a, true
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
			return apitest.Answer{}, false
		}
		if time.Since(began) > tooLong {
			t.Errorf("%s %s is not answered", method, path)
		}
	}
	return apitest.Answer{}, false
}

// seat starts a game; nil if it couldn't.
func (l *load) seat(t *testing.T, rules apitest.Rules, players []*apitest.Client) *contest {
	t.Helper()
	a, ok := l.insist(t, players[0], http.MethodPost, "/v1/games", map[string]any{"rules": rules})
	if !ok || a.Status != http.StatusCreated {
		t.Errorf("a new game: %d %s", a.Status, a.Body)
		return nil
	}
	var view apitest.Game
	a.Decode(t, &view)
	g := &contest{Table: &apitest.Table{ID: view.ID, Players: players}, load: l, told: make([]int, len(players))}
	for seat, p := range players[1:] {
		a, ok := l.insist(t, p, http.MethodPost, g.Path("/players"), map[string]int{"seat": seat + 1})
		joined := a.Status == http.StatusCreated || a.Code() == "already_joined" || a.Code() == "not_in_lobby" // the answer to an earlier try came no more
		if !ok || !joined {
			t.Errorf("joining: %d %s", a.Status, a.Body)
			return nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.games = append(l.games, g)
	return g
}

// contest is one game of a load.
type contest struct {
	*apitest.Table
	load *load
	told []int // by seat: the newest version that its player has seen

	mu    sync.Mutex
	yes   []acknowledged
	doubt int // moves of which no answer came, or none that says whether they were made
}

// acknowledged is a move that the server has said yes to.
type acknowledged struct {
	seat    int
	move    apitest.Move
	after   int // the version it was made for
	version int // the version of the answer
}

// play plays the game to its end. Moves of several seats at once are sent at once.
func (g *contest) play(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for {
		view := g.see(t, 0)
		if view == nil || view.Turn == nil {
			return
		}
		var wg sync.WaitGroup
		for _, seat := range view.Turn.Seats {
			own := g.see(t, seat)
			if own == nil {
				return
			}
			moves := own.Moves()
			if len(moves) == 0 {
				continue // it moved already: the answer came no more
			}
			m := moves[rng.IntN(len(moves))]
			wg.Go(func() { g.move(t, own, m) })
		}
		wg.Wait()
	}
}

// see fetches a seat's view, which is never older than what the seat was told before, by whichever server.
func (g *contest) see(t *testing.T, seat int) *apitest.Game {
	t.Helper()
	a, ok := g.load.insist(t, g.Players[seat], http.MethodGet, g.Path(""), nil)
	if !ok {
		return nil
	}
	if a.Status != http.StatusOK {
		t.Errorf("view: %d %s", a.Status, a.Body)
		return nil
	}
	view := new(apitest.Game)
	a.Decode(t, view)
	if view.Version < g.told[seat] || a.Header.Get("ETag") != strconv.Quote(strconv.Itoa(view.Version)) {
		t.Errorf("seat %d sees version %d with ETag %s after it was told of %d", seat, view.Version, a.Header.Get("ETag"), g.told[seat])
	}
	g.told[seat] = view.Version
	return view
}

// move sends a move once.
func (g *contest) move(t *testing.T, view *apitest.Game, m apitest.Move) {
	t.Helper()
	seat := view.You.Seat
	a, answered := g.load.send(t, g.Players[seat], http.MethodPost, g.Path(m.Path), m.Body, apitest.Header{Name: "If-Match", Value: strconv.Quote(strconv.Itoa(view.Version))})
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !answered:
		g.doubt++
	case a.Status == http.StatusOK:
		var after apitest.Game
		a.Decode(t, &after)
		g.told[seat] = after.Version
		g.yes = append(g.yes, acknowledged{seat, m, view.Version, after.Version})
		g.load.acked.Add(1)
		select {
		case g.load.more <- struct{}{}:
		default:
		}
	case g.doubt == 0 || a.Code() == "": // one in doubt may come to be made after all, and this one too late
		t.Errorf("seat %d, %v: %d %s", seat, m, a.Status, a.Body)
	}
}

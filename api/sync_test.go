package api

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mago/api/apitest"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// synced is an answer of sync.
type synced struct {
	Items []syncedGame
	Next  string
}

type syncedGame struct {
	ID       string
	Version  int
	Status   string
	MyTurn   bool `json:"my_turn"`
	Deadline *string
}

// sync asks what has changed; since may be empty.
func changesFor(t *testing.T, c *apitest.Client, since string) (out synced) {
	t.Helper()
	path := "/v1/me/sync"
	if since != "" {
		path += "?since=" + since
	}
	c.Must(t, http.StatusOK, "GET", path, nil, &out)
	if out.Next == "" || url.QueryEscape(out.Next) != out.Next {
		t.Errorf("next is %q", out.Next)
	}
	return out
}

// statuses is what an answer says of games, by id.
func (s synced) statuses() map[string]string {
	out := map[string]string{}
	for _, g := range s.Items {
		out[g.ID] = g.Status
	}
	return out
}

// Everything that happens to a user's games is told once, with its version and whose turn it is, and nothing else is.
func TestSync(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	me := u[1]
	first := changesFor(t, me, "")
	if a := me.Must(t, http.StatusOK, "GET", "/v1/me/sync", nil, nil); !strings.HasPrefix(string(a.Body), `{"items":[],"next":"`) || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v %s", a.Header, a.Body)
	}
	since := first.Next
	changes := func(what string, want ...syncedGame) {
		t.Helper()
		got := changesFor(t, me, since)
		for i := range got.Items { // those of games
			if g := got.Items[i]; g.Status != "gone" {
				var view apitest.Game
				me.Must(t, http.StatusOK, "GET", "/v1/games/"+g.ID, nil, &view)
				onTurn := view.Turn != nil && slices.Contains(view.Turn.Seats, view.You.Seat)
				if view.Version != g.Version || view.Status != g.Status || g.MyTurn != onTurn || g.Deadline != nil {
					t.Errorf("%s: %+v of %+v", what, g, view)
				}
			}
			got.Items[i].Version, got.Items[i].MyTurn = 0, false
		}
		byID := func(a, b syncedGame) int { return strings.Compare(a.ID, b.ID) }
		slices.SortFunc(got.Items, byID)
		slices.SortFunc(want, byID)
		if diff := cmp.Diff(append([]syncedGame{}, want...), got.Items); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		since = got.Next
		if again := changesFor(t, me, since); len(again.Items) != 0 {
			t.Errorf("%s: told again: %+v", what, again.Items)
		}
	}
	id := func(l lobby) string { return strings.TrimPrefix(l.path, "/v1/games/") }
	changes("nothing")
	a, b, private := open(t, u[0], nil), open(t, u[0], nil), open(t, u[0], map[string]any{"visibility": "private"})
	changes("games of others")
	a.join(me, nil)
	b.join(me, nil)
	byCode(t, me, *private.view(u[0]).InviteCode)
	own := open(t, me, nil)
	changes("joined", syncedGame{ID: id(a), Status: "lobby"}, syncedGame{ID: id(b), Status: "lobby"}, syncedGame{ID: id(private), Status: "lobby"}, syncedGame{ID: id(own), Status: "lobby"})
	a.join(u[2], nil)
	changes("started", syncedGame{ID: id(a), Status: "playing"})
	me.Must(t, http.StatusOK, "DELETE", b.path+"/players/1", nil, nil)
	changes("left", syncedGame{ID: id(b), Status: "gone"})
	b.join(u[3], nil)
	changes("others in what I have left")
	b.join(me, nil)
	changes("back, and it starts", syncedGame{ID: id(b), Status: "playing"})
	u[0].Must(t, http.StatusOK, "DELETE", private.path+"/players/1", nil, nil)
	changes("removed", syncedGame{ID: id(private), Status: "gone"})
	me.Must(t, http.StatusOK, "DELETE", own.path, nil, nil)
	changes("cancelled", syncedGame{ID: id(own), Status: "cancelled"})
	quick := open(t, me, nil)
	me.Must(t, http.StatusOK, "DELETE", quick.path+"/players/0", nil, nil)
	changes("there and gone between two looks", syncedGame{ID: id(quick), Status: "gone"})

	table := &apitest.Table{ID: id(a), Players: []*apitest.Client{u[0], me, u[2]}}
	rng := rand.New(rand.NewPCG(15, 2))
	for table.Step(t, rng) {
		if g := table.View(t, 1); g.Status == "playing" && rng.IntN(8) == 0 {
			changes("a move", syncedGame{ID: id(a), Status: "playing"})
		}
	}
	changes("finished", syncedGame{ID: id(a), Status: "finished"})
	if got, want := changesFor(t, me, "").statuses(), map[string]string{id(b): "playing"}; !cmp.Equal(got, want) {
		t.Errorf("without a token: %v, want %v", got, want)
	}
	if got := changesFor(t, me, first.Next).statuses(); len(got) != 5 || got[id(quick)] != "gone" || got[id(private)] != "gone" || got[id(a)] != "finished" || got[id(own)] != "cancelled" {
		t.Errorf("since the first: %v", got)
	}
}

// Two servers with clocks an hour apart serve many players who join, leave, play and end games. Phones that poll now and then, any server, know in the end what
// became of each of their games.
func TestSyncMissesNothing(t *testing.T) {
	t.Parallel()
	database := testdb.New(t)
	skewed := func(by time.Duration) func(*Config) {
		return func(c *Config) {
			c.Games = projections.NewGames(c.Store, eventstore.Options{Now: func() time.Time { return time.Now().Add(by) }, Appended: c.Bell.Ring})
		}
	}
	servers := []*running{startOn(t, database, skewed(time.Hour)), startOn(t, database, skewed(0))}
	users := registerAll(t, servers[0], 6)
	on := func(c *apitest.Client, rng *rand.Rand) *apitest.Client {
		return &apitest.Client{Base: servers[rng.IntN(2)].url, HTTP: c.HTTP, Tokens: c.Tokens}
	}
	rounds := 2
	if soak() {
		rounds = 200
	}
	type phone struct {
		since string
		known map[string]syncedGame
		polls int
	}
	phones := make([]*phone, len(users))
	for i, c := range users {
		phones[i] = &phone{since: changesFor(t, c, "").Next, known: map[string]syncedGame{}}
	}
	poll := func(i int, rng *rand.Rand) {
		p := phones[i]
		a := on(users[i], rng).Do(t, "GET", "/v1/me/sync?since="+p.since, nil)
		if a.Status != http.StatusOK {
			t.Errorf("%d %s", a.Status, a.Body)
			return
		}
		var got synced
		a.Decode(t, &got)
		for _, g := range got.Items {
			if before, ok := p.known[g.ID]; ok && before.Version > g.Version {
				t.Errorf("game %s goes from version %d back to %d", g.ID, before.Version, g.Version)
			}
			p.known[g.ID] = g
		}
		p.since = got.Next
		p.polls++
	}
	var wg, polling sync.WaitGroup
	over := make(chan struct{})
	for i := range users {
		polling.Go(func() {
			rng := rand.New(rand.NewPCG(15, uint64(100+i)))
			for {
				select {
				case <-over:
					return
				default:
					poll(i, rng)
				}
			}
		})
	}
	var mu sync.Mutex
	seats := make([]map[string]bool, len(users)) // the games each user ever sat in
	for i := range seats {
		seats[i] = map[string]bool{}
	}
	for w := range 3 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(15, uint64(w)))
			for range rounds {
				who := rng.Perm(len(users))[:3]
				host := on(users[who[0]], rng)
				l := open(t, host, nil)
				mu.Lock()
				seats[who[0]][strings.TrimPrefix(l.path, "/v1/games/")] = true
				seats[who[1]][strings.TrimPrefix(l.path, "/v1/games/")] = true
				mu.Unlock()
				guest := on(users[who[1]], rng)
				guest.Must(t, http.StatusCreated, "POST", l.path+"/players", nil, nil)
				switch rng.IntN(4) {
				case 0:
					guest.Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil)
				case 1:
					host.Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil)
				case 2:
					host.Must(t, http.StatusOK, "DELETE", l.path, nil, nil)
				default:
					third := on(users[who[2]], rng)
					mu.Lock()
					seats[who[2]][strings.TrimPrefix(l.path, "/v1/games/")] = true
					mu.Unlock()
					third.Must(t, http.StatusCreated, "POST", l.path+"/players", nil, nil)
					table := &apitest.Table{ID: strings.TrimPrefix(l.path, "/v1/games/"), Players: []*apitest.Client{host, guest, third}}
					for range rng.IntN(80) {
						if !table.Step(t, rng) {
							break
						}
					}
				}
			}
		})
	}
	wg.Wait()
	close(over)
	polling.Wait()
	rng := rand.New(rand.NewPCG(15, 99))
	for i, c := range users {
		poll(i, rng)
		for id := range seats[i] {
			known, told := phones[i].known[id]
			var g apitest.Game
			c.Must(t, http.StatusOK, "GET", "/v1/games/"+id, nil, &g)
			switch {
			case !told:
				t.Errorf("user %d was never told of game %s, which is %s", i, id, g.Status)
			case g.You == nil && known.Status != "gone", g.You != nil && (known.Version != g.Version || known.Status != g.Status):
				t.Errorf("user %d knows %+v of game %s, which is %s at version %d", i, known, id, g.Status, g.Version)
			}
		}
		t.Logf("user %d: %d games, %d polls", i, len(seats[i]), phones[i].polls)
	}
}

// A database that was put back to a backup says so to who has seen what is gone, for ever; who hasn't goes on, unless it is said that there was a restore.
func TestSyncAfterARestore(t *testing.T) {
	t.Parallel()
	database := testdb.New(t)
	r := startOn(t, database)
	c := apitest.Register(t, r.url)
	before := open(t, c, nil)
	old := changesFor(t, c, "").Next
	touch := func(c *apitest.Client, path, seed string) {
		t.Helper()
		c.Must(t, http.StatusOK, "PUT", path+"/client-seed", map[string]string{"client_seed": seed}, nil)
	}
	r.stop()
	backup := testdb.Copy(t, database)

	r = startOn(t, database)
	c.Base = r.url
	touch(c, before.path, "lost")
	lost := changesFor(t, c, old)
	if len(lost.Items) != 1 {
		t.Fatalf("%+v", lost)
	}
	r.stop()

	r = startOn(t, backup)
	c.Base = r.url
	for n := range 4 { // at once, and as its history goes past what is gone
		c.Refused(t, http.StatusGone, "resync", "GET", "/v1/me/sync?since="+lost.Next, nil)
		if got := changesFor(t, c, old); len(got.Items) != min(n, 1) {
			t.Errorf("after %d changes: %+v", n, got.Items)
		}
		touch(c, before.path, fmt.Sprint("other-", n))
	}
	if err := r.Sync.Restored(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{old, lost.Next} {
		c.Refused(t, http.StatusGone, "resync", "GET", "/v1/me/sync?since="+token, nil)
	}
	if got := changesFor(t, c, changesFor(t, c, "").Next); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
}

// Tokens are good for 30 days, for who got them, as they are.
func TestSyncTokens(t *testing.T) {
	t.Parallel()
	now := stagedAt
	r := start(t, func(c *Config) { c.Now = func() time.Time { return now } })
	u := registerAll(t, r, 2)
	token := changesFor(t, u[0], "").Next
	fresh := func() *apitest.Client { // access tokens don't live as long
		u[0].Must(t, http.StatusOK, "POST", "/v1/auth/login", map[string]string{"username": u[0].Tokens.User.Username, "password": apitest.Password}, &u[0].Tokens)
		return u[0]
	}
	now = stagedAt.Add(30 * 24 * time.Hour)
	changesFor(t, fresh(), token)
	now = now.Add(time.Millisecond)
	u[0].Refused(t, http.StatusGone, "resync", "GET", "/v1/me/sync?since="+token, nil)

	now = stagedAt
	open(t, u[0], nil)
	u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", "/v1/me/sync?since="+token, nil)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	bad := []string{"", "x", "%00", "%ff", strings.Repeat("A", 4000), token + "A", token[:len(token)-1], token + "&since=" + token, "!", url.QueryEscape(base64.StdEncoding.EncodeToString(raw)) + "=="}
	for i := range raw {
		for _, flip := range []byte{1, 0x80} {
			flipped := slices.Clone(raw)
			flipped[i] ^= flip
			if i == 0 || i >= tokenHeader { // where the incarnation stands it is one of another
				bad = append(bad, base64.RawURLEncoding.EncodeToString(flipped))
			}
		}
	}
	for _, b := range bad {
		u[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", "/v1/me/sync?since="+b, nil)
	}
	u[0].Must(t, http.StatusOK, "HEAD", "/v1/me/sync?since="+token, nil, nil)
	apitest.New(r.url).Refused(t, http.StatusUnauthorized, "unauthenticated", "GET", "/v1/me/sync?since="+token, nil)
	if len(token) > 100 {
		t.Errorf("a token has %d bytes", len(token))
	}
}

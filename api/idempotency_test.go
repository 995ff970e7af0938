package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/api/idempotency"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// keyed is the header of a request that may be sent again.
func keyed(key string) apitest.Header { return header(headerKey, key) }

// newKey returns a header with a key that nobody has used.
func newKey() apitest.Header { return keyed(uuid.NewString()) }

func isReplay(a apitest.Answer) bool { return a.Header.Get(headerReplayed) == "true" }

// mustReplay checks that an answer is another one again, and says so.
func mustReplay(t *testing.T, first, again apitest.Answer) {
	t.Helper()
	if !isReplay(again) || isReplay(first) {
		t.Errorf("replayed: %t, then %t", isReplay(first), isReplay(again))
	}
	sameAnswer(t, first, again)
}

func sameAnswer(t *testing.T, a, b apitest.Answer) {
	t.Helper()
	if a.Status != b.Status || !bytes.Equal(a.Body, b.Body) {
		t.Errorf("%d %s\nand %d %s", a.Status, a.Body, b.Status, b.Body)
	}
	for _, name := range []string{"ETag", "Location", "Content-Type", "Cache-Control"} {
		if a.Header.Get(name) != b.Header.Get(name) {
			t.Errorf("%s %q and %q", name, a.Header.Get(name), b.Header.Get(name))
		}
	}
}

// volley sends a request many times at once with one key, to any of the servers, and returns the answer that all of them got. One alone is the first.
func volley(t *testing.T, servers []*running, rng *rand.Rand, c *apitest.Client, path string, body any) apitest.Answer {
	t.Helper()
	answers := make([]apitest.Answer, 2+rng.IntN(9))
	key := newKey()
	var wg sync.WaitGroup
	for i := range answers {
		through := *c
		through.Base = servers[rng.IntN(len(servers))].url
		wg.Go(func() { answers[i] = through.Do(t, "POST", path, body, key) })
	}
	wg.Wait()
	firsts := 0
	for _, a := range answers {
		sameAnswer(t, answers[0], a)
		if !isReplay(a) {
			firsts++
		}
	}
	if firsts != 1 {
		t.Errorf("%s: %d of %d answers are no replay", path, firsts, len(answers))
	}
	return answers[0]
}

// Every POST there is, sent two to ten times at once with one key, through one server and through two on one database: it is done once, and all get
// the same answer.
func TestPostsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 2; n++ {
		t.Run(fmt.Sprint(n, " servers"), func(t *testing.T) {
			t.Parallel()
			url := testdb.New(t)
			servers := make([]*running, n)
			for i := range servers {
				servers[i] = startOn(t, url)
			}
			rng := rand.New(rand.NewPCG(21, uint64(n)))
			u := registerAll(t, servers[0], 4)
			send := func(c *apitest.Client, status int, path string, body any) (g apitest.Game) {
				t.Helper()
				a := volley(t, servers, rng, c, path, body)
				if a.Status != status {
					t.Fatalf("%s %v: %d %s", path, body, a.Status, a.Body)
				}
				if status < 300 {
					a.Decode(t, &g)
				}
				return g
			}
			g := send(u[0], http.StatusCreated, "/v1/games", map[string]any{"rules": map[string]any{"players": 3, "length": "five"}, "auto_start": false, "visibility": "private"})
			var mine struct{ Items []apitest.Game }
			u[0].Must(t, http.StatusOK, "GET", "/v1/games?mine=true", nil, &mine)
			if len(mine.Items) != 1 || mine.Items[0].ID != g.ID {
				t.Errorf("%d games", len(mine.Items))
			}
			table := &apitest.Table{ID: g.ID, Players: u[:3]}
			for _, c := range u[1:3] {
				send(c, http.StatusCreated, table.Path("/players"), map[string]any{"invite_code": *g.InviteCode, "client_seed": "mine"})
			}
			send(u[3], http.StatusConflict, table.Path("/players"), map[string]any{"invite_code": *g.InviteCode})
			send(u[0], http.StatusOK, table.Path("/start"), nil)
			for tries := 0; ; tries++ {
				g := table.View(t, tries%3)
				if g.Turn == nil {
					break
				}
				if moves := g.Moves(); len(moves) > 0 {
					m := moves[rng.IntN(len(moves))]
					if after := send(table.Players[tries%3], http.StatusOK, table.Path(m.Path), m.Body); after.Version != table.View(t, 0).Version {
						t.Errorf("%s: the answer is of version %d, the game at %d", m.Path, after.Version, table.View(t, 0).Version)
					}
				} else if rng.IntN(4) == 0 { // not on turn
					send(table.Players[tries%3], http.StatusConflict, table.Path("/plays"), map[string]any{"card": "E5", "round": g.Round.Number})
				}
			}
			wholeStream(t, servers[0], table)
		})
	}
}

// What was answered is answered again, whatever has become of the game and whatever the request demands of it.
func TestReplays(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, bidding := range []string{"open", "secret"} {
		table := startedBidding(t, r, apitest.Rules{Players: 3, Bidding: bidding, Length: "five"})
		turn := table.View(t, 0).Turn.Seats[0]
		p, path := table.Players[turn], table.Path("/bids")
		tag := header("If-Match", etag(table.View(t, 0).Version))
		key, bid := newKey(), map[string]int{"tricks": 1, "round": 1}
		refusal := newKey()
		early := p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/plays"), map[string]string{"card": "??"}, refusal)
		first := p.Must(t, http.StatusOK, "POST", path, bid, nil, key, tag)
		p.Refused(t, http.StatusConflict, "already_bid", "POST", path, bid)
		again := func() {
			t.Helper()
			mustReplay(t, first, p.Do(t, "POST", path, bid, key))
			mustReplay(t, first, p.Do(t, "POST", path, bid, key, tag))
			mustReplay(t, early, p.Do(t, "POST", table.Path("/plays"), map[string]string{"card": "??"}, refusal, tag))
			minimal := p.Must(t, http.StatusNoContent, "POST", path, bid, nil, key, header("Prefer", "return=minimal"))
			if !isReplay(minimal) || len(minimal.Body) > 0 || minimal.Header.Get("ETag") != first.Header.Get("ETag") || minimal.Header.Get("Preference-Applied") == "" {
				t.Errorf("minimal: %v", minimal.Header)
			}
			var g apitest.Game
			first.Decode(t, &g)
			past := p.Must(t, http.StatusOK, "GET", table.Path("?as_of="+strconv.Itoa(g.Version)), nil, nil)
			if !bytes.Equal(past.Body, first.Body) {
				t.Errorf("answered %s\nthe game then %s", first.Body, past.Body)
			}
		}
		again()
		rng := rand.New(rand.NewPCG(22, 0))
		for range 12 {
			table.Step(t, rng)
		}
		again()
		for table.Step(t, rng) {
		}
		again()
	}
}

// A move that would be legal again is not made again.
func TestLegalAgainIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := startedIn(t, r, apitest.Rules{Players: 3, Length: "full", Foresight: true}, "bidding")
	for range 3 {
		seat := table.View(t, 0).Turn.Seats[0]
		table.Players[seat].Must(t, http.StatusOK, "POST", table.Path("/bids"), map[string]int{"tricks": table.View(t, seat).You.Can.Bid[0]}, nil)
	}
	seat := table.View(t, 0).Turn.Seats[0]
	key, hidden := newKey(), map[string]string{"card": "??"} // the one card of this round, and maybe one of another
	first := table.Players[seat].Must(t, http.StatusOK, "POST", table.Path("/plays"), hidden, nil, key)
	rng := rand.New(rand.NewPCG(23, 0))
	for table.View(t, 0).Round.Number < 2 {
		table.Step(t, rng)
	}
	before := table.View(t, 0).Version
	mustReplay(t, first, table.Players[seat].Do(t, "POST", table.Path("/plays"), hidden, key))

	key = newKey() // the other may be this player's too
	l := open(t, table.Players[0], map[string]any{"auto_start": false})
	joined := table.Players[1].Must(t, http.StatusCreated, "POST", l.path+"/players", nil, nil, key)
	table.Players[1].Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil)
	late := table.Players[1].Must(t, http.StatusCreated, "POST", l.path+"/players", nil, nil, key)
	if !isReplay(late) || late.Header.Get("ETag") != joined.Header.Get("ETag") || l.view(table.Players[1]).You != nil {
		t.Errorf("who has left is back: %s", late.Body)
	}
	if now := table.View(t, 0).Version; now != before {
		t.Errorf("the game went from version %d to %d", before, now)
	}
}

// A key is one user's, and stands for one method, path and body.
func TestKeysDoNotCross(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	a, b := open(t, u[0], map[string]any{"auto_start": false}), open(t, u[0], map[string]any{"auto_start": false})
	key := newKey()
	u[1].Must(t, http.StatusCreated, "POST", a.path+"/players", nil, nil, key)
	if got := u[2].Must(t, http.StatusCreated, "POST", a.path+"/players", nil, nil, key); isReplay(got) || a.view(u[2]).You.Seat != 2 {
		t.Errorf("another user's key: %s", got.Body)
	}
	const status, code = http.StatusUnprocessableEntity, "idempotency_key_reused"
	u[1].Refused(t, status, code, "POST", b.path+"/players", nil, key)                         // would be accepted
	u[1].Refused(t, status, code, "POST", a.path+"/players", map[string]int{"seat": 1}, key)   // would be refused
	u[1].Refused(t, status, code, "POST", a.path+"/players", []byte(`{}`), key)                // means the same
	u[1].Refused(t, status, code, "POST", "/v1/games", []byte(`{"rules":{"players":3}}`), key) // would be accepted
	u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", "/v1/games", []byte(`{"rules":{"players":7}}`), key)
	if g := b.view(u[0]); g.Version != 2 {
		t.Errorf("the other game stands at %d", g.Version)
	}
	if got := u[1].Must(t, http.StatusOK, "PUT", a.path+"/client-seed", map[string]string{"client_seed": "x"}, nil, key); isReplay(got) {
		t.Error("a PUT was replayed")
	}
	if got := u[1].Must(t, http.StatusOK, "DELETE", a.path+"/players/1", nil, nil, key); isReplay(got) {
		t.Error("a DELETE was replayed")
	}
}

// What never came to a decision of the game's leaves the key free.
func TestFaultsKeepNothing(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	code := *l.view(u[0]).InviteCode
	key, path := newKey(), l.path+"/players"
	apitest.New(r.url).Refused(t, http.StatusUnauthorized, "unauthenticated", "POST", path, nil, key)
	u[1].Refused(t, http.StatusBadRequest, "malformed_json", "POST", path, []byte(`{`), key)
	u[1].Refused(t, http.StatusRequestEntityTooLarge, "body_too_large", "POST", path, bytes.Repeat([]byte(" "), maxBody+1), key)
	u[1].Refused(t, http.StatusUnsupportedMediaType, "unsupported_media_type", "POST", path, []byte(`{}`), key, header("Content-Type", "text/plain"))
	u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", path, map[string]any{"seat": 9}, key)
	u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", path, map[string]any{"seat": 5, "invite_code": code}, key)
	u[1].Refused(t, http.StatusNotFound, "not_found", "POST", path, nil, key)
	u[1].Refused(t, http.StatusPreconditionFailed, "stale", "POST", path, map[string]any{"invite_code": code}, key, header("If-Match", `"9"`))
	if n := r.count(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
		t.Errorf("%d answers are kept", n)
	}
	u[1].Must(t, http.StatusCreated, "POST", path, map[string]any{"invite_code": code}, nil, key)
	u[1].Refused(t, http.StatusForbidden, "forbidden", "POST", l.path+"/start", nil, newKey())
	u[1].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/games/"+uuid.NewString()+"/start", nil, newKey())
	if n := r.count(t, `SELECT count(*) FROM idempotency_keys`); n != 1 {
		t.Errorf("%d answers are kept", n)
	}
	u[1].Must(t, http.StatusOK, "DELETE", path+"/1", nil, nil)
	u[0].Must(t, http.StatusOK, "DELETE", l.path, nil, nil)
	u[1].Refused(t, http.StatusNotFound, "not_found", "POST", path, map[string]any{"invite_code": code}, key) // a private game that they have left
}

func (r *running) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	if err := r.store.Reader().QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSyntaxOfKeys(t *testing.T) {
	t.Parallel()
	r := start(t)
	c := apitest.Register(t, r.url)
	body := []byte(`{"rules":{"players":3}}`)
	for key, fine := range map[string]bool{
		"": false, "a": true, "~": true, "!": true, strings.Repeat("k", 255): true, strings.Repeat("k", 256): false, "a b": false, "ñ": false, "\u202e": false, "a\tb": false,
		`"quoted"`: true,
	} {
		if a := c.Do(t, "POST", "/v1/games", body, keyed(key)); (a.Status == http.StatusCreated) != fine || !fine && a.Code() != "invalid" {
			t.Errorf("%q: %d %s", key, a.Status, a.Body)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/v1/games", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + c.Tokens.AccessToken}, headerKey: {"one", "two"}}
	res, err := r.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("two keys: %d", res.StatusCode)
	}
	// Where it means nothing it is let be.
	c.Must(t, http.StatusOK, "GET", "/v1/me", nil, nil, keyed("a b"))
	c.Must(t, http.StatusNoContent, "POST", "/v1/auth/logout", nil, nil, keyed("a b"))
}

// The table is of no use to who reads it.
func TestTableOfKeysHoldsNoSecret(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	secrets := []string{"canary"}
	options := map[string]any{"name": "canary name", "visibility": "private", "rules": map[string]any{"players": 3, "length": "five"}}
	var g apitest.Game
	u[0].Must(t, http.StatusCreated, "POST", "/v1/games", options, &g, keyed("canary-create"))
	secrets = append(secrets, *g.InviteCode)
	for i, c := range u {
		secrets = append(secrets, c.Tokens.AccessToken, c.Tokens.RefreshToken, c.Tokens.User.Username)
		if i > 0 {
			c.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/players", map[string]string{"invite_code": *g.InviteCode, "client_seed": "canary-seed"}, nil, keyed("canary-join"))
		}
	}
	table := &apitest.Table{ID: g.ID, Players: u}
	for i := 0; ; i++ {
		seat := i % 3
		g := table.View(t, seat)
		if g.Turn == nil {
			break
		}
		secrets = append(secrets, g.You.Hand...)
		if moves := g.Moves(); len(moves) > 0 {
			u[seat].Must(t, http.StatusOK, "POST", table.Path(moves[0].Path), moves[0].Body, nil, keyed(fmt.Sprint("canary-", i)))
			u[seat].Do(t, "POST", table.Path(moves[0].Path), moves[0].Body, keyed(fmt.Sprint("canary-refused-", i)))
		}
	}
	dump := r.dump(t, "idempotency_keys")
	if len(dump) < 50 {
		t.Errorf("%d rows", len(dump))
	}
	for _, row := range dump {
		for column, value := range row {
			if column == "user_id" || column == "subject" { // ids, in which two letters and digits stand by chance
				if _, err := uuid.Parse(value); err != nil {
					t.Errorf("%s is %q", column, value)
				}
				continue
			}
			if column == "key" || column == "request" {
				if len(value) != 32 {
					t.Errorf("%s is %q", column, value)
				}
			}
			for _, s := range secrets {
				if len(s) > 4 && strings.Contains(value, s) || value == s {
					t.Errorf("%s holds %q: %q", column, s, value)
				}
			}
		}
		if n, err := strconv.Atoi(row["status"]); err != nil || n < 200 || n == 409 != (row["code"] != "") {
			t.Errorf("status %q, code %q", row["status"], row["code"])
		}
	}
}

// dump returns the rows of a table as text by column.
func (r *running) dump(t *testing.T, table string) (out []map[string]string) {
	t.Helper()
	rows, err := r.store.Reader().QueryContext(t.Context(), `SELECT * FROM `+table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]*[]byte, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, v := range values {
			if v != nil {
				row[names[i]] = string(*v)
			}
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// hands is a clock that a test sets.
type hands struct{ ms atomic.Int64 }

func (h *hands) now() time.Time       { return time.UnixMilli(h.ms.Load()) }
func (h *hands) pass(d time.Duration) { h.ms.Add(d.Milliseconds()) }
func (h *hands) keys(limit int) func(*Config) {
	h.ms.Store(stagedAt.UnixMilli())
	return func(c *Config) {
		c.Keys = idempotency.New(idempotency.Config{Reader: c.Keys.Reader, Writer: c.Keys.Writer, Now: h.now, Limit: limit, Wait: 50 * time.Millisecond})
	}
}

// After a day a key is as good as new, whether it was pruned or not, and no later than that it goes.
func TestKeysExpire(t *testing.T) {
	t.Parallel()
	var clock hands
	r := start(t, clock.keys(2))
	c := apitest.Register(t, r.url)
	body := []byte(`{"rules":{"players":3}}`)
	prune := func() {
		t.Helper()
		if err := r.Keys.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	first := c.Must(t, http.StatusCreated, "POST", "/v1/games", body, nil, keyed("a"))
	clock.pass(idempotency.Life - time.Millisecond)
	prune()
	mustReplay(t, first, c.Do(t, "POST", "/v1/games", body, keyed("a")))
	clock.pass(time.Millisecond)
	l := open(t, c, nil)
	if a := c.Refused(t, http.StatusPreconditionFailed, "stale", "POST", l.path+"/start", nil, keyed("a"), header("If-Match", `"9"`)); isReplay(a) {
		t.Error("a key lives longer than it should")
	}
	second := c.Must(t, http.StatusCreated, "POST", "/v1/games", []byte(`{"rules":{"players":4}}`), nil, keyed("a"))
	if isReplay(second) || second.Header.Get("Location") == first.Header.Get("Location") {
		t.Error("a key lives longer than it should")
	}
	mustReplay(t, second, c.Do(t, "POST", "/v1/games", []byte(`{"rules":{"players":4}}`), keyed("a")))
	clock.pass(idempotency.Life)
	prune()
	if n := r.count(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
		t.Errorf("%d answers are kept for ever", n)
	}
	for i := range 12_001 {
		st := r.Keys.Keep(ptr(idempotency.NewRequest(c.Tokens.User.ID, fmt.Sprint(i), "POST", "/", nil)), idempotency.Answer{Status: 201})[0] // without bound
		if i > 12 && !soak() {
			break
		}
		if _, err := r.store.Writer().ExecContext(t.Context(), st.SQL, st.Args...); err != nil {
			t.Fatal(err)
		}
	}
	clock.pass(idempotency.Life)
	prune()
	if n := r.count(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
		t.Errorf("%d answers are kept for ever", n)
	}
}

func ptr[T any](v T) *T { return &v }

// So many answers are kept for one user and no more: each further one makes the oldest give way, whether it goes with an event or is a refusal. Others' stay.
func TestOldestKeysOfAUserGiveWay(t *testing.T) {
	t.Parallel()
	var clock hands
	r := start(t, clock.keys(3))
	u := registerAll(t, r, 2)
	l := open(t, u[0], nil)
	create := func(c *apitest.Client, key string) apitest.Answer {
		t.Helper()
		clock.pass(time.Second)
		return c.Must(t, http.StatusCreated, "POST", "/v1/games", []byte(`{"rules":{"players":4}}`), nil, keyed(key))
	}
	other := create(u[1], "1")
	first := create(u[0], "1")
	create(u[0], "2")
	clock.pass(time.Second)
	u[0].Refused(t, http.StatusConflict, "not_full", "POST", l.path+"/start", nil, keyed("3"))
	mustReplay(t, first, create(u[0], "1"))
	create(u[0], "4")
	if again := create(u[0], "1"); isReplay(again) {
		t.Error("the oldest key did not give way")
	}
	clock.pass(time.Second)
	u[0].Refused(t, http.StatusConflict, "not_full", "POST", l.path+"/start", nil, keyed("5"))
	if !isReplay(create(u[0], "1")) || !isReplay(create(u[0], "4")) || isReplay(create(u[0], "2")) {
		t.Error("others than the oldest gave way")
	}
	mustReplay(t, other, create(u[1], "1"))
	if n := r.count(t, `SELECT count(*) FROM idempotency_keys`); n != 4 {
		t.Errorf("%d answers are kept", n)
	}
}

// What was kept last stays, also when all were kept at the same moment.
func TestTheNewestKeyNeverGivesWay(t *testing.T) {
	t.Parallel()
	var clock hands
	r := start(t, clock.keys(3))
	c := apitest.Register(t, r.url)
	for i := range 8 {
		key := idempotency.NewRequest(c.Tokens.User.ID, fmt.Sprint(i), "POST", "/", nil)
		if err := r.Keys.KeepAlone(t.Context(), &key, idempotency.Answer{Status: http.StatusConflict}); err != nil {
			t.Fatal(err)
		}
		if a, err := r.Keys.Find(t.Context(), &key); a == nil || err != nil {
			t.Errorf("key %d: %v %v", i, a, err)
		}
		if n := r.count(t, `SELECT count(*) FROM idempotency_keys`); n > 4 {
			t.Errorf("%d answers are kept", n)
		}
	}
}

// Who waits too long for the same request is told to come again.
func TestRequestInProgress(t *testing.T) {
	t.Parallel()
	var clock hands
	r := start(t, clock.keys(0))
	c := apitest.Register(t, r.url)
	body := []byte(`{"rules":{"players":3}}`)
	unlock, err := r.Keys.Lock(t.Context(), ptr(idempotency.NewRequest(c.Tokens.User.ID, "a", "POST", "/v1/games", body)))
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Refused(t, http.StatusConflict, "idempotency_in_progress", "POST", "/v1/games", body, keyed("a")); a.Header.Get("Retry-After") != "1" {
		t.Errorf("%v", a.Header)
	}
	c.Must(t, http.StatusCreated, "POST", "/v1/games", body, nil, keyed("b"))
	unlock()
	if a := c.Must(t, http.StatusCreated, "POST", "/v1/games", body, nil, keyed("a")); isReplay(a) {
		t.Error("a request that was never done is replayed")
	}
}

// moody is a store that loses its answers: what was appended is there and nobody is told, until it is asked again.
type moody struct {
	eventstore.Store
	loses atomic.Bool
}

func (m *moody) Append(ctx context.Context, b eventstore.Batch) error {
	err := m.Store.Append(context.WithoutCancel(ctx), b) // the bound is for the look-ups
	if m.loses.Load() && err == nil {
		return fmt.Errorf("no answer came: %w", eventstore.ErrUnknownOutcome)
	}
	return err
}

func (m *moody) Lookup(ctx context.Context, stream, command uuid.UUID) (int, error) {
	if m.loses.Load() {
		return 0, errors.Join(errors.New("no answer comes"), eventstore.ErrUnavailable)
	}
	return m.Store.Lookup(ctx, stream, command)
}

// Where the store itself doesn't know what became of a command, the key does.
func TestUnknownOutcomesAreFoundByTheirKeys(t *testing.T) {
	t.Parallel()
	var m *moody
	r := start(t, func(c *Config) {
		m = &moody{Store: c.Store}
		c.Store, c.Games = m, projections.NewGames(m, eventstore.Options{AppendTimeout: 100 * time.Millisecond})
	})
	c := apitest.Register(t, r.url)
	body := []byte(`{"rules":{"players":3}}`)
	m.loses.Store(true)
	c.Refused(t, http.StatusServiceUnavailable, "unavailable", "POST", "/v1/games", body)
	a := c.Must(t, http.StatusCreated, "POST", "/v1/games", body, nil, keyed("a"))
	m.loses.Store(false)
	b := c.Must(t, http.StatusCreated, "POST", "/v1/games", body, nil, keyed("a"))
	sameAnswer(t, a, b)
	if n := r.count(t, `SELECT count(*) FROM games`); n != 2 || !isReplay(b) {
		t.Errorf("%d games", n)
	}
}

// Every POST of somebody signed in takes a key, as the document says: all but those on sessions and the password.
func TestDocumentTellsWhereKeysAreTaken(t *testing.T) {
	t.Parallel()
	r := start(t)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
			Responses  map[string]struct{ Headers map[string]any }
		}
	}
	apitest.New(r.url).Must(t, http.StatusOK, "GET", "/openapi.json", nil, &document)
	posts := 0
	for _, route := range r.echo.Routes() {
		path := regexp.MustCompile(`:(\w+)`).ReplaceAllString(route.Path, "{$1}")
		if !strings.HasPrefix(path, "/v1/") || route.Method == "echo_route_not_found" {
			continue
		}
		takes := false
		operation := document.Paths[path][strings.ToLower(route.Method)]
		for _, p := range operation.Parameters {
			takes = takes || p.In == "header" && p.Name == headerKey
		}
		if want := route.Method == "POST" && !strings.HasPrefix(path, "/v1/auth/") && path != "/v1/me/password"; takes != want {
			t.Errorf("%s %s takes keys: %t, want %t", route.Method, path, takes, want)
		} else if want {
			posts++
			for status, response := range operation.Responses {
				if _, told := response.Headers[headerReplayed]; status < "3" && !told {
					t.Errorf("%s %s: %s has no %s", route.Method, path, status, headerReplayed)
				}
			}
		}
	}
	if posts < 6 {
		t.Errorf("%d POSTs", posts)
	}
}

// What players do beside the moves, sent many times at once: done once, even where the caller may not do it again, or where there was nothing to do.
func TestLeavingAtOnceIsOne(t *testing.T) {
	t.Parallel()
	url := testdb.New(t)
	servers := []*running{startOn(t, url), startOn(t, url)}
	rng := rand.New(rand.NewPCG(24, 0))
	u := registerAll(t, servers[0], 3)
	l := open(t, u[0], map[string]any{"auto_start": false})
	table := &apitest.Table{ID: l.path[len("/v1/games/"):], Players: u}
	before := 2
	send := func(c *apitest.Client, status, events int, path string, body any) apitest.Answer {
		t.Helper()
		a := volley(t, servers, rng, c, l.path+path, body)
		if a.Status != status {
			t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
		now := l.view(u[0]).Version
		if events >= 0 && now != before+events {
			t.Errorf("%s: version %d after %d", path, now, before)
		}
		before = now
		return a
	}
	send(u[0], http.StatusCreated, 1, "/bots", nil)
	send(u[1], http.StatusCreated, 1, "/players", nil)
	send(u[0], http.StatusOK, -1, "/start", nil)
	send(u[0], http.StatusOK, 0, "/resume", nil)
	send(u[0], http.StatusConflict, 0, "/pause-vote", map[string]bool{"agree": true}) // there is no clock
	send(u[0], http.StatusOK, 1, "/end-vote", map[string]bool{"agree": true})
	send(u[0], http.StatusOK, 0, "/seats/0/reclaim", nil)
	send(u[1], http.StatusOK, -1, "/resign", nil)
	u[1].Refused(t, http.StatusForbidden, "forbidden", "POST", l.path+"/resign", nil, newKey())
	table.Players = u[:1]
	wholeStream(t, servers[0], table)
}

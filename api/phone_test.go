package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mago/api/apitest"
	"mago/api/auth"
	"mago/api/idempotency"
)

var errNoAnswer = errors.New("no answer came")

// badNetwork is a phone's way to the server: it loses requests, loses answers, and delivers requests twice, or later than others that were sent after.
type badNetwork struct {
	under *http.Transport
	bytes atomic.Int64 // in both directions, as they go over the connection
	noise atomic.Int64 // rises with all that goes over it beside one request and its answer
	late  []*delayed
	wg    sync.WaitGroup // of what is under way and nobody waits for
	rng   *rand.Rand
}

// delayed is a request that arrives after so many others.
type delayed struct {
	send  func()
	after int
}

func newBadNetwork(rng *rand.Rand) *badNetwork {
	n := &badNetwork{rng: rng}
	n.under = &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return counted{conn, &n.bytes}, err
	}}
	return n
}

// counted is a connection whose bytes are counted.
type counted struct {
	net.Conn
	bytes *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// RoundTrip makes badNetwork an http.RoundTripper, for one request at a time.
func (n *badNetwork) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	send := func() (*http.Response, error) {
		again := req.Clone(context.WithoutCancel(req.Context()))
		if body != nil {
			again.Body = io.NopCloser(bytes.NewReader(body))
		}
		return n.under.RoundTrip(again)
	}
	unheard := func() {
		defer n.noise.Add(1)
		if res, err := send(); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}
	n.deliver(false)
	switch n.fault() {
	case "request lost":
		return nil, errNoAnswer
	case "answer lost":
		unheard()
		return nil, errNoAnswer
	case "delayed":
		n.late = append(n.late, &delayed{unheard, 1 + n.rng.IntN(40)})
		return nil, errNoAnswer
	case "doubled":
		n.wg.Go(unheard)
	case "doubled late":
		n.late = append(n.late, &delayed{unheard, 1 + n.rng.IntN(40)})
	}
	return send()
}

// fault draws what goes wrong next, "" for nothing.
func (n *badNetwork) fault() string {
	names := []string{"request lost", "answer lost", "delayed", "doubled", "doubled late"}
	if i := n.rng.IntN(100) / 6; i < len(names) { // 6 of 100 each
		n.noise.Add(1)
		return names[i]
	}
	return ""
}

// deliver sends what is late enough, or everything.
func (n *badNetwork) deliver(all bool) {
	waiting := n.late[:0]
	for _, d := range n.late {
		if d.after--; all || d.after <= 0 {
			n.noise.Add(1)
			n.wg.Go(d.send)
		} else {
			waiting = append(waiting, d)
		}
	}
	n.late = waiting
}

// close lets everything arrive.
func (n *badNetwork) close() {
	n.deliver(true)
	n.wg.Wait()
	n.under.CloseIdleConnections()
}

// phone is a player who retries whatever has no answer.
type phone struct {
	*apitest.Client
	net   *badNetwork
	clock *hands
	rng   *rand.Rand
	keys  bool // they come with a key; else with what a move is meant for alone
	etag  string
	seen  apitest.Game
	done  []deed
	tried map[string]bool // moves that were sent, with what they are meant for

	tally *diary
}

// deed is a move that was answered with yes.
type deed struct {
	move    apitest.Move
	version int
}

// diary is what a run has seen.
type diary struct {
	games, moves, polls, unchanged, refreshed, signedIn, refused, replayed atomic.Int64
	moveBytes, moveCount, pollBytes, pollCount, wire                       atomic.Int64 // the first four of requests that met no fault
}

// insist sends a request until it is answered, with a new token where the old one has expired.
func (p *phone) insist(t *testing.T, method, path string, body any, headers ...apitest.Header) apitest.Answer {
	t.Helper()
	for range 1000 {
		a, err := p.Send(t.Context(), method, path, body, headers...)
		switch {
		case err != nil && !errors.Is(err, errNoAnswer):
			t.Fatal(err)
		case err != nil:
			p.clock.pass(time.Duration(p.rng.IntN(20)) * time.Second)
		case a.Status == http.StatusUnauthorized && path != "/v1/auth/refresh" && path != "/v1/auth/login":
			p.renew(t)
		case a.Status >= 500, a.Status == http.StatusTooManyRequests:
			t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
		default:
			return a
		}
	}
	t.Fatalf("%s %s is never answered", method, path)
	return apitest.Answer{}
}

// renew gets another access token. A copy of an earlier request that came too late may have ended the session: then the player signs in again.
func (p *phone) renew(t *testing.T) {
	t.Helper()
	p.net.noise.Add(1)
	a := p.insist(t, "POST", "/v1/auth/refresh", map[string]string{"refresh_token": p.Tokens.RefreshToken})
	if a.Status == http.StatusOK {
		p.tally.refreshed.Add(1)
	} else {
		p.tally.signedIn.Add(1)
		a = p.insist(t, "POST", "/v1/auth/login", map[string]string{"username": p.Tokens.User.Username, "password": apitest.Password})
	}
	if a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	a.Decode(t, &p.Tokens)
}

// look polls the game.
func (p *phone) look(t *testing.T, table *apitest.Table) *apitest.Game {
	t.Helper()
	before, noise := p.net.bytes.Load(), p.net.noise.Load()
	a := p.insist(t, "GET", table.Path(""), nil, header("If-None-Match", p.etag))
	p.tally.polls.Add(1)
	if a.Status == http.StatusNotModified {
		p.tally.unchanged.Add(1)
		if noise == p.net.noise.Load() {
			p.tally.pollBytes.Add(p.net.bytes.Load() - before)
			p.tally.pollCount.Add(1)
		}
		return &p.seen
	}
	p.seen = apitest.Game{}
	a.Decode(t, &p.seen)
	p.etag = a.Header.Get("ETag")
	return &p.seen
}

// act makes a move that the view seen last allows.
func (p *phone) act(t *testing.T, table *apitest.Table, m apitest.Move) {
	t.Helper()
	var headers []apitest.Header
	if p.keys {
		headers = append(headers, newKey())
	}
	if p.rng.IntN(2) == 0 {
		headers = append(headers, header("If-Match", p.etag))
	}
	if p.rng.IntN(2) == 0 {
		headers = append(headers, header("Prefer", "return=minimal"))
	}
	p.tried[nameOfMove(t, m)] = true
	before, noise := p.net.bytes.Load(), p.net.noise.Load()
	a := p.insist(t, "POST", table.Path(m.Path), m.Body, headers...)
	switch {
	case a.Status < 300:
		version, err := strconv.Atoi(a.Header.Get("ETag")[1 : len(a.Header.Get("ETag"))-1])
		if err != nil {
			t.Fatal(err)
		}
		p.done = append(p.done, deed{m, version})
		p.tally.moves.Add(1)
		if isReplay(a) {
			p.tally.replayed.Add(1)
		}
		if noise == p.net.noise.Load() && a.Status == http.StatusNoContent {
			p.tally.moveBytes.Add(p.net.bytes.Load() - before)
			p.tally.moveCount.Add(1)
		}
	case p.keys: // only a copy of the move itself can have come before it, and then its answer is the move's
		t.Errorf("%s %v: %d %s", m.Path, m.Body, a.Status, a.Body)
	default:
		p.tally.refused.Add(1)
	}
}

// nameOfMove says what a move is and what it is meant for.
func nameOfMove(t *testing.T, m apitest.Move) string {
	t.Helper()
	body, err := json.Marshal(m.Body)
	if err != nil {
		t.Fatal(err)
	}
	return m.Path + string(body)
}

// TestPhones plays games on phones whose network is bad and whose tokens expire on the way. All games come to their ends, no move is made twice, and
// none lands in a round or trick that it was not meant for.
func TestPhones(t *testing.T) {
	t.Parallel()
	evenings, games := 1, 1
	if soak() {
		evenings, games = 8, 25
	}
	var tally diary
	t.Run("evenings", func(t *testing.T) {
		for n := range evenings {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				evening(t, rand.New(rand.NewPCG(31, uint64(n))), games, &tally)
			})
		}
	})
	if t.Failed() {
		return
	}
	move, poll := tally.moveBytes.Load()/tally.moveCount.Load(), tally.pollBytes.Load()/tally.pollCount.Load()
	t.Logf("%d games, %d moves (%d answered by a replay, %d refused as made already), %d polls (%d unchanged); tokens renewed %d times, signed in again %d times",
		tally.games.Load(), tally.moves.Load(), tally.replayed.Load(), tally.refused.Load(), tally.polls.Load(), tally.unchanged.Load(), tally.refreshed.Load(), tally.signedIn.Load())
	t.Logf("bytes over the connection, both ways and without TLS: %d a move with return=minimal, %d an unchanged poll, so %d a day of 20 moves and 100 unchanged polls; with all that was lost and repeated, views and tokens: %d a move",
		move, poll, 20*move+100*poll, tally.wire.Load()/tally.moves.Load())
}

// evening plays games one after another on one server.
func evening(t *testing.T, rng *rand.Rand, games int, tally *diary) {
	t.Helper()
	var clock hands
	clock.ms.Store(stagedAt.UnixMilli())
	r := start(t, func(c *Config) {
		c.Now = clock.now
		c.Keys = idempotency.New(idempotency.Config{Reader: c.Keys.Reader, Writer: c.Keys.Writer, Now: clock.now, Wait: time.Minute})
		accounts, err := auth.New(t.Context(), auth.Config{
			Reader: c.Keys.Reader, Writer: c.Keys.Writer, Now: clock.now, Hash: auth.HashParams{Memory: 8, Passes: 1, Threads: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Auth = accounts
	})
	phones, good := make([]*phone, 4), make([]*apitest.Client, 4)
	for i := range phones {
		good[i] = apitest.Register(t, r.url)
		c := *good[i]
		network := newBadNetwork(rand.New(rand.NewPCG(rng.Uint64(), uint64(i))))
		c.HTTP, c.Gzip = &http.Client{Transport: network}, true
		phones[i] = &phone{Client: &c, net: network, clock: &clock, rng: rng, keys: i != 2, tally: tally}
	}
	for n := range games {
		rules := apitest.Rules{
			Players: 3 + rng.IntN(2), Bidding: []string{"open", "plus_minus_one", "hidden", "secret"}[n%4], Length: "five", Foresight: rng.IntN(2) == 0,
		}
		playOnPhones(t, r, rules, phones[:rules.Players], rng)
		tally.games.Add(1)
	}
}

// playOnPhones plays one game and looks for what was made of it.
func playOnPhones(t *testing.T, r *running, rules apitest.Rules, phones []*phone, rng *rand.Rand) {
	t.Helper()
	var g apitest.Game
	created := phones[0].insist(t, "POST", "/v1/games", map[string]any{"rules": rules}, newKey())
	if created.Status != http.StatusCreated {
		t.Fatalf("%d %s", created.Status, created.Body)
	}
	created.Decode(t, &g)
	table := &apitest.Table{ID: g.ID}
	for seat, p := range phones {
		if p.etag, p.done, p.tried = "", nil, map[string]bool{}; seat > 0 {
			if a := p.insist(t, "POST", table.Path("/players"), map[string]any{"seat": seat}, newKey()); a.Status != http.StatusCreated {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
		}
	}
	for over := false; !over; {
		p := phones[rng.IntN(len(phones))]
		p.clock.pass(time.Duration(rng.IntN(90)) * time.Second)
		view := p.look(t, table)
		over = view.Status == "finished"
		if moves := view.Moves(); len(moves) > 0 {
			p.act(t, table, moves[rng.IntN(len(moves))])
		}
	}
	for _, p := range phones {
		p.net.close()
		p.tally.wire.Add(p.net.bytes.Swap(0))
		c := apitest.New(r.url) // in a session of its own: what came late may have ended the phone's
		c.Must(t, http.StatusOK, "POST", "/v1/auth/login", map[string]string{"username": p.Tokens.User.Username, "password": apitest.Password}, &c.Tokens)
		table.Players = append(table.Players, c)
	}
	events := table.Players[0].Events(t, table.ID)
	if last := events[len(events)-1].Type; last != "game_finished" {
		t.Errorf("the game ends with %s", last)
	}
	once := map[string]bool{}
	made := make([]int, len(phones))
	for _, e := range events {
		seat, names, place := movesOf(t, e)
		if names == nil {
			continue
		}
		if once[place] {
			t.Errorf("twice: %s", place)
		}
		once[place] = true
		if p := phones[seat]; !p.tried[names[0]] && !p.tried[names[1]] {
			t.Errorf("%s %s is no move that seat %d made for this", e.Type, e.Data, seat)
		}
		made[seat]++
	}
	for seat, p := range phones {
		for _, d := range p.done {
			found := 0
			for _, e := range events[:d.version] {
				if by, names, _ := movesOf(t, e); by == seat && names != nil && (names[0] == nameOfMove(t, d.move) || names[1] == nameOfMove(t, d.move)) {
					found++
				}
			}
			if found != 1 {
				t.Errorf("seat %d was told of %v at version %d, which was made %d times", seat, d.move, d.version, found)
			}
		}
		if p.keys && len(p.done) != made[seat] {
			t.Errorf("seat %d was told of %d moves and made %d", seat, len(p.done), made[seat])
		}
	}
	wholeStream(t, r, table)
}

// movesOf returns who made a move that an event tells of, what moves that may have been (a hidden card is played unseen), and the place
// in the game where one such move belongs. There are none for other events.
func movesOf(t *testing.T, e apitest.Event) (seat int, names []string, place string) {
	t.Helper()
	var data struct {
		Seat                 *int
		By, Suit, Card       string
		Round, Trick, Tricks int
	}
	if e.Type != "trump_set" && e.Type != "bid_placed" && e.Type != "card_played" {
		return 0, nil, ""
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	name := func(path string, body map[string]any) string {
		body["round"] = data.Round
		return nameOfMove(t, apitest.Move{Path: path, Body: body})
	}
	switch {
	case e.Type == "bid_placed":
		bid := name("/bids", map[string]any{"tricks": data.Tricks})
		names = []string{bid, bid}
	case e.Type == "card_played":
		names = []string{
			name("/plays", map[string]any{"card": data.Card, "trick": data.Trick}), name("/plays", map[string]any{"card": "??", "trick": data.Trick}),
		}
	case data.By == "dealer":
		suit := name("/trump", map[string]any{"suit": data.Suit})
		names = []string{suit, suit}
	default:
		return 0, nil, ""
	}
	return *data.Seat, names, fmt.Sprintf("%s round %d trick %d seat %d", e.Type, data.Round, data.Trick, *data.Seat)
}

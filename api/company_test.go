package api

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// invited are a user's invitations.
func invited(tb testing.TB, c *apitest.Client) (out []struct {
	ID   string       `json:"id"`
	By   apitest.User `json:"by"`
	Game apitest.Game `json:"game"`
},
) {
	tb.Helper()
	var page struct {
		Items *[]struct {
			ID   string       `json:"id"`
			By   apitest.User `json:"by"`
			Game apitest.Game `json:"game"`
		} `json:"items"`
	}
	page.Items = &out
	c.Must(tb, http.StatusOK, "GET", "/v1/me/invitations", nil, &page)
	return out
}

// invite invites by username, and returns the invitation's id.
func (l lobby) invite(by, whom *apitest.Client) string {
	l.tb.Helper()
	var i sentInvitation
	by.Must(l.tb, http.StatusCreated, "POST", l.path+"/invitations", map[string]string{"username": whom.Tokens.User.Username}, &i)
	return i.ID
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 5)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	ask := func(c *apitest.Client, name string) apitest.Answer {
		return c.Do(t, "POST", l.path+"/invitations", map[string]string{"username": name})
	}
	id := l.invite(u[0], u[1])
	if again := l.invite(u[0], u[1]); again != id {
		t.Error("inviting again makes another invitation")
	}
	got := invited(t, u[1])
	if len(got) != 1 || got[0].ID != id || got[0].By.ID != u[0].Tokens.User.ID || got[0].Game.ID != l.path[len("/v1/games/"):] || got[0].Game.InviteCode != nil {
		t.Errorf("invited: %+v", got)
	}
	u[1].Refused(t, http.StatusNotFound, "not_found", "GET", l.path, nil) // it is private, still
	for code, a := range map[string]apitest.Answer{
		"not_found": ask(u[2], u[3].Tokens.User.Username), "invalid": ask(u[0], "nobody-has-this"), "already_joined": ask(u[0], u[0].Tokens.User.Username),
	} {
		if a.Code() != code {
			t.Errorf("%d %s, not %s", a.Status, a.Body, code)
		}
	}
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+id+"/accept", nil)
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+id+"/decline", nil)

	var g apitest.Game
	key := header("Idempotency-Key", "once")
	u[1].Must(t, http.StatusCreated, "POST", "/v1/me/invitations/"+id+"/accept", map[string]any{"seat": 2, "client_seed": "s"}, &g, key)
	if g.You.Seat != 2 || len(invited(t, u[1])) != 0 {
		t.Errorf("accepted: seat %d", g.You.Seat)
	}
	if a := u[1].Must(t, http.StatusCreated, "POST", "/v1/me/invitations/"+id+"/accept", map[string]any{"seat": 2, "client_seed": "s"}, nil, key); a.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("not replayed")
	}
	u[1].Refused(t, http.StatusConflict, "already_joined", "POST", "/v1/me/invitations/"+id+"/accept", nil)

	declined := l.invite(u[1], u[2])
	for range 2 {
		u[2].Must(t, http.StatusNoContent, "POST", "/v1/me/invitations/"+declined+"/decline", nil, nil)
	}
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+declined+"/accept", nil)
	byGuest := l.invite(u[1], u[2])
	u[2].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/invitations/"+byGuest, nil)
	var sent sentInvitations
	u[1].Must(t, http.StatusOK, "GET", l.path+"/invitations", nil, &sent)
	if len(sent.Items) != 1 || sent.Items[0].ID != byGuest || sent.Items[0].User.ID != u[2].Tokens.User.ID {
		t.Errorf("sent: %+v", sent)
	}
	u[0].Must(t, http.StatusOK, "DELETE", l.path+"/players/2", nil, nil) // with who sent it the invitation goes
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+byGuest+"/accept", nil)

	last := l.invite(u[0], u[3])
	code := *l.view(u[0]).InviteCode
	l.invite(u[0], u[4])
	l.join(u[4], map[string]any{"invite_code": code})
	if len(invited(t, u[4])) != 0 {
		t.Error("who has joined is still invited")
	}
	l.join(u[2], map[string]any{"invite_code": code}) // it starts
	if len(invited(t, u[3])) != 0 {
		t.Error("a game that has begun still invites")
	}
	u[3].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+last+"/accept", nil)
	late := map[string]string{"username": u[3].Tokens.User.Username}
	if a := u[0].Do(t, "POST", l.path+"/invitations", late, key); a.Code() != "not_in_lobby" || !strings.Contains(string(a.Body), `"version":`) {
		t.Errorf("inviting into a game: %s", a.Body)
	} else {
		mustReplay(t, a, u[0].Do(t, "POST", l.path+"/invitations", late, key))
	}
	if a := ask(u[0], u[3].Tokens.User.Username); a.Code() != "not_in_lobby" {
		t.Errorf("inviting into a game: %s", a.Body)
	}
}

func TestTakingAnInvitationBack(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	l := open(t, u[0], nil)
	l.join(u[1], nil)
	byHost, byGuest := l.invite(u[0], u[2]), l.invite(u[1], u[3])
	u[1].Refused(t, http.StatusForbidden, "forbidden", "DELETE", l.path+"/invitations/"+byHost, nil)
	u[0].Must(t, http.StatusNoContent, "DELETE", l.path+"/invitations/"+byGuest, nil, nil)
	u[0].Must(t, http.StatusNoContent, "DELETE", l.path+"/invitations/"+byHost, nil, nil)
	u[0].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/invitations/"+uuid.NewString(), nil)
	for _, c := range u[2:] {
		if got := invited(t, c); len(got) != 0 {
			t.Errorf("%+v", got)
		}
	}
	again := l.invite(u[0], u[2])
	u[0].Must(t, http.StatusOK, "DELETE", l.path, nil, nil)
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+again+"/accept", nil)
	if got := invited(t, u[2]); len(got) != 0 {
		t.Errorf("into a cancelled lobby: %+v", got)
	}
}

// An invitation sent again with its key is one, and tells the same.
func TestAnInvitationSentAgain(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], nil)
	body := map[string]string{"username": strings.ToUpper(u[1].Tokens.User.Username)}
	first := u[0].Must(t, http.StatusCreated, "POST", l.path+"/invitations", body, nil, header("Idempotency-Key", "k"))
	u[1].Must(t, http.StatusNoContent, "POST", "/v1/me/invitations/"+invited(t, u[1])[0].ID+"/decline", nil, nil)
	second := u[0].Must(t, http.StatusCreated, "POST", l.path+"/invitations", body, nil, header("Idempotency-Key", "k"))
	if string(first.Body) != string(second.Body) || second.Header.Get("Idempotency-Replayed") != "true" || len(invited(t, u[1])) != 0 {
		t.Errorf("%s\n%s", first.Body, second.Body)
	}
}

func TestManyInvitations(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *Config) { c.Limits = DefaultLimits() })
	u := registerAll(t, r, 22)
	l := open(t, u[0], nil)
	for _, whom := range u[1:21] {
		l.invite(u[0], whom)
	}
	u[0].Refused(t, http.StatusTooManyRequests, "rate_limited", "POST", l.path+"/invitations", map[string]string{"username": u[21].Tokens.User.Username})
	u[1].Must(t, http.StatusNoContent, "POST", "/v1/me/invitations/"+invited(t, u[1])[0].ID+"/decline", nil, nil)
	l.invite(u[0], u[21])
	l.invite(u[0], u[21]) // at the cap, it finds the one that is open
}

// What users can't see because of a block doesn't keep others from inviting them.
func TestInvitationsThatAreNotSeenDoNotCount(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *Config) { c.Limits = DefaultLimits() })
	u := registerAll(t, r, 5)
	ana, blocked, blocking := u[0], u[1], u[2]
	ana.Must(t, http.StatusNoContent, "PUT", "/v1/me/blocks/"+blocked.Tokens.User.ID, nil, nil)
	blocking.Must(t, http.StatusNoContent, "PUT", "/v1/me/blocks/"+ana.Tokens.User.ID, nil, nil)
	theirs, his := open(t, blocked, nil), open(t, blocking, nil)
	for n := range projections.InvitationsToUser {
		by, into := blocked, theirs
		if n%2 == 1 {
			by, into = blocking, his
		}
		r.invited(t, into, by, ana)
	}
	l := open(t, u[3], nil)
	l.invite(u[3], ana)
	if got := invited(t, ana); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	for range projections.InvitationsToUser - 1 {
		r.invited(t, l, u[3], ana)
	}
	u[4].Refused(t, http.StatusTooManyRequests, "rate_limited", "POST", open(t, u[4], nil).path+"/invitations", map[string]string{"username": ana.Tokens.User.Username})
}

// invited puts an invitation into the database, whatever is open there.
func (r *running) invited(tb testing.TB, into lobby, by, whom *apitest.Client) {
	tb.Helper()
	_, err := r.store.Writer().ExecContext(tb.Context(), `DROP INDEX IF EXISTS invitations_open`)
	if err == nil {
		i := r.Company.Invite(into.path[len("/v1/games/"):], by.Tokens.User.ID, whom.Tokens.User.ID)
		_, err = r.store.Writer().ExecContext(tb.Context(), i.SQL, i.Args...)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// between runs something once, when it is armed, between a look and what follows it.
type between struct {
	eventstore.Store
	read, decided atomic.Pointer[func()]
}

func (b *between) once(at *atomic.Pointer[func()]) {
	if f := at.Swap(nil); f != nil {
		(*f)()
	}
}

func (b *between) Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]eventstore.Record, error) {
	records, err := b.Store.Read(ctx, stream, after, limit)
	b.once(&b.read)
	return records, err
}

// onTheWay starts two servers on a database; to the first something can happen on its way.
func onTheWay(t *testing.T) (first, other *running, b *between) {
	t.Helper()
	url := testdb.New(t)
	b = new(between)
	first = startOn(t, url, func(c *Config) {
		b.Store = c.Store
		c.Games = projections.NewGames(b, eventstore.Options{Now: func() time.Time {
			b.once(&b.decided)
			return time.Now()
		}})
	})
	return first, startOn(t, url), b
}

// Nobody is invited by who has left meanwhile, or into what has begun or ended meanwhile.
func TestInvitationsDoNotOutliveTheirInviters(t *testing.T) {
	t.Parallel()
	r, other, b := onTheWay(t)
	u := registerAll(t, r, 4)
	through := func(c *apitest.Client) *apitest.Client {
		through := *c
		through.Base = other.url
		return &through
	}
	l := open(t, u[0], map[string]any{"visibility": "private"})
	l.join(u[1], map[string]any{"invite_code": *l.view(u[0]).InviteCode})
	path, body := l.path+"/invitations", map[string]string{"username": u[2].Tokens.User.Username}
	removes := func() { through(u[0]).Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil) }
	b.read.Store(&removes)
	u[1].Refused(t, http.StatusNotFound, "not_found", "POST", path, body)
	cancels := func() { through(u[0]).Must(t, http.StatusOK, "DELETE", l.path, nil, nil) }
	b.read.Store(&cancels)
	u[0].Refused(t, http.StatusConflict, "game_over", "POST", path, body)
	if n := r.count(t, `SELECT count(*) FROM invitations`); n != 0 {
		t.Errorf("%d invitations", n)
	}
	l = open(t, u[0], nil)
	joins := func() { (lobby{tb: t, path: l.path}).join(through(u[3]), nil) }
	b.read.Store(&joins)
	l.invite(u[0], u[2]) // it still stands
}

// An invitation that is taken back or declined while it is being accepted is not accepted.
func TestAcceptingWhatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	r, other, b := onTheWay(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], nil)
	for n, key := range [][]apitest.Header{nil, {newKey()}} {
		for _, takenBack := range []bool{true, false} {
			id := l.invite(u[0], u[1])
			ends := func() {
				host, guest := *u[0], *u[1]
				host.Base, guest.Base = other.url, other.url
				if takenBack {
					host.Must(t, http.StatusNoContent, "DELETE", l.path+"/invitations/"+id, nil, nil)
				} else {
					guest.Must(t, http.StatusNoContent, "POST", "/v1/me/invitations/"+id+"/decline", nil, nil)
				}
			}
			b.decided.Store(&ends)
			u[1].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+id+"/accept", nil, key...)
			if g := l.view(u[0]); g.Version != l.view(u[1]).Version || b.decided.Load() != nil || g.Seats[1].User != nil {
				t.Errorf("%d: %+v", n, g.Seats)
			}
		}
	}
	u[1].Must(t, http.StatusCreated, "POST", "/v1/me/invitations/"+l.invite(u[0], u[1])+"/accept", nil, nil)
}

// Inviting, while the same invitation is taken back and sent by others, finds one or makes one.
func TestInvitingAndTakingBackAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], nil)
	l.join(u[1], nil)
	body := map[string]string{"username": u[2].Tokens.User.Username}
	for range 40 {
		last := l.invite(u[0], u[2])
		var wg sync.WaitGroup
		wg.Go(func() {
			if a, err := u[0].Send(t.Context(), "DELETE", l.path+"/invitations/"+last, nil); err != nil || a.Status != http.StatusNoContent {
				t.Errorf("%d %s: %v", a.Status, a.Body, err)
			}
		})
		for n := range 6 {
			wg.Go(func() {
				if a, err := u[n%2].Send(t.Context(), "POST", l.path+"/invitations", body); err != nil || a.Status != http.StatusCreated {
					t.Errorf("%d %s: %v", a.Status, a.Body, err)
				}
			})
		}
		wg.Wait()
	}
}

// Who is blocked can't invite, join or see the lobby of who blocked them, and is not told that they are.
func TestBlocking(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	ana, bad, carme := u[0], u[1], u[2]
	block := "/v1/me/blocks/" + bad.Tokens.User.ID
	theirs := open(t, bad, nil)
	before := theirs.invite(bad, ana)
	for range 2 {
		ana.Must(t, http.StatusNoContent, "PUT", block, nil, nil)
	}
	var list blockList
	ana.Must(t, http.StatusOK, "GET", "/v1/me/blocks", nil, &list)
	if len(list.Items) != 1 || list.Items[0].User.ID != bad.Tokens.User.ID {
		t.Errorf("%+v", list)
	}
	// Their invitations don't arrive, before or after, and they can't tell.
	theirs.invite(bad, ana)
	var sent sentInvitations
	bad.Must(t, http.StatusOK, "GET", theirs.path+"/invitations", nil, &sent)
	if len(sent.Items) != 1 || len(invited(t, ana)) != 0 {
		t.Errorf("sent %+v", sent)
	}
	ana.Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/me/invitations/"+before+"/accept", nil)

	hosted := open(t, ana, nil)
	joined := open(t, carme, nil)
	joined.join(ana, nil)
	invitedBad := joined.invite(carme, bad)
	for _, l := range []lobby{hosted, joined} {
		bad.Refused(t, http.StatusForbidden, "forbidden", "POST", l.path+"/players", nil)
		for _, query := range []string{"", "?status=lobby"} {
			id := l.path[len("/v1/games/"):]
			if a := bad.Must(t, http.StatusOK, "GET", "/v1/games"+query, nil, nil); strings.Contains(string(a.Body), id) {
				t.Errorf("%q shows a lobby to who is blocked there", query)
			}
			if a := u[3].Must(t, http.StatusOK, "GET", "/v1/games"+query, nil, nil); !strings.Contains(string(a.Body), id) {
				t.Errorf("%q doesn't show a lobby to others", query)
			}
		}
	}
	bad.Refused(t, http.StatusForbidden, "forbidden", "POST", "/v1/me/invitations/"+invitedBad+"/accept", nil)
	if got := invited(t, bad); len(got) != 0 {
		t.Errorf("invited where they can't sit down: %+v", got)
	}
	private := open(t, ana, map[string]any{"visibility": "private"})
	bad.Refused(t, http.StatusForbidden, "forbidden", "POST", "/v1/join", map[string]any{"invite_code": *private.view(ana).InviteCode})
	theirs.join(ana, nil) // one's own choice

	ana.Must(t, http.StatusNoContent, "DELETE", block, nil, nil)
	hosted.join(bad, nil)
	if a := bad.Must(t, http.StatusOK, "GET", "/v1/games?status=lobby", nil, nil); !strings.Contains(string(a.Body), hosted.path[len("/v1/games/"):]) {
		t.Error("not shown after the end of the block")
	}
	ana.Refused(t, http.StatusForbidden, "forbidden", "PUT", "/v1/me/blocks/"+ana.Tokens.User.ID, nil)
	ana.Refused(t, http.StatusNotFound, "not_found", "PUT", "/v1/me/blocks/"+uuid.NewString(), nil)
	ana.Refused(t, http.StatusNotFound, "not_found", "PUT", "/v1/me/blocks/x", nil)
}

// playOut plays a game to its end.
func playOut(tb testing.TB, t *apitest.Table, seed uint64) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(6, seed))
	for on := true; on; {
		on = t.Step(tb, rng)
	}
}

func TestRematch(t *testing.T) {
	t.Parallel()
	url := testdb.New(t)
	r := startOn(t, url)
	u := registerAll(t, r, 4)
	l := open(t, u[0], map[string]any{"visibility": "private", "name": "Friday", "rules": map[string]any{"players": 3, "length": "five", "bidding": "hidden"}})
	path := l.path + "/rematch"
	early := newKey()
	mustReplay(t, u[0].Refused(t, http.StatusConflict, "wrong_phase", "POST", path, nil, early), u[0].Do(t, "POST", path, nil, early))
	for _, c := range u[1:3] {
		l.join(c, map[string]any{"invite_code": *l.view(u[0]).InviteCode})
	}
	u[0].Refused(t, http.StatusConflict, "wrong_phase", "POST", path, nil)
	playOut(t, &apitest.Table{ID: l.path[len("/v1/games/"):], Players: u[:3]}, 1)
	u[3].Refused(t, http.StatusNotFound, "not_found", "POST", path, nil)

	var first, second, third apitest.Game
	a := u[1].Must(t, http.StatusCreated, "POST", path, nil, &first)
	if first.Status != "lobby" || first.You.Seat != 2 || *first.Host != 2 || *first.Name != "Friday" || first.Rules.Bidding != "hidden" || first.Rules.Length != "five" ||
		first.InviteCode == nil || a.Header.Get("Location") != "/v1/games/"+first.ID {
		t.Errorf("%s", a.Body)
	}
	if got := invited(t, u[0]); len(got) != 1 || got[0].Game.ID != first.ID || got[0].By.ID != u[1].Tokens.User.ID {
		t.Errorf("invited: %+v", got)
	}
	u[1].Must(t, http.StatusCreated, "POST", path, nil, &second) // the same
	u[0].Must(t, http.StatusCreated, "POST", path, nil, &third)
	if second.ID != first.ID || second.Version != first.Version || third.ID != first.ID || third.You.Seat != 1 {
		t.Errorf("again: %s at %d, then %s on seat %d", second.ID, second.Version, third.ID, third.You.Seat)
	}
	u[2].Must(t, http.StatusCreated, "POST", "/v1/me/invitations/"+invited(t, u[2])[0].ID+"/accept", nil, &third)
	if third.Status != "playing" || third.You.Seat != 0 {
		t.Errorf("%s on seat %d", third.Status, third.You.Seat)
	}
	u[0].Must(t, http.StatusCreated, "POST", path, nil, &third) // who sits there finds it
	if third.ID != first.ID {
		t.Error("another game")
	}
}

// A rematch that is cancelled in its lobby gives way to another; bots sit where they sat, one to the left, and nothing starts before its host could set a seed.
func TestRematchWithBots(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 1)
	l := open(t, u[0], nil)
	for range 2 {
		u[0].Must(t, http.StatusCreated, "POST", l.path+"/bots", map[string]string{"level": "easy"}, nil)
	}
	table := &apitest.Table{ID: l.path[len("/v1/games/"):], Players: u}
	r.do(t, table, game.VoteEnd{Seat: 0, Agree: true}) // cancelled in play
	if s := r.state(t, table); s.Status != game.Cancelled {
		t.Fatalf("%v", s.Status)
	}
	var g, next apitest.Game
	u[0].Must(t, http.StatusCreated, "POST", l.path+"/rematch", nil, &g)
	if s := r.state(t, &apitest.Table{ID: g.ID}); s.Status != game.Lobby || s.Seats[2].Bot != game.EasyBot || s.Seats[0].Bot != game.EasyBot || s.SeatOf(u[0].Tokens.User.ID) != 1 {
		t.Errorf("%v %+v", s.Status, s.Seats)
	}
	u[0].Must(t, http.StatusOK, "DELETE", "/v1/games/"+g.ID, nil, nil)
	u[0].Must(t, http.StatusCreated, "POST", l.path+"/rematch", nil, &next)
	if next.ID == g.ID || next.Status != "lobby" {
		t.Errorf("a cancelled rematch: %s", next.Status)
	}
	u[0].Must(t, http.StatusOK, "PUT", "/v1/games/"+next.ID+"/client-seed", map[string]string{"client_seed": "mine"}, nil)
	u[0].Must(t, http.StatusOK, "POST", "/v1/games/"+next.ID+"/start", nil, &next)
	if next.Status != "playing" {
		t.Errorf("%s", next.Status)
	}
}

// All call for a rematch at once, on several servers, with keys that are sent twice: there is one, and all sit in it.
func TestOneRematch(t *testing.T) {
	t.Parallel()
	url := testdb.New(t)
	servers := []*running{startOn(t, url), startOn(t, url), startOn(t, url)}
	r := servers[0]
	u := registerAll(t, r, 3)
	table := apitest.Seat(t, apitest.Rules{Players: 3, Length: "five"}, u)
	for seat := range game.Seat(3) {
		r.do(t, table, game.VoteEnd{Seat: seat, Agree: true})
	}
	games := make(chan string, 6)
	for n := range 6 {
		go func() {
			c := *u[n/2]
			c.Base = servers[n%3].url
			a, err := c.Send(t.Context(), "POST", table.Path("/rematch"), nil, header("Idempotency-Key", fmt.Sprint("key-", n/2)))
			if err != nil || a.Status != http.StatusCreated && a.Code() != "idempotency_in_progress" {
				t.Errorf("%d %s: %v", a.Status, a.Body, err)
			}
			games <- a.Header.Get("Location")
		}()
	}
	ids := map[string]bool{}
	for range 6 {
		if id := <-games; id != "" {
			ids[id] = true
		}
	}
	if len(ids) != 1 {
		t.Fatalf("%v", ids)
	}
	for id := range ids {
		if s := r.state(t, &apitest.Table{ID: id[len("/v1/games/"):]}); s.Status != game.Playing {
			t.Errorf("%v", s.Status)
		}
	}
}

// Whom the host has removed from the next lobby doesn't come back by having played the last game, but by an invitation; who left by themselves does.
func TestRematchWithoutWhoWasRemoved(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	for _, c := range u[1:] {
		l.join(c, map[string]any{"invite_code": *l.view(u[0]).InviteCode})
	}
	table := &apitest.Table{ID: l.path[len("/v1/games/"):], Players: u}
	for seat := range game.Seat(3) {
		r.do(t, table, game.VoteEnd{Seat: seat, Agree: true})
	}
	var next, back apitest.Game
	path := l.path + "/rematch"
	u[0].Must(t, http.StatusCreated, "POST", path, nil, &next)
	n := lobby{tb: t, path: "/v1/games/" + next.ID, host: u[0]}
	leave := func(by *apitest.Client, seat int) {
		t.Helper()
		if a := by.Do(t, "DELETE", fmt.Sprint(n.path, "/players/", seat), nil); a.Status >= 300 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	u[1].Must(t, http.StatusCreated, "POST", path, nil, &back)
	leave(u[1], back.You.Seat)
	u[1].Must(t, http.StatusCreated, "POST", path, nil, &back)
	leave(u[0], back.You.Seat)
	u[0].Must(t, http.StatusOK, "POST", n.path+"/invite-code", nil, nil)
	if a := u[1].Refused(t, http.StatusForbidden, "forbidden", "POST", path, nil); strings.Contains(string(a.Body), "invite_code") {
		t.Errorf("%s", a.Body)
	}
	u[1].Refused(t, http.StatusNotFound, "not_found", "GET", n.path, nil)
	u[1].Must(t, http.StatusCreated, "POST", "/v1/me/invitations/"+n.invite(u[0], u[1])+"/accept", nil, &back)
	leave(u[1], back.You.Seat)
	u[1].Must(t, http.StatusCreated, "POST", path, nil, &back)
}

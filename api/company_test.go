package api

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore/testdb"
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
	u[0].Refused(t, http.StatusConflict, "wrong_phase", "POST", path, nil)
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

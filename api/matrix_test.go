package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
)

// class says who a call is for.
type class int

const (
	forAll     class = iota + 1 // without a token
	forOneself                  // whoever is signed in, about themselves or what everybody may know
	forCode                     // whoever has an invite code
	reading                     // a game's players, and for a public one everybody
	seating                     // everybody for a public game's lobby
	playing                     // a game's players, on their turn
	sitting                     // a game's players, at any time while it runs
	hosting                     // a game's host
	inviting                    // a private game's host
	removing                    // the player at the seat in the path, and the host
)

// classes knows every call of the document: a new one must be thought about before it passes.
var classes = map[string]class{
	"GET /.well-known/jwks.json": forAll, "GET /healthz": forAll, "GET /readyz": forAll, "GET /metrics": forAll,
	"GET /docs": forAll, "GET /docs/problems": forAll, "GET /openapi.json": forAll,
	"POST /v1/auth/login": forAll, "POST /v1/auth/refresh": forAll, "POST /v1/auth/register": forAll, "POST /v1/auth/logout": forOneself,
	"GET /v1/me": forOneself, "PATCH /v1/me": forOneself, "DELETE /v1/me": forOneself, "POST /v1/me/password": forOneself, "GET /v1/me/sync": forOneself,
	"GET /v1/me/vacation": forOneself, "PUT /v1/me/vacation": forOneself, "DELETE /v1/me/vacation": forOneself,
	"GET /v1/users/{id}": forOneself, "GET /v1/users/{id}/stats": forOneself, "GET /v1/leaderboard": forOneself,
	"GET /v1/games": forOneself, "POST /v1/games": forOneself, "POST /v1/join": forCode,
	"GET /v1/games/{id}": reading, "GET /v1/games/{id}/events": reading,
	"POST /v1/games/{id}/players": seating, "DELETE /v1/games/{id}/players/{seat}": removing,
	"PATCH /v1/games/{id}": hosting, "DELETE /v1/games/{id}": hosting, "POST /v1/games/{id}/start": hosting, "POST /v1/games/{id}/invite-code": inviting,
	"PUT /v1/games/{id}/client-seed": playing, "POST /v1/games/{id}/trump": playing, "POST /v1/games/{id}/bids": playing, "POST /v1/games/{id}/plays": playing,
	"POST /v1/games/{id}/resign": sitting, "POST /v1/games/{id}/end-vote": sitting, "POST /v1/games/{id}/pause-vote": sitting, "POST /v1/games/{id}/resume": sitting,
	"GET /v1/me/invitations": forOneself, "POST /v1/me/invitations/{id}/accept": forOneself, "POST /v1/me/invitations/{id}/decline": forOneself,
	"GET /v1/me/blocks": forOneself, "PUT /v1/me/blocks/{user_id}": forOneself, "DELETE /v1/me/blocks/{user_id}": forOneself,
	"GET /v1/games/{id}/invitations": sitting, "POST /v1/games/{id}/invitations": sitting, "DELETE /v1/games/{id}/invitations/{invitation}": sitting,
	"POST /v1/games/{id}/rematch": sitting,
	"GET /v1/games/{id}/premove":  sitting, "PUT /v1/games/{id}/premove": sitting, "DELETE /v1/games/{id}/premove": sitting,
	"POST /v1/games/{id}/seats/{seat}/reclaim": sitting, "POST /v1/games/{id}/bots": hosting,
}

// syncToken is a sealed token, which is another each time.
var syncToken = regexp.MustCompile(`"next":"[^"]*"`)

// tables are the three kinds of game a caller may find. Seat 0 is the host; the callers are a guest who is not on turn, and a stranger.
type tables struct {
	*running
	host, guest, stranger   *apitest.Client
	private, lobby, playing string // ids
	versions                map[string]int
}

func lay(t *testing.T) tables {
	t.Helper()
	return layOn(t, start(t))
}

func layOn(t *testing.T, r *running) tables {
	t.Helper()
	u := registerAll(t, r, 4)
	x := tables{running: r, host: u[0], stranger: u[3], versions: map[string]int{}}
	id := func(l lobby) string { return strings.TrimPrefix(l.path, "/v1/games/") }
	private := open(t, u[0], map[string]any{"visibility": "private", "auto_start": false})
	public := open(t, u[0], map[string]any{"auto_start": false})
	private.join(u[1], map[string]any{"invite_code": *private.view(u[0]).InviteCode})
	table := apitest.Seat(t, apitest.Rules{Players: 3, Length: "five"}, u[:3])
	x.guest = u[1]
	for slices.Contains(table.View(t, 0).Turn.Seats, 1) { // the dealer may have to choose first
		table = apitest.Seat(t, apitest.Rules{Players: 3, Length: "five"}, u[:3])
	}
	public.join(u[1], nil)
	x.private, x.lobby, x.playing = id(private), id(public), table.ID
	for _, id := range []string{x.private, x.lobby, x.playing} {
		x.versions[id] = x.version(t, id)
	}
	return x
}

func (x *tables) version(t *testing.T, id string) int {
	t.Helper()
	var g apitest.Game
	x.host.Must(t, http.StatusOK, "GET", "/v1/games/"+id, nil, &g)
	return g.Version
}

// values fill in the paths' parameters: a game, the host as a user, the host's seat.
func (x *tables) values(o operation, game string) map[string]string {
	id := game
	if strings.HasPrefix(o.path, "/v1/users/") {
		id = x.host.Tokens.User.ID
	}
	return map[string]string{"id": id, "seat": "0", "invitation": x.host.Tokens.User.ID, "user_id": x.host.Tokens.User.ID}
}

// claims are all the places where a request could say whose it is, but for the one that counts: they all name the host.
func (x *tables) claims(path string) (string, []apitest.Header) {
	id, name, token := x.host.Tokens.User.ID, x.host.Tokens.User.Username, x.host.Tokens.AccessToken
	mark := map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]
	query := fmt.Sprintf("%suser=%[2]s&user_id=%[2]s&sub=%[2]s&as=%[2]s&viewer=0&seat=0&access_token=%[3]s&token=%[3]s", mark, id, token)
	headers := []apitest.Header{{Name: "Cookie", Value: "access_token=" + token + "; session=" + token}}
	for _, h := range []string{"X-User-Id", "X-User", "X-Forwarded-User", "X-Remote-User", "Remote-User", "X-Auth-Request-User", "X-Original-User", "Sub", "X-Seat"} {
		headers = append(headers, header(h, id))
	}
	return path + query, append(headers, header("X-Username", name), header("X-Access-Token", token), header("Proxy-Authorization", "Bearer "+token))
}

// Every call of the document, with no identity or a false one: 401, and the same for all, whatever else the request says.
func TestNobodyGetsAnything(t *testing.T) {
	t.Parallel()
	x := lay(t)
	gone := apitest.Register(t, x.url)
	gone.Must(t, http.StatusNoContent, "POST", "/v1/auth/logout", nil, nil)
	operations, _ := document(t)
	for _, o := range operations {
		who, known := classes[o.String()]
		switch {
		case !known:
			t.Errorf("%s: who is it for? Say so in classes.", o)
		case (who == forAll) != o.open:
			t.Errorf("%s: the document says that it needs no token: %v", o, o.open)
		}
		if who == forAll || !known {
			continue
		}
		for _, game := range []string{x.private, x.playing, uuid.NewString()} {
			path := o.at(t, x.values(o, game))
			for what, token := range map[string]string{
				"no token": "", "no real token": "x", "a refresh token": x.host.Tokens.RefreshToken, "an ended session": gone.Tokens.AccessToken,
				"a cut token": x.host.Tokens.AccessToken[:len(x.host.Tokens.AccessToken)-1],
			} {
				c := apitest.Client{Base: x.url, HTTP: x.http, Tokens: apitest.Tokens{AccessToken: token}}
				claimed, headers := x.claims(path)
				for _, a := range []apitest.Answer{c.Do(t, o.method, path, raw(string(o.body))), c.Do(t, o.method, claimed, raw(string(o.body)), headers...)} {
					if a.Status != http.StatusUnauthorized || a.Code() != "unauthenticated" || a.Header.Get("WWW-Authenticate") != "Bearer" {
						t.Errorf("%s %s: %d %s", what, o, a.Status, a.Body)
					}
				}
			}
		}
	}
	x.unmoved(t)
}

// Every call of the document, by those it is not for: refused, and a private game as one that isn't there. Whose a request is says the token alone.
func TestCallsAreOnlyForWhoTheyAreFor(t *testing.T) {
	t.Parallel()
	x := lay(t)
	operations, _ := document(t)
	for _, o := range operations {
		for _, tt := range []struct {
			who  string
			c    *apitest.Client
			game string
			want map[class]int // 0: not asked, as it may be done
		}{
			{"a stranger, private game", x.stranger, x.private, map[class]int{reading: 404, seating: 404, playing: 404, sitting: 404, hosting: 404, inviting: 404, removing: 404, forCode: 404}},
			{"a stranger, lobby", x.stranger, x.lobby, map[class]int{reading: 200, playing: 403, sitting: 403, hosting: 403, inviting: 403, removing: 403, forCode: 404}},
			{"a spectator", x.stranger, x.playing, map[class]int{reading: 200, seating: 409, playing: 403, sitting: 403, hosting: 403, inviting: 403, removing: 403, forCode: 404}},
			{"a guest, lobby", x.guest, x.lobby, map[class]int{reading: 200, seating: 409, hosting: 403, inviting: 404, removing: 403}},
			{"a guest, private game", x.guest, x.private, map[class]int{reading: 200, seating: 409, hosting: 403, inviting: 403, removing: 403}},
			{"another seat", x.guest, x.playing, map[class]int{reading: 200, seating: 409, playing: 409, hosting: -1, inviting: 404, removing: -1}}, // 403 or 409
		} {
			want := tt.want[classes[o.String()]]
			if want == 0 {
				continue
			}
			path := o.at(t, x.values(o, tt.game))
			plain := tt.c.Do(t, o.method, path, raw(string(o.body)))
			if want < 0 && plain.Status != 403 && plain.Status != 409 || want > 0 && plain.Status != want {
				t.Errorf("%s, %s: %d %s, want %d", o, tt.who, plain.Status, plain.Body, want)
			}
			claimed, headers := x.claims(path)
			if a := tt.c.Do(t, o.method, claimed, raw(string(o.body)), headers...); a.Status != plain.Status || !bytes.Equal(a.Body, plain.Body) {
				t.Errorf("%s, %s, who says to be the host: %d %s, want %d %s", o, tt.who, a.Status, a.Body, plain.Status, plain.Body)
			}
			if o.body != nil {
				claim := with(t, string(o.body), "user_id", `"`+x.host.Tokens.User.ID+`"`)
				if a := tt.c.Do(t, o.method, path, raw(claim)); a.Status != http.StatusUnprocessableEntity {
					t.Errorf("%s, %s, with a user in the body: %d %s", o, tt.who, a.Status, a.Body)
				}
			}
			if want == 404 && tt.game == x.private {
				other := uuid.NewString()
				absent := tt.c.Do(t, o.method, strings.ReplaceAll(path, tt.game, other), raw(string(o.body)))
				if got := bytes.ReplaceAll(absent.Body, []byte(other), []byte(tt.game)); absent.Status != 404 || !bytes.Equal(got, plain.Body) || len(absent.Header) != len(plain.Header) {
					t.Errorf("%s: hidden is %s %v, absent is %s %v", o, plain.Body, plain.Header, got, absent.Header)
				}
			}
		}
	}
	x.unmoved(t)
}

// What concerns oneself concerns whoever the token says.
func TestOneselfIsWhoTheTokenSays(t *testing.T) {
	t.Parallel()
	x := lay(t)
	operations, _ := document(t)
	for _, o := range operations {
		if classes[o.String()] != forOneself || o.method != http.MethodGet {
			continue
		}
		path := o.at(t, x.values(o, x.private))
		plain := x.stranger.Do(t, o.method, path, nil)
		claimed, headers := x.claims(path)
		a := x.stranger.Do(t, o.method, claimed, nil, headers...)
		if one, two := syncToken.ReplaceAll(a.Body, nil), syncToken.ReplaceAll(plain.Body, nil); a.Status != http.StatusOK || a.Status != plain.Status || !bytes.Equal(one, two) {
			t.Errorf("%s: %d %s, want %d %s", o, a.Status, a.Body, plain.Status, plain.Body)
		}
	}
}

// What the document doesn't have the server hasn't: any other method on any of its paths is refused, for whoever asks.
func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	x := lay(t)
	operations, _ := document(t)
	has := map[string]bool{}
	for _, o := range operations {
		has[o.String()] = true
	}
	for _, o := range operations {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "REPORT", "LINK", "BREW"} {
			if has[method+" "+o.path] {
				continue
			}
			for _, c := range []*apitest.Client{x.host, x.stranger, apitest.New(x.url)} {
				a := c.Do(t, method, o.at(t, x.values(o, x.private)), nil, header("X-HTTP-Method-Override", o.method), header("X-Method-Override", o.method))
				if a.Status != http.StatusMethodNotAllowed || a.Code() != "method_not_allowed" || !strings.Contains(a.Header.Get("Allow"), o.method) {
					t.Errorf("%s %s: %d %s", method, o.path, a.Status, a.Body)
				}
			}
		}
		if a := x.host.Do(t, "OPTIONS", o.at(t, x.values(o, x.private)), nil); len(a.Body) != 0 {
			t.Errorf("OPTIONS %s: %s", o.path, a.Body)
		}
	}
	x.unmoved(t)
}

// unmoved checks that nothing has happened at the tables.
func (x *tables) unmoved(t *testing.T) {
	t.Helper()
	for id, version := range x.versions {
		if got := x.version(t, id); got != version {
			t.Errorf("a game moved from version %d to %d", version, got)
		}
	}
	var me map[string]json.RawMessage
	x.stranger.Must(t, http.StatusOK, "GET", "/v1/games?mine=true", nil, &me)
	if string(me["items"]) != "[]" {
		t.Errorf("the stranger sits in %s", me["items"])
	}
}

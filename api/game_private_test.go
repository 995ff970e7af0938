package api

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
)

// gameRoutes are all routes of one game with a request that is right in itself. PATH stands for the game's.
var gameRoutes = []struct{ method, path, body string }{
	{"GET", "", ""},
	{"HEAD", "", ""},
	{"GET", "?as_of=1", ""},
	{"PATCH", "", `{"name":"x"}`},
	{"DELETE", "", ""},
	{"POST", "/players", ""},
	{"POST", "/players", `{"invite_code":"x"}`},
	{"POST", "/players", `{"seat":5}`},
	{"DELETE", "/players/0", ""},
	{"PUT", "/client-seed", `{"client_seed":"x"}`},
	{"POST", "/start", ""},
	{"POST", "/invite-code", ""},
	{"POST", "/trump", `{"suit":"elves"}`},
	{"POST", "/bids", `{"tricks":0}`},
	{"POST", "/plays", `{"card":"E5"}`},
	{"GET", "/invitations", ""},
	{"POST", "/invitations", `{"username":"nobody"}`},
	{"DELETE", "/invitations/0190b2a4-0000-7000-8000-000000000001", ""},
	{"POST", "/rematch", ""},
	{"PUT", "/premove", `{"tricks":0}`},
	{"GET", "/premove", ""},
	{"DELETE", "/premove", ""},
	{"GET", "/events", ""},
	{"HEAD", "/events", ""},
	{"GET", "/events?after=1&limit=1", ""},
}

func raw(body string) any {
	if body == "" {
		return nil
	}
	return []byte(body)
}

// To strangers a private game answers as one that does not exist, byte for byte, on every route, at every time of its life.
func TestPrivateGamesAreUnknownToStrangers(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	stranger := u[3]
	l := open(t, u[0], map[string]any{"visibility": "private", "auto_start": false})
	check := func(when string) {
		t.Helper()
		id := strings.TrimPrefix(l.path, "/v1/games/")
		for _, route := range gameRoutes {
			ask := func(id string, headers ...apitest.Header) apitest.Answer {
				return stranger.Do(t, route.method, "/v1/games/"+id+route.path, raw(route.body), headers...)
			}
			for _, h := range [][]apitest.Header{nil, {header("If-Match", `"1"`)}, {header("If-None-Match", "*")}, {header("Accept", "application/x-ndjson")}} {
				other := uuid.NewString()
				got, want := ask(id, h...), ask(other, h...)
				want.Body = bytes.ReplaceAll(want.Body, []byte(other), []byte(id))
				if got.Status != http.StatusNotFound || !bytes.Equal(got.Body, want.Body) || len(got.Header) != len(want.Header) {
					t.Errorf("%s: %s %s %v: %d %s", when, route.method, route.path, h, got.Status, got.Body)
				}
			}
		}
	}
	code := l.view(u[0]).InviteCode
	check("lobby of one")
	for _, c := range u[1:3] {
		l.join(c, map[string]any{"invite_code": *code})
	}
	check("full lobby")
	u[0].Must(t, http.StatusOK, "POST", l.path+"/start", nil, nil)
	check("playing")
	stranger.Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/players", map[string]any{"invite_code": *code + "x"})
	stranger.Refused(t, http.StatusConflict, "not_in_lobby", "POST", l.path+"/players", map[string]any{"invite_code": *code})
	for _, path := range []string{"/v1/games", "/v1/games?status=playing", "/v1/games?mine=true", "/v1/games?my_turn=true"} {
		if a := stranger.Must(t, http.StatusOK, "GET", path, nil, nil); strings.Contains(string(a.Body), l.path[len("/v1/games/"):]) {
			t.Errorf("%s shows the private game to a stranger", path)
		}
	}
	if a := u[1].Must(t, http.StatusOK, "GET", "/v1/games?status=playing", nil, nil); strings.Contains(string(a.Body), l.path[len("/v1/games/"):]) {
		t.Error("a private game is in the public list of its player")
	}
}

// An invite code opens its game until somebody is removed; then there is a new one.
func TestInviteCodes(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	first := *l.view(u[0]).InviteCode
	if len(first) < 14 { // of 6 bits each
		t.Errorf("the code %q has fewer than 80 bits", first)
	}
	for _, body := range []any{nil, map[string]any{}, map[string]any{"invite_code": ""}, map[string]any{"invite_code": first[1:]}, map[string]any{"invite_code": strings.ToLower(first) + "A"}} {
		u[1].Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/players", body)
	}
	for _, bad := range []string{`{"invite_code":1}`, `{"invite_code":null}`} { // what is wrong in itself is told before
		u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", l.path+"/players", []byte(bad))
	}
	l.join(u[1], map[string]any{"invite_code": first})
	if got := l.view(u[1]).InviteCode; got == nil || *got != first {
		t.Errorf("the guest sees the code %v", got)
	}
	u[1].Refused(t, http.StatusConflict, "already_joined", "POST", l.path+"/players", nil) // who sits there needs no code
	u[1].Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil)
	l.join(u[1], map[string]any{"invite_code": first}) // leaving renews nothing
	u[0].Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil)
	u[1].Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/players", map[string]any{"invite_code": first})
	second := *l.view(u[0]).InviteCode
	if second == first {
		t.Fatal("the code was not renewed")
	}
	u[0].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/players/1", nil) // what fails renews nothing
	l.join(u[1], map[string]any{"invite_code": second})
	l.join(u[2], map[string]any{"invite_code": second})
	for _, c := range u {
		for _, path := range []string{"/events", ""} {
			a := c.Must(t, http.StatusOK, "GET", l.path+path, nil, nil)
			if seen := bytes.Contains(a.Body, []byte(second)); seen != (path == "") || bytes.Contains(a.Body, []byte(first)) {
				t.Errorf("%s%s: the code is shown: %v", c, path, seen)
			}
		}
	}
	public := open(t, u[0], nil)
	if public.view(u[0]).InviteCode != nil {
		t.Error("a public game has an invite code")
	}
	public.join(u[1], map[string]any{"invite_code": "of no use"})
}

// Who was a player once is a stranger again.
func TestLeaversOfPrivateGamesAreStrangers(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 2)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	l.join(u[1], map[string]any{"invite_code": *l.view(u[0]).InviteCode})
	a := u[1].Must(t, http.StatusOK, "DELETE", l.path+"/players/1", nil, nil)
	if bytes.Contains(a.Body, []byte(*l.view(u[0]).InviteCode)) {
		t.Errorf("the answer to leaving shows the code: %s", a.Body)
	}
	u[1].Refused(t, http.StatusNotFound, "not_found", "GET", l.path, nil)
	u[1].Refused(t, http.StatusNotFound, "not_found", "DELETE", l.path+"/players/1", nil)
	if a := u[1].Must(t, http.StatusOK, "GET", "/v1/games?mine=true", nil, nil); string(a.Body) != `{"items":[],"next_cursor":null}` {
		t.Errorf("%s", a.Body)
	}
}

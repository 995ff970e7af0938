package api

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mago/api/apitest"
	"mago/eventstore/testdb"
)

// byCode joins by invite code alone.
func byCode(t *testing.T, c *apitest.Client, code string, more ...string) apitest.Answer {
	t.Helper()
	body := `{"invite_code":"` + code + `"` + strings.Join(append([]string{""}, more...), ",") + `}`
	return c.Do(t, "POST", "/v1/join", []byte(body))
}

// A link needs nothing but the code: one call seats who follows it, and says where.
func TestJoiningByCode(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 5)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	id, code := strings.TrimPrefix(l.path, "/v1/games/"), *l.view(u[0]).InviteCode
	for _, wrong := range []string{"", code[1:], code + "x", strings.ToUpper(code), strings.Repeat("x", 3000), "' OR 1=1 --"} {
		if a := byCode(t, u[1], wrong); a.Status != http.StatusNotFound || a.Code() != "not_found" || bytes.Contains(a.Body, []byte(id)) {
			t.Errorf("%q: %d %s", wrong, a.Status, a.Body)
		}
	}
	for _, bad := range []string{`{}`, `{"invite_code":null}`, `{"invite_code":1}`, `{"invite_code":"x","seat":6}`, `{"invite_code":"x","client_seed":" "}`, `{"invite_code":"x","game_id":"x"}`} {
		u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", "/v1/join", []byte(bad))
	}
	u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", "/v1/join", map[string]any{"invite_code": "x"}, header("If-Match", "1"))
	u[1].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", "/v1/join", map[string]any{"invite_code": code, "seat": 3})

	a := byCode(t, u[1], code, `"seat":2`, `"client_seed":"mine"`)
	var g apitest.Game
	a.Decode(t, &g)
	if a.Status != http.StatusCreated || a.Header.Get("Location") != l.path || a.Header.Get("ETag") != etag(g.Version) || g.ID != id || g.You == nil || g.You.Seat != 2 {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	if events := u[1].Events(t, id); !strings.Contains(string(events[len(events)-1].Data), `"client_seed":"mine"`) {
		t.Errorf("%s", events[len(events)-1].Data)
	}
	refused := func(c *apitest.Client, want string, more ...string) {
		t.Helper()
		var p struct {
			GameID  string `json:"game_id"`
			Version int    `json:"version"`
		}
		a := byCode(t, c, code, more...)
		a.Decode(t, &p)
		if a.Status != http.StatusConflict || a.Code() != want || p.GameID != id || p.Version == 0 || a.Header.Get("Location") != "" {
			t.Errorf("want %s: %d %v %s", want, a.Status, a.Header, a.Body)
		}
	}
	refused(u[1], "already_joined") // whoever follows the link again learns where they sit
	refused(u[2], "seat_taken", `"seat":2`)
	if a := u[2].Do(t, "POST", "/v1/join", map[string]any{"invite_code": code}, header("Prefer", "return=minimal")); a.Status != http.StatusNoContent || a.Header.Get("Location") != l.path {
		t.Errorf("%d %v", a.Status, a.Header)
	}
	refused(u[3], "not_in_lobby")
	nobody := apitest.New(r.url)
	nobody.Refused(t, http.StatusUnauthorized, "unauthenticated", "POST", "/v1/join", map[string]any{"invite_code": code})
}

// The host of a private game renews its code as often as they like; each time the one before is useless at once, whichever server is asked.
func TestRenewingTheInviteCode(t *testing.T) {
	t.Parallel()
	database := testdb.New(t)
	r, other := startOn(t, database), startOn(t, database)
	u := registerAll(t, r, 4)
	l := open(t, u[0], map[string]any{"visibility": "private", "auto_start": false})
	first := l.view(u[0])
	l.join(u[1], map[string]any{"invite_code": first.InviteCode})

	var renewed apitest.Game
	a := u[0].Must(t, http.StatusOK, "POST", l.path+"/invite-code", nil, &renewed)
	if renewed.InviteCode == nil || *renewed.InviteCode == *first.InviteCode || len(*renewed.InviteCode) < 14 || a.Header.Get("ETag") != etag(renewed.Version) {
		t.Fatalf("%v %s", a.Header, a.Body)
	}
	for _, base := range []string{r.url, other.url} {
		guest := &apitest.Client{Base: base, HTTP: u[2].HTTP, Tokens: u[2].Tokens}
		guest.Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/join", map[string]any{"invite_code": first.InviteCode})
		guest.Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/players", map[string]any{"invite_code": first.InviteCode})
	}
	// Its players learn of it like of everything else: the version has moved on, and the event doesn't tell the code.
	if a := u[1].Must(t, http.StatusOK, "GET", l.path, nil, nil, header("If-None-Match", etag(renewed.Version-1))); !bytes.Contains(a.Body, []byte(*renewed.InviteCode)) {
		t.Errorf("%s", a.Body)
	}
	events := u[1].Events(t, renewed.ID)
	if e := events[len(events)-1]; e.Type != "invite_code_renewed" || string(e.Data) != `{"seat":0}` || e.Salt == nil {
		t.Errorf("%+v", e)
	}
	u[1].Refused(t, http.StatusForbidden, "forbidden", "POST", l.path+"/invite-code", nil)
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/invite-code", nil)
	u[0].Refused(t, http.StatusPreconditionFailed, "stale", "POST", l.path+"/invite-code", nil, header("If-Match", etag(first.Version)))
	u[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", l.path+"/invite-code", map[string]any{"code": "mine"})
	if got := l.view(u[0]); *got.InviteCode != *renewed.InviteCode || got.Version != renewed.Version {
		t.Error("what was refused has renewed the code")
	}
	if a := byCode(t, u[2], *renewed.InviteCode); a.Status != http.StatusCreated {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	u[0].Must(t, http.StatusOK, "POST", l.path+"/start", nil, nil)
	u[0].Refused(t, http.StatusConflict, "not_in_lobby", "POST", l.path+"/invite-code", nil)
	public := open(t, u[0], nil)
	u[0].Refused(t, http.StatusNotFound, "not_found", "POST", public.path+"/invite-code", nil)
}

// While the host renews the code on one server, guests join with what they have on another: nobody sits down with a code behind its renewal.
func TestRenewedCodesAreUselessInRaces(t *testing.T) {
	t.Parallel()
	database := testdb.New(t)
	r, other := startOn(t, database), startOn(t, database)
	u := registerAll(t, r, 4)
	l := open(t, u[0], map[string]any{"visibility": "private", "auto_start": false, "rules": map[string]any{"players": 6}})
	renewals := 15
	if soak() {
		renewals = 400
	}
	var mu sync.Mutex
	code := *l.view(u[0]).InviteCode
	ends := map[string]int{} // the version at which a code's time was over
	joined := map[int]string{}
	some := func() bool { // joined, on each side of a renewal
		mu.Lock()
		defer mu.Unlock()
		return len(joined) > 2
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	for i, c := range u[1:] {
		guest := &apitest.Client{Base: []string{r.url, other.url}[i%2], HTTP: c.HTTP, Tokens: c.Tokens}
		wg.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				mu.Lock()
				mine := code
				mu.Unlock()
				a := byCode(t, guest, mine, `"seat":`+strconv.Itoa(i+1))
				if a.Status == http.StatusNotFound {
					continue
				}
				if a.Status != http.StatusCreated {
					t.Errorf("%d %s", a.Status, a.Body)
					return
				}
				version, _ := strconv.Atoi(strings.Trim(a.Header.Get("ETag"), `"`))
				mu.Lock()
				joined[version] = mine
				mu.Unlock()
				guest.Must(t, http.StatusOK, "DELETE", l.path+"/players/"+strconv.Itoa(i+1), nil, nil)
			}
		})
	}
	for n := 0; n < renewals || !some(); n++ {
		var g apitest.Game
		u[0].Must(t, http.StatusOK, "POST", l.path+"/invite-code", nil, &g)
		mu.Lock()
		ends[code], code = g.Version, *g.InviteCode
		mu.Unlock()
	}
	close(over)
	wg.Wait()
	for version, with := range joined {
		if end, renewed := ends[with]; renewed && version > end {
			t.Errorf("somebody joined at version %d with a code that was renewed at version %d", version, end)
		}
	}
}

// Who joined and got no answer asks again and is told, though the host has renewed the code meanwhile.
func TestJoiningByCodeOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 3)
	l := open(t, u[0], map[string]any{"visibility": "private"})
	code, key := *l.view(u[0]).InviteCode, header("Idempotency-Key", "link-1")
	body := map[string]any{"invite_code": code}
	first := u[1].Must(t, http.StatusCreated, "POST", "/v1/join", body, nil, key)
	again := u[1].Must(t, http.StatusCreated, "POST", "/v1/join", body, nil, key)
	u[0].Must(t, http.StatusOK, "POST", l.path+"/invite-code", nil, nil, key)
	late := u[1].Must(t, http.StatusCreated, "POST", "/v1/join", body, nil, key)
	for _, a := range []apitest.Answer{again, late} {
		if a.Header.Get("Idempotency-Replayed") != "true" || a.Header.Get("ETag") != first.Header.Get("ETag") || a.Header.Get("Location") != l.path {
			t.Errorf("%v", a.Header)
		}
	}
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", "/v1/join", body, key) // another's key is none
	u[1].Refused(t, http.StatusUnprocessableEntity, "idempotency_key_reused", "POST", "/v1/join", map[string]any{"invite_code": "x"}, key)
	renewed := l.view(u[0])
	u[0].Must(t, http.StatusOK, "POST", l.path+"/invite-code", nil, nil, key)
	if now := l.view(u[0]); *now.InviteCode != *renewed.InviteCode || now.Version != renewed.Version {
		t.Error("a replay renews the code")
	}
	var p struct {
		GameID string `json:"game_id"`
	}
	for range 2 {
		u[1].Refused(t, http.StatusConflict, "already_joined", "POST", "/v1/join", map[string]any{"invite_code": renewed.InviteCode}, header("Idempotency-Key", "link-2")).Decode(t, &p)
		if p.GameID != renewed.ID {
			t.Errorf("%+v", p)
		}
	}
}

package api

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mago/api/apitest"
)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// startLimited runs a server with the default limits, or those that change makes of them, under a clock that stands still.
func startLimited(tb testing.TB, change ...func(*Limits)) (*running, *clock) {
	tb.Helper()
	c, limits := &clock{t: time.Now()}, DefaultLimits()
	for _, f := range change {
		f(limits)
	}
	return start(tb, func(cfg *Config) { cfg.Limits, cfg.Now = limits, c.now }), c
}

// from makes a request that comes from an address.
func (r *running) from(t *testing.T, address, method, path, token, body string, headers ...string) answer {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	req.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(address), 1234).String()
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	res := w.Result()
	res.Request = req
	return answer{res, w.Body.Bytes()}
}

// wantLimited checks a refusal for now, which ends after as many seconds and names a policy.
func wantLimited(t *testing.T, a answer, policy string, after int) {
	t.Helper()
	wantProblem(t, a, CodeRateLimited)
	limit := fmt.Sprintf("%q;r=0;t=%d", policy, after)
	if a.Header.Get("Retry-After") != strconv.Itoa(after) || a.Header.Get("RateLimit") != limit || !strings.HasPrefix(a.Header.Get("RateLimit-Policy"), strconv.Quote(policy)+";q=") {
		t.Errorf("%v, want %s", a.Header, limit)
	}
}

func TestLimitsByUser(t *testing.T) {
	t.Parallel()
	r, c := startLimited(t, func(l *Limits) { l.Read, l.Write = Rate{4, 40 * time.Second}, Rate{2, time.Minute} })
	token, other := r.signUp(t, "uxia").text(t, "access_token"), r.signUp(t, "noa").text(t, "access_token")
	for i, want := range []string{"", "", `"read";r=1;t=30`, `"read";r=0;t=40`} {
		if a := r.call(t, "GET", "/v1/me", token, ""); a.StatusCode != http.StatusOK || a.Header.Get("RateLimit") != want {
			t.Errorf("%d: %d %s", i, a.StatusCode, a.Header.Get("RateLimit"))
		}
	}
	wantLimited(t, r.call(t, "GET", "/v1/me", token, ""), "read", 10)
	wantLimited(t, r.call(t, "GET", "/v1/games?limit=x", token, ""), "read", 10) // before what is wrong with the request
	wantProblem(t, r.call(t, "GET", "/v1/me", "x", ""), CodeUnauthenticated)     // behind who it is
	wantProblem(t, r.call(t, "GET", "/v1/me", "", ""), CodeUnauthenticated)
	if a := r.call(t, "HEAD", "/v1/me", token, ""); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("HEAD: %d", a.StatusCode)
	}
	for range 2 {
		if a := r.call(t, "PATCH", "/v1/me", token, `{}`); a.StatusCode != http.StatusOK {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
	wantLimited(t, r.call(t, "PATCH", "/v1/me", token, `{`), "write", 30)
	wantLimited(t, r.call(t, "POST", "/v1/games/x/bids", token, `{`), "write", 30)
	if a := r.call(t, "GET", "/v1/me", other, ""); a.StatusCode != http.StatusOK {
		t.Errorf("another user: %d %s", a.StatusCode, a.body)
	}
	c.pass(10 * time.Second)
	if a := r.call(t, "GET", "/v1/me", token, ""); a.StatusCode != http.StatusOK {
		t.Errorf("after the wait: %d %s", a.StatusCode, a.body)
	}
	wantLimited(t, r.call(t, "GET", "/v1/me", token, ""), "read", 10)
}

func TestLimitsByAddress(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t, func(l *Limits) { l.Address = Rate{2, 20 * time.Second} })
	token := r.signUp(t, "uxia").text(t, "access_token")
	for _, a := range []struct {
		address string
		want    int
	}{
		{"192.0.2.1", 200},
		{"192.0.2.1", 200},
		{"192.0.2.1", 429},
		{"192.0.2.2", 200},
		{"::ffff:192.0.2.2", 200},
		{"::ffff:192.0.2.2", 429},
		{"2001:db8::1", 200},
		{"2001:db8::2", 200},
		{"2001:db8::3:4:5:6", 429},
		{"2001:db8:0:1::1", 200},
	} {
		if got := r.from(t, a.address, "GET", "/v1/me", token, ""); got.StatusCode != a.want {
			t.Errorf("%s: %d, want %d", a.address, got.StatusCode, a.want)
		}
	}
	wantLimited(t, r.from(t, "192.0.2.1", "GET", "/v1/me", token, ""), "address", 10)
	for range 3 { // not what has no token
		if a := r.from(t, "192.0.2.1", "GET", "/healthz", "", ""); a.StatusCode != http.StatusOK {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
}

// Calls without a token, and those that guess, are counted by address before their body is looked at.
func TestTighterLimits(t *testing.T) {
	t.Parallel()
	few := Rate{3, 30 * time.Second}
	r, c := startLimited(t, func(l *Limits) { l.Register, l.Login, l.Refresh, l.Password = few, few, few, few })
	token := r.from(t, "192.0.2.9", "POST", "/v1/auth/register", "", `{"username":"uxia","password":"`+fine+`"}`).text(t, "access_token")
	for _, tt := range []struct{ policy, method, path, token string }{
		{"register", "POST", "/v1/auth/register", ""},
		{"login", "POST", "/v1/auth/login", ""},
		{"refresh", "POST", "/v1/auth/refresh", ""},
		{"password", "POST", "/v1/me/password", token},
		{"password", "DELETE", "/v1/me", token},
	} {
		for range 3 {
			wantProblem(t, r.from(t, "192.0.2.1", tt.method, tt.path, tt.token, `{`), CodeMalformedJSON)
		}
		wantLimited(t, r.from(t, "192.0.2.1", tt.method, tt.path, tt.token, `{`), tt.policy, 10)
		c.pass(time.Minute)
	}
}

// Failed logins from one address meet the limit, whatever it says about where it is.
func TestFailedLoginsMeetTheLimit(t *testing.T) {
	t.Parallel()
	r, c := startLimited(t)
	r.signUp(t, "uxia")
	got := map[int]int{}
	for i := range 120 {
		ip := fmt.Sprintf("203.0.113.%d", i)
		body := fmt.Sprintf(`{"username":"uxia%d","password":"not the password"}`, i)
		got[r.call(t, "POST", "/v1/auth/login", "", body, "X-Forwarded-For", ip, "X-Real-Ip", ip, "Forwarded", "for="+ip, "True-Client-Ip", ip, "Cf-Connecting-Ip", ip).StatusCode]++
	}
	if got[401] != 40 || got[429] != 80 {
		t.Errorf("got %v", got)
	}
	wantLimited(t, r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","password":"`+fine+`"}`), "login", 8)
	if a := r.from(t, "192.0.2.1", "POST", "/v1/auth/login", "", `{"username":"uxia","password":"`+fine+`"}`); a.StatusCode != http.StatusOK {
		t.Errorf("from elsewhere: %d %s", a.StatusCode, a.body)
	}
	c.pass(8 * time.Second)
	if a := r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","password":"`+fine+`"}`); a.StatusCode != http.StatusOK {
		t.Errorf("after the wait: %d %s", a.StatusCode, a.body)
	}
}

// Guesses at one username from everywhere are slowed, as those at a name that nobody has; the user gets in where they were before.
func TestGuessesAtOneUsername(t *testing.T) {
	t.Parallel()
	r, c := startLimited(t)
	r.from(t, "192.0.2.1", "POST", "/v1/auth/register", "", `{"username":"uxia","password":"`+fine+`"}`)
	login := func(address, username, password string) answer {
		return r.from(t, address, "POST", "/v1/auth/login", "", `{"username":"`+username+`","password":"`+password+`"}`)
	}
	for range 30 { // right ones cost the name nothing
		if a := login("192.0.2.2", "uxia", fine); a.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	for _, name := range []string{"uxia", "nobody"} {
		for i := range 20 {
			written := []string{name, strings.ToUpper(name)}[i%2]
			wantProblem(t, login(fmt.Sprintf("198.51.100.%d", i), written, "not the password"), CodeBadCredentials)
		}
		wantLimited(t, login("198.51.100.200", name, "not the password"), "wrong-password", 15)
		wantLimited(t, login("198.51.100.201", name, fine), "wrong-password", 15)
	}
	for _, usual := range []string{"192.0.2.1", "192.0.2.2"} {
		if a := login(usual, "uxia", fine); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", usual, a.StatusCode, a.body)
		}
	}
	c.pass(15 * time.Second)
	if a := login("198.51.100.202", "uxia", fine); a.StatusCode != http.StatusOK {
		t.Errorf("after the wait: %d %s", a.StatusCode, a.body)
	}
}

// Many at once don't get more guesses than one after the other.
func TestGuessesAtOnce(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[int]int{}
	for i := range 60 {
		wg.Go(func() {
			a := r.from(t, fmt.Sprintf("198.51.100.%d", i), "POST", "/v1/auth/login", "", `{"username":"uxia","password":"not the password"}`)
			mu.Lock()
			defer mu.Unlock()
			got[a.StatusCode]++
		})
	}
	wg.Wait()
	if got[401] != 20 || got[429] != 40 {
		t.Errorf("got %v", got)
	}
}

// Whoever guesses at invite codes finds nothing, and soon may not even ask; whoever has the code is not counted.
func TestGuessingInviteCodes(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t)
	guesses := 500
	if soak() {
		guesses = 10_000
	}
	u := registerAll(t, r, 4)
	l := open(t, u[0], map[string]any{"visibility": "private", "rules": map[string]any{"players": 4}})
	code := *l.view(u[0]).InviteCode
	got := map[string]int{}
	for i := range guesses {
		guess := newInviteCode()
		if i%3 == 0 {
			guess = code[:len(code)-1] + string("AQgw"[i/3%3]) + map[bool]string{true: "x"}[i%2 == 0] // near, but longer or the wrong end
		}
		if guess == code {
			guess += "="
		}
		a := u[1].Do(t, "POST", l.path+"/players", map[string]any{"invite_code": guess})
		got[a.Code()]++
	}
	if got["not_found"] != 20 || got["rate_limited"] != guesses-20 || len(got) != 2 {
		t.Errorf("got %v", got)
	}
	for _, c := range u[2:] { // from the same address
		l.join(c, map[string]any{"invite_code": code})
		for range 30 {
			c.Refused(t, http.StatusConflict, "already_joined", "POST", l.path+"/players", map[string]any{"invite_code": code})
		}
	}
}

// From one address, many users have fewer guesses than each alone.
func TestGuessingInviteCodesTogether(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t, func(l *Limits) { l.WrongInvites = Rate{30, time.Minute} })
	u := registerAll(t, r, 4)
	l := open(t, u[0], map[string]any{"visibility": "private", "rules": map[string]any{"players": 4}})
	got := map[string]int{}
	for i := range 60 {
		got[u[1+i%3].Do(t, "POST", l.path+"/players", map[string]any{"invite_code": newInviteCode()}).Code()]++
	}
	if got["not_found"] != 30 || got["rate_limited"] != 30 {
		t.Errorf("got %v", got)
	}
}

// Without limits, 10,000 guesses find nothing either: it is the code that keeps them out.
func TestInviteCodesAreNotFound(t *testing.T) {
	t.Parallel()
	r := start(t)
	guesses := 500
	if soak() {
		guesses = 10_000
	}
	u := registerAll(t, r, 2)
	l := open(t, u[0], map[string]any{"visibility": "private", "rules": map[string]any{"players": 3}})
	for range guesses {
		u[1].Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/players", map[string]any{"invite_code": newInviteCode()})
	}
}

// A person, or an app at its fastest, doesn't meet the limits: three players from one address play the longest game within a moment.
func TestPlayIsNotLimited(t *testing.T) {
	t.Parallel()
	r, _ := startLimited(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	rng := rand.New(rand.NewPCG(3, 3))
	for table.Step(t, rng) {
	}
}

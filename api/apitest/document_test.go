package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const event = `{"game_id":"0198a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","version":9,"type":"bid_placed","at":"2026-01-02T03:04:05.678Z",` +
	`"data":{"auto":null,"round":1,"seat":0,"tricks":1},"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","salt":null}`

// answers are as the document describes them. Each is told by what it answers.
var answers = map[string]struct {
	method, path string
	status       int
	kind, body   string
	headers      []string
}{
	"health": {method: "GET", path: "/healthz", status: 200, kind: "application/json", body: `{"status":"ok"}`},
	"head":   {method: "HEAD", path: "/healthz", status: 200, kind: "application/json"},
	"user": {
		method: "GET", path: "/v1/users/1", status: 200, kind: "application/json",
		body: `{"id":"0198a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","username":"uxia","display_name":"Uxía"}`,
	},
	"events":   {method: "GET", path: "/v1/games/1/events?after=8", status: 200, kind: "application/json", body: `{"items":[` + event + `],"next_after":null}`},
	"lines":    {method: "GET", path: "/v1/games/1/events", status: 200, kind: "application/x-ndjson", body: event + "\n" + event + "\n"},
	"stream":   {method: "GET", path: "/v1/games/1/events", status: 200, kind: "text/event-stream", body: ":\n\nid: 9\nevent: bid_placed\ndata: " + event + "\n\n"},
	"minimal":  {method: "POST", path: "/v1/games/1/bids", status: 204},
	"unknown":  {method: "GET", path: "/nowhere", status: 404, kind: problem, body: refusal("not_found", 404)},
	"other":    {method: "PUT", path: "/v1/me", status: 405, kind: problem, body: refusal("method_not_allowed", 405)},
	"conflict": {method: "POST", path: "/v1/games/1/bids", status: 409, kind: problem, body: refusal("not_your_turn", 409)},
	"later": {
		method: "GET", path: "/v1/me", status: 503, kind: problem, body: refusal("unavailable", 503), headers: []string{"Retry-After", "1"},
	},
}

const problem = "application/problem+json"

func refusal(code string, status int) string {
	body, _ := json.Marshal(map[string]any{"type": "/docs/problems#" + code, "title": "No", "status": status, "code": code, "instance": "/"})
	return string(body)
}

func answer(name string) (method, path string, a Answer) {
	w := answers[name]
	a = Answer{Status: w.status, Header: http.Header{}, Body: []byte(w.body)}
	if w.kind != "" {
		a.Header.Set("Content-Type", w.kind)
	}
	for i := 0; i < len(w.headers); i += 2 {
		a.Header.Set(w.headers[i], w.headers[i+1])
	}
	return w.method, w.path, a
}

func TestUndescribed_LetsPassWhatIsDescribed(t *testing.T) {
	t.Parallel()
	for name := range answers {
		method, path, a := answer(name)
		if err := Undescribed(method, path, a); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUndescribed_FindsWhatIsNot(t *testing.T) {
	t.Parallel()
	replace := func(from, to string) func(*Answer) {
		return func(a *Answer) {
			changed := strings.ReplaceAll(string(a.Body), from, to)
			if changed == string(a.Body) {
				t.Errorf("no %s in %s", from, a.Body)
			}
			a.Body = []byte(changed)
		}
	}
	for what, tt := range map[string]struct {
		of     string
		change func(*Answer)
	}{
		"a wrong type":                       {"user", replace(`"uxia"`, `7`)},
		"a member that is missing":           {"user", replace(`"username":"uxia",`, ``)},
		"a member that is not described":     {"user", replace(`"username"`, `"age":7,"username"`)},
		"an id of another kind":              {"user", replace(`-7e5f-`, `-4e5f-`)},
		"null where it is never":             {"user", replace(`"uxia"`, `null`)},
		"no JSON":                            {"user", replace(`}`, ``)},
		"another media type":                 {"user", func(a *Answer) { a.Header.Set("Content-Type", "text/html") }},
		"another status":                     {"user", func(a *Answer) { a.Status = http.StatusTeapot }},
		"an address nobody knows":            {"unknown", func(a *Answer) { a.Status = http.StatusOK }},
		"a time without three decimals":      {"events", replace(`.678Z`, `Z`)},
		"another type's data":                {"events", replace(`bid_placed`, `card_played`)},
		"a type nobody knows":                {"events", replace(`bid_placed`, `bid_lost`)},
		"a member of data that is not known": {"events", replace(`"auto"`, `"aura":1,"auto"`)},
		"a number out of range":              {"events", replace(`"tricks":1`, `"tricks":21`)},
		"a line that is no event":            {"lines", replace(`"seat":0`, `"seat":"0"`)},
		"a message that is no event":         {"stream", replace(`"seat":0`, `"seat":"0"`)},
		"a body where there is none":         {"minimal", func(a *Answer) { a.Body = []byte(`{}`) }},
		"a body of HEAD":                     {"head", func(a *Answer) { a.Body = []byte(`{}`) }},
		"a problem that is none":             {"unknown", replace(`"title"`, `"text"`)},
		"a problem as plain JSON":            {"unknown", func(a *Answer) { a.Header.Set("Content-Type", "application/json") }},
		"a problem of another status":        {"conflict", replace(`:409`, `:412`)},
		"a code of other calls":              {"conflict", replace(`not_your_turn`, `username_taken`)},
		"a code that there is not":           {"conflict", replace(`not_your_turn`, `not_your_day`)},
		"no time to come back":               {"later", func(a *Answer) { a.Header.Del("Retry-After") }},
	} {
		method, path, a := answer(tt.of)
		tt.change(&a)
		if Undescribed(method, path, a) == nil {
			t.Errorf("%s passes", what)
		}
	}
}

// failing is a test that notes that it failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Errorf(string, ...any) { f.failed = true }

func TestClientFailsTheTest(t *testing.T) {
	t.Parallel()
	for body, fails := range map[string]bool{`{"status":"ok"}`: false, `{"status":"ok","mood":"good"}`: true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		}))
		f := &failing{TB: t}
		New(server.URL).Do(f, http.MethodGet, "/healthz", nil)
		server.Close()
		if f.failed != fails {
			t.Errorf("%s: failed is %v", body, f.failed)
		}
	}
}

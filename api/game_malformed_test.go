package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mago/api/apitest"
)

// badValues are wrong values of one member, by what the member is; all of them make the request invalid.
var badValues = map[string][]string{
	"number": {`-1`, `21`, `1.5`, `1.0`, `1e0`, `1e400`, `-0.5`, `"1"`, `""`, `null`, `true`, `[1]`, `[]`, `{}`, `99999999999999999999`, `-99999999999999999999`},
	"text":   {`1`, `1.5`, `1e400`, `null`, `false`, `["x"]`, `{}`, `"a\u0000"`, `"\u0007"`, `"a\nb"`, "\"\x7f\""},
	"bool":   {`0`, `1`, `"true"`, `""`, `null`, `[]`, `{}`},
	"object": {`0`, `""`, `"x"`, `null`, `[]`, `[{}]`, `true`},
}

// bodyRoutes are the calls of games that take a body: one that is right in itself, with the kinds of its members. GAME is the game's address.
var bodyRoutes = []struct {
	method, path, body string
	members            map[string]string
}{
	{"POST", "/v1/games", `{"name":"x","rules":{"players":3},"visibility":"public","auto_start":true,"clock":{"kind":"none"}}`, map[string]string{
		"name": "text", "rules": "object", "visibility": "text", "auto_start": "bool", "clock": "object",
	}},
	{"PATCH", "GAME", `{"name":"x"}`, map[string]string{"name": "text"}},
	{"POST", "GAME/players", `{"seat":1,"invite_code":"x","client_seed":"x"}`, map[string]string{"seat": "number", "invite_code": "text", "client_seed": "text"}},
	{"PUT", "GAME/client-seed", `{"client_seed":"x"}`, map[string]string{"client_seed": "text"}},
	{"POST", "GAME/trump", `{"suit":"elves","round":1}`, map[string]string{"suit": "text", "round": "number"}},
	{"POST", "GAME/bids", `{"tricks":1,"round":1}`, map[string]string{"tricks": "number", "round": "number"}},
	{"POST", "GAME/plays", `{"card":"E5","round":1,"trick":1}`, map[string]string{"card": "text", "round": "number", "trick": "number"}},
}

// with returns a JSON object with one member replaced.
func with(t *testing.T, object, member, value string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		t.Fatal(err)
	}
	delete(m, member)
	rest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(fmt.Sprintf(`{%q:%s,%s`, member, value, rest[1:]), ",}") + map[bool]string{true: "}"}[len(m) == 0]
}

// besieged is a game in its bidding at which bad requests are thrown, by a player on turn.
type besieged struct {
	*running
	table   *apitest.Table
	c       *apitest.Client
	version int
}

func besiege(t testing.TB, r *running) besieged {
	t.Helper()
	table := startedBidding(t, r, apitest.Rules{Players: 3, Bidding: "hidden", Length: "five"})
	return besieged{r, table, table.Players[0], table.View(t, 0).Version}
}

func (b besieged) path(p string) string { return strings.Replace(p, "GAME", b.table.Path(""), 1) }

// refused checks for one request that it is answered by a whole problem document of a code.
func (b besieged) refused(t *testing.T, code Code, method, path string, body []byte, headers ...apitest.Header) {
	t.Helper()
	a := b.c.Do(t, method, b.path(path), any(body), headers...)
	var p Problem
	k := kindOf(code)
	if err := json.Unmarshal(a.Body, &p); err != nil || a.Status != k.Status || p.Code != code || p.Status != k.Status || a.Header.Get("Content-Type") != mimeProblem {
		t.Errorf("%s %s %.80q: %d %s, want %s", method, path, body, a.Status, a.Body, code)
	}
	if (code == CodeInvalid) != (len(p.Errors) > 0) {
		t.Errorf("%s %s %.80q: errors %v", method, path, body, p.Errors)
	}
	if len(a.Body) > 10_000 {
		t.Errorf("%s %s %.80q: an answer of %d bytes", method, path, body, len(a.Body))
	}
}

// unmoved checks that nothing has happened in the game.
func (b besieged) unmoved(t *testing.T) {
	t.Helper()
	if got := b.table.View(t, 0).Version; got != b.version {
		t.Errorf("the game moved from version %d to %d", b.version, got)
	}
}

func TestMalformedGameBodies(t *testing.T) {
	t.Parallel()
	b := besiege(t, start(t))
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write([]byte(`{"tricks":1}`))
	_ = zip.Close()
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	for _, route := range bodyRoutes {
		body := route.body
		for _, tt := range []struct {
			code Code
			body string
		}{
			{CodeMalformedJSON, " "},
			{CodeMalformedJSON, body[:len(body)-1]},
			{CodeMalformedJSON, body + body},
			{CodeMalformedJSON, body + "x"},
			{CodeMalformedJSON, body + "\x00"},
			{CodeMalformedJSON, `{"seat":1,"seat":1}`},
			{CodeMalformedJSON, "{\"name\":\"\xff\"}"},
			{CodeMalformedJSON, strings.Repeat("[", 60_000)},
			{CodeMalformedJSON, packed.String()},
			{CodeMalformedJSON, "{\x00}"},
			{CodeMalformedJSON, "\xef\xbb\xbf" + body},
			{CodeMalformedJSON, `{'name':'x'}`},
			{CodeMalformedJSON, `{"tricks":NaN}`},
			{CodeMalformedJSON, `{"tricks":0x1}`},
			{CodeMalformedJSON, `{"tricks":01}`},
			{CodeInvalid, "null"},
			{CodeInvalid, "[" + body + "]"},
			{CodeInvalid, "[]"},
			{CodeInvalid, `"x"`},
			{CodeInvalid, "1"},
			{CodeInvalid, deep},
			{CodeInvalid, with(t, body, "admin", "true")},
			{CodeInvalid, with(t, body, "__proto__", "{}")},
			{CodeInvalid, strings.ToUpper(body[:4]) + body[4:]},
			{CodeBodyTooLarge, with(t, body, "name", `"`+strings.Repeat("x", 65<<10)+`"`)},
			{CodeBodyTooLarge, body + strings.Repeat(" ", maxBody)},
		} {
			b.refused(t, tt.code, route.method, route.path, []byte(tt.body))
		}
		if route.path != "GAME/players" { // which may come without
			b.refused(t, CodeMalformedJSON, route.method, route.path, []byte{})
			b.refused(t, CodeMalformedJSON, route.method, route.path, nil)
		}
		for member, kind := range route.members {
			for _, value := range badValues[kind] {
				b.refused(t, CodeInvalid, route.method, route.path, []byte(with(t, body, member, value)))
			}
		}
		for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin1", "multipart/form-data"} {
			b.refused(t, CodeUnsupportedMediaType, route.method, route.path, []byte(body), header("Content-Type", contentType))
		}
		b.refused(t, CodeUnsupportedMediaType, route.method, route.path, packed.Bytes(), header("Content-Encoding", "gzip"))
	}
	b.unmoved(t)
}

// What a value may be is narrower than its type.
func TestGameValuesOutOfRange(t *testing.T) {
	t.Parallel()
	b := besiege(t, start(t))
	for _, tt := range []struct{ method, path, body string }{
		{"POST", "/v1/games", `{}`},
		{"POST", "/v1/games", `{"rules":{}}`},
		{"POST", "/v1/games", `{"rules":{"players":2}}`},
		{"POST", "/v1/games", `{"rules":{"players":7}}`},
		{"POST", "/v1/games", `{"rules":{"players":-3}}`},
		{"POST", "/v1/games", `{"rules":{"players":"3"}}`},
		{"POST", "/v1/games", `{"rules":{"players":3.0}}`},
		{"POST", "/v1/games", `{"rules":{"players":null}}`},
		{"POST", "/v1/games", `{"rules":{"players":3,"bidding":"Open"}}`},
		{"POST", "/v1/games", `{"rules":{"players":3,"bidding":""}}`},
		{"POST", "/v1/games", `{"rules":{"players":3,"length":"short"}}`},
		{"POST", "/v1/games", `{"rules":{"players":3,"foresight":1}}`},
		{"POST", "/v1/games", `{"rules":{"players":3,"rounds":5}}`},
		{"POST", "/v1/games", `{"rules":{"players":3,"foresight_effective":true}}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"visibility":"hidden"}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"clock":{"kind":"blitz"}}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"clock":{"kind":"none","seconds":1}}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"name":""}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"name":" x"}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"name":"` + strings.Repeat("ñ", 61) + `"}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"seeds":["x"]}`},
		{"POST", "/v1/games", `{"rules":{"players":3},"status":"playing"}`},
		{"POST", "GAME/trump", `{"suit":"none"}`},
		{"POST", "GAME/trump", `{"suit":"Elves"}`},
		{"POST", "GAME/trump", `{"suit":""}`},
		{"POST", "GAME/trump", `{"suit":"elves","round":0}`},
		{"POST", "GAME/trump", `{"suit":"elves","round":21}`},
		{"POST", "GAME/trump", `{"suit":"elves","seat":0}`},
		{"POST", "GAME/trump", `{"suit":"jesters"}`},
		{"POST", "GAME/bids", `{}`},
		{"POST", "GAME/bids", `{"tricks":-1}`},
		{"POST", "GAME/bids", `{"tricks":21}`},
		{"POST", "GAME/bids", `{"tricks":0,"seat":1}`},
		{"POST", "GAME/bids", `{"tricks":0,"auto":"bot"}`},
		{"POST", "GAME/bids", `{"tricks":0,"round":0}`},
		{"POST", "GAME/plays", `{"card":"D0"}`},
		{"POST", "GAME/plays", `{"card":"D14"}`},
		{"POST", "GAME/plays", `{"card":"d1"}`},
		{"POST", "GAME/plays", `{"card":"D01"}`},
		{"POST", "GAME/plays", `{"card":"W5"}`},
		{"POST", "GAME/plays", `{"card":"W0"}`},
		{"POST", "GAME/plays", `{"card":"J"}`},
		{"POST", "GAME/plays", `{"card":""}`},
		{"POST", "GAME/plays", `{"card":"?"}`},
		{"POST", "GAME/plays", `{"card":"???"}`},
		{"POST", "GAME/plays", `{"card":" E5"}`},
		{"POST", "GAME/plays", `{"card":"E5","trick":0}`},
		{"POST", "GAME/plays", `{"card":"E5","trick":21}`},
		{"POST", "GAME/plays", `{"card":"E5","seat":1}`},
		{"POST", "GAME/plays", `{"card":"Ｅ5"}`},
		{"POST", "GAME/players", `{"seat":6}`},
		{"POST", "GAME/players", `{"seat":-1}`},
		{"POST", "GAME/players", `{"user_id":"x"}`},
		{"POST", "GAME/start", `{"x":1}`},
		{"DELETE", "GAME", `{"x":1}`},
		{"DELETE", "GAME/players/1", `{"x":1}`},
		{"POST", "GAME/start", `null`},
		{"DELETE", "GAME", `[]`},
	} {
		b.refused(t, CodeInvalid, tt.method, tt.path, []byte(tt.body))
	}
	for _, tt := range []struct{ method, path string }{{"POST", "GAME/start"}, {"DELETE", "GAME"}, {"DELETE", "GAME/players/1"}} {
		b.refused(t, CodeMalformedJSON, tt.method, tt.path, []byte(`{`))
		b.refused(t, CodeBodyTooLarge, tt.method, tt.path, bytes.Repeat([]byte(" "), maxBody+1))
		b.refused(t, CodeUnsupportedMediaType, tt.method, tt.path, []byte(`{}`), header("Content-Type", "text/plain"))
	}
	b.unmoved(t)
}

func TestMalformedGameAddresses(t *testing.T) {
	t.Parallel()
	b := besiege(t, start(t))
	id := b.table.ID
	for _, bad := range []string{
		"x", "0", "-1", "%00", "%20", "..%2f..", "null", "undefined", id[:35], id + "0", "urn:uuid:" + id, "%7B" + id + "%7D", strings.ReplaceAll(id, "-", ""),
		strings.Repeat("a", 4000), "%F0%9F%A7%99", "%ff", "' OR 1=1 --", "00000000-0000-0000-0000-000000000000",
	} {
		bad = strings.ReplaceAll(bad, " ", "%20")
		for _, route := range gameRoutes {
			if a := b.c.Do(t, route.method, "/v1/games/"+bad+route.path, raw(route.body)); a.Status != http.StatusNotFound {
				t.Errorf("%s %.50s%s: %d %s", route.method, bad, route.path, a.Status, a.Body)
			}
		}
	}
	if upper := strings.ToUpper(id); b.c.Do(t, "GET", "/v1/games/"+upper, nil).Status != http.StatusOK {
		t.Error("an id in upper case is not known")
	}
	for _, query := range []string{
		"?limit=0", "?limit=101", "?limit=-1", "?limit=x", "?limit=", "?limit=1&limit=2", "?limit=1.0", "?limit=%00", "?limit=99999999999999999999",
		"?status=open", "?status=", "?status=Lobby", "?status=lobby&status=lobby", "?mine=1", "?mine=TRUE", "?mine=", "?my_turn=yes",
		"?cursor=", "?cursor=x", "?cursor=%00", "?cursor=1-x", "?cursor=-1", "?mine=true&cursor=x", "?mine=true&cursor=1-", "?mine=true&cursor=" + id, "?%zz", "?a;b",
		"?mine=true&cursor=x-" + id, "?cursor=1-" + id, "?cursor=" + strings.Repeat("a", 3000), "?mine=true&cursor=99999999999999999999-" + id,
	} {
		b.refused(t, CodeInvalid, "GET", "/v1/games"+query, nil)
	}
	for _, query := range []string{
		"?after=-1", "?after=x", "?after=", "?after=1.0", "?after=99999999999999999999", "?after=1&after=1", "?limit=0", "?limit=1001", "?limit=x", "?limit=-5", "?after=%00", "?%",
	} {
		b.refused(t, CodeInvalid, "GET", "GAME/events"+query, nil)
	}
	for _, accept := range []string{"text/html", "image/*", "application/xml", "application/json;q=0", "nonsense"} {
		b.refused(t, CodeNotAcceptable, "GET", "GAME/events", nil, header("Accept", accept))
	}
	for _, route := range []struct{ method, path string }{
		{"PUT", "GAME"}, {"POST", "GAME"}, {"GET", "GAME/bids"}, {"DELETE", "GAME/events"}, {"GET", "GAME/players"}, {"PATCH", "GAME/client-seed"}, {"BREW", "GAME"}, {"PUT", "/v1/games"},
	} {
		b.refused(t, CodeMethodNotAllowed, route.method, route.path, nil)
	}
	for _, path := range []string{"GAME/", "GAME/nothing", "/v1/games/", "GAME//bids"} {
		b.refused(t, CodeNotFound, "GET", path, nil)
	}
	b.refused(t, CodeNotFound, "DELETE", "GAME/players/0/x", nil)
	for _, value := range []string{"57", `"57`, `57"`, `"1","2"`, "W/57", `w/"57"`, strings.Repeat(`"`, 3001), `"*"`, "* *"} {
		b.refused(t, CodeInvalid, "POST", "GAME/bids", []byte(`{"tricks":0}`), header("If-Match", value))
	}
	b.unmoved(t)
}

// Whatever bytes come as a body, on any call that changes a game: the answer is no server error, and a refusal is a whole problem document.
func FuzzBodies(f *testing.F) {
	b := besiege(f, start(f))
	for i, route := range bodyRoutes {
		f.Add(uint8(i), []byte(route.body))
		f.Add(uint8(i), []byte(route.body[:len(route.body)-1]))
		for _, values := range badValues {
			for j, value := range values {
				if j%5 == i%5 {
					f.Add(uint8(i), fmt.Appendf(nil, `{"tricks":%s}`, value))
				}
			}
		}
	}
	for _, body := range []string{"", "null", "[[[", `{"a":{"a":{"a":{"a":null}}}}`, "\xff\xfe{\x00}\x00", `{"card":"??"}`, `{"rules":{"players":6}}`, `{"\u0000":1}`, `{"client_seed":"\ud83e\uddd9"}`} {
		f.Add(uint8(3), []byte(body))
	}
	f.Fuzz(func(t *testing.T, n uint8, body []byte) {
		route := bodyRoutes[int(n)%len(bodyRoutes)]
		a := b.c.Do(t, route.method, b.path(route.path), body)
		if a.Status >= http.StatusInternalServerError {
			t.Fatalf("%s %s %q: %d %s", route.method, route.path, body, a.Status, a.Body)
		}
		if a.Status < http.StatusBadRequest {
			return
		}
		var p Problem
		if err := json.Unmarshal(a.Body, &p); err != nil || p.Status != a.Status || kindOf(p.Code).Status != a.Status || a.Header.Get("Content-Type") != mimeProblem {
			t.Fatalf("%s %s %q: %d %s is no problem document", route.method, route.path, body, a.Status, a.Body)
		}
	})
}

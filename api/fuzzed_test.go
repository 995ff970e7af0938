package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"mago/api/apitest"
)

// nasty are texts that have broken programs.
var nasty = []string{
	"", " ", "\x00", "a\x00b", "\r\n", "x\r\nlevel=ERROR msg=forged", "x\u2028y", "\u202egnp.exe", "\u2066a\u2069", "\u200b", "\ufeff", "\ufffd", "\ufffe", "\U000e0001",
	"аdmin", "ａｄｍｉｎ", "ADMİN", "ſ", "\u212aelvin", "a\u0301\u0301\u0301", strings.Repeat("\u0301", 500), "🧙‍♀️", "👩‍👩‍👧‍👦", "\U0001f468\u200d", "ß", "ﷺ",
	"' OR '1'='1", "'; DROP TABLE users; --", "$1", "%s%n%x", "{{7*7}}", "${jndi:ldap://x}", "<script>alert(1)</script>", "../../../../etc/passwd", "\\", "`", "\"",
	"null", "undefined", "NaN", "true", "[]", "{}", "0", "-0", "-1", "1e400", "0x10", "9223372036854775808", "00000000-0000-0000-0000-000000000000",
	strings.Repeat("a", 3000), strings.Repeat("ñ", 65), strings.Repeat("%", 50), "__proto__", "constructor", "W1", "??", "E5", "*", `W/"1"`, `"1"`, `"1", "2"`,
}

// values are pieces of JSON that hardly any request wants.
var values = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.5`, `1e0`, `1e400`, `-0`, `99999999999999999999`, `1E-400`, `""`, `"x"`, `[]`, `{}`, `[null]`, `[[[[]]]]`, `{"a":{"a":{}}}`, `"\ud800"`, `"\u0000"`,
	strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), `01`, `+1`, `.5`, `'x'`, `NaN`, "\"\xff\"", `"a`, `{"a":1,"a":2}`, `[1,]`,
}

// leaks is what no answer may hold: traces, names of files and packages, and what databases say.
var leaks = regexp.MustCompile(`goroutine \d|runtime error|\.go:\d|panic|debug\.Stack|SQLSTATE|(?i:sqlite)|pgx|pgconn|database/sql|no such (table|column)|constraint|syntax error at|(?i:insert into|select .* from|on conflict)|mago/`)

// fuzzer makes requests out of the document.
type fuzzer struct {
	*tables
	rng     *rand.Rand
	schemas map[string]schema
}

func (f *fuzzer) oneOf(list ...string) string { return list[f.rng.IntN(len(list))] }

// text is a text in JSON, as good as any or nasty.
func (f *fuzzer) text() string {
	s, err := json.Marshal(f.oneOf(nasty...))
	if err != nil {
		return `"x"`
	}
	return string(s)
}

// value is a value for a schema: mostly one that it allows.
func (f *fuzzer) value(s schema) string {
	if f.rng.IntN(4) == 0 {
		return f.oneOf(f.oneOf(values...), f.text())
	}
	switch {
	case s.Ref != "":
		return f.value(f.schemas[refName(s.Ref)])
	case len(s.Enum) > 0:
		v, err := json.Marshal(s.Enum[f.rng.IntN(len(s.Enum))])
		if err != nil {
			return "null"
		}
		return string(v)
	case len(s.Properties) > 0:
		return f.object(s.Properties)
	case s.Type == "integer":
		return fmt.Sprint(f.rng.IntN(23) - 1)
	case s.Type == "boolean":
		return f.oneOf("true", "false")
	}
	return f.oneOf(f.text(), `"W1"`, `"E5"`, `"elves"`, `"x-y_z"`)
}

func (f *fuzzer) object(properties map[string]schema) string {
	var members []string
	for name, s := range properties {
		if f.rng.IntN(4) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, f.value(s)))
		}
	}
	switch f.rng.IntN(12) {
	case 0:
		members = append(members, f.text()+":"+f.oneOf(values...))
	case 1:
		members = append(members, members...)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// body is a body for an operation, or for one that has none.
func (f *fuzzer) body(o operation) []byte {
	body := string(o.body)
	if o.body == nil {
		return []byte(f.oneOf("", "", "{}", f.oneOf(values...)))
	}
	switch f.rng.IntN(6) {
	case 0, 1, 2:
		body = f.value(schema{Ref: o.schema})
	case 3: // damaged
		at := f.rng.IntN(len(body))
		body = body[:at] + f.oneOf("", "\x00", "\"", "}", "\xff", ",", "\u202e", strings.Repeat(" ", 1000)) + body[min(len(body), at+f.rng.IntN(3)):]
	case 4:
		if f.rng.IntN(10) == 0 {
			body += strings.Repeat(" ", maxBody)
		}
	case 5:
		body = f.oneOf(values...)
	}
	return []byte(body)
}

// path is a path for an operation, with a query. It is known if it can't be taken for another operation's.
func (f *fuzzer) path(o operation) (path string, known bool) {
	path, known = o.path, true
	query := url.Values{}
	for _, p := range o.parameters {
		var v string
		switch {
		case f.rng.IntN(3) == 0:
			v = f.oneOf(nasty...)
			known = known && p.In != "path"
		case p.In == "path" && p.Name == "id" && strings.HasPrefix(o.path, "/v1/users"):
			v = f.host.Tokens.User.ID
		case p.In == "path" && p.Name == "id":
			v = f.oneOf(f.private, f.lobby, f.playing)
		case p.Schema.Type == "boolean":
			v = f.oneOf("true", "false")
		case len(p.Schema.Enum) > 0:
			v = fmt.Sprint(p.Schema.Enum[f.rng.IntN(len(p.Schema.Enum))])
		default:
			v = fmt.Sprint(f.rng.IntN(8))
		}
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(v))
		case p.In == "query" && f.rng.IntN(2) == 0:
			query.Add(p.Name, v)
			if f.rng.IntN(10) == 0 {
				query.Add(p.Name, v)
			}
		}
	}
	switch f.rng.IntN(15) {
	case 0:
		return path + "?" + f.oneOf("%zz", "%", ";", "&&&=", "a=%00", "%ff=1", "limit=%ff", "cursor=%00", "="), known
	case 1:
		query.Add(f.oneOf(nasty...), f.oneOf(nasty...))
	case 2:
		known = false
		path += f.oneOf("/", "//", "/..", "/%2e%2e/", "%00", "/%ff", "/x")
	}
	if len(query) == 0 {
		return path, known
	}
	return path + "?" + query.Encode(), known
}

// headers are some that the API looks at.
func (f *fuzzer) headers() (out []apitest.Header) {
	for _, name := range []string{
		"If-Match", "If-None-Match", "Prefer", "Accept", "Content-Type", "Content-Encoding", "Idempotency-Key", "Last-Event-ID", "X-Request-Id", "X-Forwarded-For", "Origin", "Range", "Accept-Encoding",
	} {
		if f.rng.IntN(8) > 0 {
			continue
		}
		value := f.oneOf(f.oneOf(nasty...), `"1"`, "return=minimal", "application/json", "application/x-ndjson", "gzip", "bytes=0-1", "*", "identity")
		clean := func(r rune) rune { // what a client can't send at all
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}
		out = append(out, header(name, strings.Map(clean, value)))
	}
	return out
}

// Whatever is sent to the calls of the document, by whomever: no server error, no trace, no word of the database; every refusal is a whole problem
// document and every answer as the document describes it; and the log has one line a request, whatever is in it.
func TestRequestsMadeFromTheDocument(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	x := layOn(t, start(t, func(c *Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}))
	n := 500
	if soak() {
		n = 20_000
	}
	operations, schemas := document(t)
	f := fuzzer{tables: &x, schemas: schemas}
	nobody, liar := apitest.New(x.url), apitest.New(x.url)
	liar.Tokens.AccessToken = "x.y.z"
	statuses := map[int]int{}
	for seed := range n {
		f.rng = rand.New(rand.NewPCG(uint64(seed), 42))
		o := operations[f.rng.IntN(len(operations))]
		c := []*apitest.Client{x.host, x.host, x.guest, x.stranger, x.stranger, nobody, liar}[f.rng.IntN(7)]
		if o.path == "/v1/auth/logout" && !o.open {
			c = liar // or nobody would be signed in for long
		}
		path, known := f.path(o)
		body, headers := f.body(o), f.headers()
		var content any = body
		if len(body) == 0 {
			content = nil
		}
		a, err := c.Send(t.Context(), o.method, path, content, headers...)
		if err != nil {
			t.Fatalf("seed %d: %s %s: %v", seed, o.method, path, err)
		}
		statuses[a.Status]++
		about := fmt.Sprintf("seed %d: %s %.200s %.200q %v: %d %.300s", seed, o.method, path, body, headers, a.Status, a.Body)
		if a.Status >= http.StatusInternalServerError {
			t.Error(about)
		}
		if err := apitest.Undescribed(o.method, path, a); known && err != nil {
			t.Errorf("%s: %v", about, err)
		}
		if a.Status >= http.StatusBadRequest && a.Header.Get("Content-Type") != mimeProblem {
			t.Errorf("%s: no problem document", about)
		}
		if strings.HasPrefix(o.path, "/docs") || o.path == "/openapi.json" || o.path == "/metrics" {
			continue // which speak of such things
		}
		if leak := leaks.Find(a.Body); leak != nil {
			t.Errorf("%s: shows %q", about, leak)
		}
	}
	t.Logf("%d requests: %v", n, statuses)
	for line := range bytes.Lines([]byte(log.String())) {
		var entry struct{ Level, Msg, Error string }
		if err := json.Unmarshal(line, &entry); err != nil || entry.Level == "ERROR" {
			t.Errorf("%v: %.500s", err, line)
		}
	}
}

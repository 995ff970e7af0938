package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
)

type inner struct {
	Players int   `json:"players" validate:"required"`
	Open    *bool `json:"open"`
}

type sample struct {
	Name  string   `json:"name" validate:"required"`
	Tags  []string `json:"tags"`
	Rules inner    `json:"rules"`
	Seat  *int     `json:"seat"`
}

func (s *sample) check(v *validator) {
	if s.Seat != nil {
		v.between("/seat", *s.Seat, 0, 5)
	}
	v.label("/name", s.Name, 1, 8)
}

// bound sends a body through bind and returns what came out.
func bound(body, contentType string, dst any) error {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return bind(echo.New().NewContext(r, httptest.NewRecorder()), dst)
}

func TestBindRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000)
	for name, tt := range map[string]struct {
		body string
		code Code
		at   string // the pointers, joined by blanks
	}{
		"empty":                {``, CodeMalformedJSON, ""},
		"blank":                {` `, CodeMalformedJSON, ""},
		"no JSON":              {`{name`, CodeMalformedJSON, ""},
		"cut off":              {`{"name":"a"`, CodeMalformedJSON, ""},
		"trailing data":        {`{"name":"a"} {}`, CodeMalformedJSON, ""},
		"trailing garbage":     {`{"name":"a"}x`, CodeMalformedJSON, ""},
		"repeated":             {`{"name":"a","name":"b"}`, CodeMalformedJSON, ""},
		"repeated, escaped":    {`{"name":"a","n\u0061me":"b"}`, CodeMalformedJSON, ""},
		"repeated further in":  {`{"x":1,"name":"a","rules":{"players":3,"players":3}}`, CodeMalformedJSON, ""},
		"bad UTF-8":            {"{\"name\":\"\xff\"}", CodeMalformedJSON, ""},
		"half a surrogate":     {`{"name":"\ud800"}`, CodeMalformedJSON, ""},
		"syntax after a type":  {`{"name":1,`, CodeMalformedJSON, ""},
		"byte order mark":      {"\xef\xbb\xbf{}", CodeMalformedJSON, ""},
		"comment":              {`{"name":"a"/**/}`, CodeMalformedJSON, ""},
		"leading zero":         {`{"seat":01,"name":"a"}`, CodeMalformedJSON, ""},
		"not a number":         {`{"seat":NaN,"name":"a"}`, CodeMalformedJSON, ""},
		"list bomb":            {strings.Repeat("[", 60000), CodeMalformedJSON, ""},
		"object bomb":          {deep, CodeInvalid, "? /a /name"},
		"too large":            {`{"name":"` + strings.Repeat("a", maxBody) + `"}`, CodeBodyTooLarge, ""},
		"null":                 {`null`, CodeInvalid, "?"},
		"list":                 {`[]`, CodeInvalid, "?"},
		"text":                 {`"a"`, CodeInvalid, "?"},
		"number":               {`1`, CodeInvalid, "?"},
		"missing":              {`{}`, CodeInvalid, "/name"},
		"missing further in":   {`{"name":"a","rules":{}}`, CodeInvalid, "/rules/players"},
		"unknown":              {`{"name":"a","nom":1}`, CodeInvalid, "/nom"},
		"other case":           {`{"Name":"a"}`, CodeInvalid, "/Name /name"},
		"null member":          {`{"name":null}`, CodeInvalid, "/name"},
		"null optional":        {`{"name":"a","seat":null}`, CodeInvalid, "/seat"},
		"null in a list":       {`{"name":"a","tags":["b",null]}`, CodeInvalid, "/tags/1"},
		"several":              {`{"name":null,"seat":null,"tags":1}`, CodeInvalid, "/name /seat /tags"},
		"fraction":             {`{"name":"a","seat":1.5}`, CodeInvalid, "/seat"},
		"integral fraction":    {`{"name":"a","seat":1.0}`, CodeInvalid, "/seat"},
		"exponent":             {`{"name":"a","seat":1e0}`, CodeInvalid, "/seat"},
		"huge exponent":        {`{"name":"a","seat":1e400}`, CodeInvalid, "/seat"},
		"huge":                 {`{"name":"a","seat":99999999999999999999}`, CodeInvalid, "/seat"},
		"text for a number":    {`{"name":"a","seat":"1"}`, CodeInvalid, "/seat"},
		"number for a text":    {`{"name":1}`, CodeInvalid, "/name"},
		"bool for a number":    {`{"name":"a","seat":true}`, CodeInvalid, "/seat"},
		"object for a list":    {`{"name":"a","tags":{}}`, CodeInvalid, "/tags"},
		"list for an object":   {`{"name":"a","rules":[]}`, CodeInvalid, "/rules"},
		"number for a bool":    {`{"name":"a","rules":{"players":3,"open":1}}`, CodeInvalid, "/rules/open"},
		"out of range":         {`{"name":"a","seat":6}`, CodeInvalid, "/seat"},
		"negative":             {`{"name":"a","seat":-1}`, CodeInvalid, "/seat"},
		"NUL":                  {`{"name":"a\u0000"}`, CodeInvalid, "/name"},
		"newline":              {`{"name":"a\nb"}`, CodeInvalid, "/name"},
		"DEL in a list":        {"{\"name\":\"a\",\"tags\":[\"\x7f\"]}", CodeInvalid, "/tags/0"},
		"turned text":          {`{"name":"a\u202eb"}`, CodeInvalid, "/name"},
		"invisible":            {`{"name":"\ufeff"}`, CodeInvalid, "/name"},
		"blank around":         {`{"name":" a"}`, CodeInvalid, "/name"},
		"too long":             {`{"name":"ñandú ñandú"}`, CodeInvalid, "/name"},
		"checked together":     {`{"name":"","seat":7}`, CodeInvalid, "/seat /name"},
		"pointer with slashes": {`{"name":"a","x/y~z":1}`, CodeInvalid, "/x~1y~0z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *Problem
			if err := bound(tt.body, "application/json", new(sample)); !errors.As(err, &p) {
				t.Fatalf("got %v, want a problem", err)
			}
			var at []string
			for _, e := range p.Errors {
				if e.Pointer == "" {
					e.Pointer = "?"
				}
				at = append(at, e.Pointer)
			}
			if got := strings.Join(at, " "); p.Code != tt.code || got != tt.at {
				t.Errorf("got %s at %q (%v), want %s at %q", p.Code, got, p.Errors, tt.code, tt.at)
			}
		})
	}
}

func TestBindReads(t *testing.T) {
	t.Parallel()
	seat := 2
	var got sample
	if err := bound(`{"name":"Iria 🧙","tags":[],"rules":{"players":4},"seat":2}`, "application/json; charset=UTF-8", &got); err != nil {
		t.Fatal(err)
	}
	want := sample{Name: "Iria 🧙", Tags: []string{}, Rules: inner{Players: 4}, Seat: &seat}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBindMediaType(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]Code{
		"": CodeUnsupportedMediaType, "text/plain": CodeUnsupportedMediaType, "application/jsonp": CodeUnsupportedMediaType,
		"application/json; charset=latin1": CodeUnsupportedMediaType, "application/json;": "", "application/json; charset": CodeUnsupportedMediaType,
		"application/x-www-form-urlencoded": CodeUnsupportedMediaType, "Application/JSON": "",
	} {
		err := bound(`{"name":"a"}`, contentType, new(sample))
		var p *Problem
		if errors.As(err, &p); (p == nil) != (want == "") || p != nil && p.Code != want {
			t.Errorf("%q: got %v, want %q", contentType, err, want)
		}
	}
}

func TestBindOptional(t *testing.T) {
	t.Parallel()
	for body, ok := range map[string]bool{"": true, "{}": true, " {} ": true, "[]": false, `{"a":1}`: false, "null": false} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if err := noBody(echo.New().NewContext(r, httptest.NewRecorder())); (err == nil) != ok {
			t.Errorf("%q: got %v", body, err)
		}
	}
}

// A body that lies about its length, or has none, is still bounded.
func TestBindBoundsChunkedBodies(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(`{"name":"`), strings.NewReader(strings.Repeat("a", 2*maxBody))))
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = -1
	var p *Problem
	if err := bind(echo.New().NewContext(r, httptest.NewRecorder()), new(sample)); !errors.As(err, &p) || p.Code != CodeBodyTooLarge {
		t.Errorf("got %v", err)
	}
}

// What a hostile body makes the server answer stays small. (That it stays quick shows in how long this test takes: the
// position of a token is costly where it stands deep or below long names.)
func TestBindAnswersBriefly(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 30000)
	for _, body := range []string{
		`{"tags":[` + strings.Repeat("null,", 10000) + `null]}`, `{"` + long + `":null,"` + long + `y":null}`,
		`{"` + long + `":{"` + strings.Repeat("a", 100) + `":[` + strings.Repeat(`"\n",`, 5000) + `1]}}`,
		strings.Repeat(`{"a":`, 5000) + "[" + strings.Repeat("null,", 5000) + "1]" + strings.Repeat("}", 5000),
	} {
		var p *Problem
		if err := bound(body, "application/json", new(sample)); !errors.As(err, &p) {
			t.Fatal("accepted")
		}
		if out, err := encode(p); err != nil || len(out) > 8000 {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	}
}

func FuzzBind(f *testing.F) {
	for _, s := range []string{`{"name":"a","rules":{"players":3,"open":true},"seat":1}`, `{"name":null}`, `[[[`, `{"a":1e999}`, "\xff", `{"name":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		err := bound(string(body), "application/json", new(sample))
		if p := problemOf(err); err != nil && (p.Status < 400 || p.Status > 499) {
			t.Errorf("%q: %d %v", body, p.Status, err)
		}
	})
}

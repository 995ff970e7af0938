package api

import (
	"strings"
	"testing"
)

// Every call on accounts that takes a body refuses every kind of bad one with the code that says why.
func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.signUp(t, "uxia").text(t, "access_token")
	good := map[string]string{ // a good body, the first member of which is a text
		"POST /v1/auth/register": `{"username":"noa","password":"a fine password"}`,
		"POST /v1/auth/login":    `{"username":"uxia","password":"a fine password"}`,
		"POST /v1/auth/refresh":  `{"refresh_token":"x"}`,
		"PATCH /v1/me":           `{"display_name":"x"}`,
		"DELETE /v1/me":          `{"password":"not the password"}`,
		"POST /v1/me/password":   `{"current":"not the password","new":"another password"}`,
	}
	for route, body := range good {
		method, path, _ := strings.Cut(route, " ")
		name, rest, _ := strings.Cut(body[1:], ":")
		value, _, _ := strings.Cut(rest[1:], `"`)
		with := func(json string) string { return "{" + name + ":" + json + rest[len(value)+2:] }
		for what, tt := range map[string]struct {
			body string
			code Code
		}{
			"empty":         {"", CodeMalformedJSON},
			"cut off":       {body[:len(body)-1], CodeMalformedJSON},
			"two":           {body + body, CodeMalformedJSON},
			"repeated":      {"{" + name + `:"x",` + body[1:], CodeMalformedJSON},
			"bad UTF-8":     {with("\"\xff\""), CodeMalformedJSON},
			"surrogate":     {with(`"\udc00"`), CodeMalformedJSON},
			"deep":          {strings.Repeat("[", 20000), CodeMalformedJSON},
			"large":         {with(`"` + strings.Repeat("x", maxBody) + `"`), CodeBodyTooLarge},
			"null":          {"null", CodeInvalid},
			"list":          {"[" + body + "]", CodeInvalid},
			"text":          {name, CodeInvalid},
			"null member":   {with("null"), CodeInvalid},
			"number":        {with("1"), CodeInvalid},
			"huge number":   {with("1e400"), CodeInvalid},
			"true":          {with("true"), CodeInvalid},
			"list member":   {with(`["x"]`), CodeInvalid},
			"object member": {with(`{"$ne":1}`), CodeInvalid},
			"NUL":           {with(`"x\u0000"`), CodeInvalid},
			"line end":      {with(`"x\n"`), CodeInvalid},
			"unknown":       {`{"admin":true,` + body[1:], CodeInvalid},
			"other case":    {`{` + strings.ToUpper(name) + ":" + rest, CodeInvalid},
		} {
			t.Run(route+" "+what, func(t *testing.T) {
				t.Parallel()
				wantProblem(t, r.call(t, method, path, token, tt.body), tt.code)
				if !strings.HasPrefix(path, "/v1/auth") { // who is asked before what
					wantProblem(t, r.call(t, method, path, "", tt.body), CodeUnauthenticated)
				}
			})
		}
	}
}

func TestOutOfRange(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.signUp(t, "uxia").text(t, "access_token")
	for _, tt := range []struct{ method, path, body, at string }{
		{"POST", "/v1/auth/register", `{"username":"ab","password":"short"}`, "/username /password"},
		{"POST", "/v1/auth/register", `{"username":"a b","password":"password1"}`, "/username /password"},
		{"POST", "/v1/auth/register", `{"username":"noa","password":"a fine password","display_name":" "}`, "/display_name"},
		{"POST", "/v1/auth/register", `{"username":"noa","password":"a fine password","display_name":"a\u202eb"}`, "/display_name"},
		{"POST", "/v1/auth/register", `{}`, "/username /password"},
		{"PATCH", "/v1/me", `{"display_name":"` + strings.Repeat("ñ", 65) + `"}`, "/display_name"},
		{"PATCH", "/v1/me", `{"username":"other"}`, "/username"},
		{"POST", "/v1/me/password", `{"current":"x","new":"12345678"}`, "/new"},
		{"POST", "/v1/me/password", `{"current":"x","new":"` + strings.Repeat("x", 129) + `"}`, "/new"},
		{"POST", "/v1/auth/logout", `{"all":true}`, "/all"},
	} {
		a := r.call(t, tt.method, tt.path, token, tt.body)
		wantProblem(t, a, CodeInvalid)
		var at []string
		list, _ := a.member(t, "errors").([]any)
		for _, e := range list {
			e, _ := e.(map[string]any)
			pointer, _ := e["pointer"].(string)
			at = append(at, pointer)
		}
		if got := strings.Join(at, " "); got != tt.at {
			t.Errorf("%s %s: errors at %q, want %q", tt.path, tt.body, got, tt.at)
		}
	}
}

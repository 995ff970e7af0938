package api

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

const fine = "a fine password"

// signUp registers a user and returns the answer's tokens.
func (r *running) signUp(t *testing.T, username string) answer {
	t.Helper()
	a := r.call(t, "POST", "/v1/auth/register", "", `{"username":"`+username+`","password":"`+fine+`"}`)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("register: %d %s", a.StatusCode, a.body)
	}
	return a
}

func TestAccountCalls(t *testing.T) {
	t.Parallel()
	r := start(t)
	made := r.call(t, "POST", "/v1/auth/register", "", `{"username":"Uxia","password":"`+fine+`","display_name":"  Uxía 🧙  "}`)
	if made.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", made.StatusCode, made.body)
	}
	user, _ := made.member(t, "user").(map[string]any)
	id, _ := user["id"].(string)
	if diff := cmp.Diff(map[string]any{"id": id, "username": "uxia", "display_name": "Uxía 🧙"}, user); diff != "" {
		t.Error(diff)
	}
	if made.text(t, "token_type") != "Bearer" || made.member(t, "expires_in") != 900.0 {
		t.Errorf("%s", made.body)
	}
	if got := made.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control: %q", got)
	}
	wantProblem(t, r.call(t, "POST", "/v1/auth/register", "", `{"username":"UXIA","password":"`+fine+`"}`), CodeUsernameTaken)
	wantProblem(t, r.call(t, "POST", "/v1/auth/register", "", `{"username":"deleted","password":"`+fine+`"}`), CodeUsernameTaken)

	token := r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","password":"`+fine+`"}`).text(t, "access_token")
	me := r.call(t, "GET", "/v1/me", token, "")
	if at := me.text(t, "created_at"); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString(at) {
		t.Errorf("created_at %q", at)
	}
	if me.text(t, "id") != id || me.text(t, "username") != "uxia" {
		t.Errorf("%s", me.body)
	}
	if got := r.call(t, "PATCH", "/v1/me", token, `{"display_name":"Uxía II"}`).text(t, "display_name"); got != "Uxía II" {
		t.Errorf("renamed to %q", got)
	}
	if got := r.call(t, "PATCH", "/v1/me", token, `{}`).text(t, "display_name"); got != "Uxía II" {
		t.Errorf("an empty patch made it %q", got)
	}
	other := r.signUp(t, "brais").text(t, "access_token")
	if got := r.call(t, "GET", "/v1/users/"+strings.ToUpper(id), other, ""); string(got.body) != `{"id":"`+id+`","username":"uxia","display_name":"Uxía II"}` {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	for _, unknown := range []string{uuid.NewString(), "x", "%00", strings.ReplaceAll(id, "-", ""), "urn:uuid:" + id, "{" + id + "}"} {
		wantProblem(t, r.call(t, "GET", "/v1/users/"+unknown, other, ""), CodeNotFound)
	}

	wantProblem(t, r.call(t, "POST", "/v1/me/password", token, `{"current":"not the password","new":"another password"}`), CodeBadCredentials)
	if a := r.call(t, "POST", "/v1/me/password", token, `{"current":"`+fine+`","new":"another password"}`); a.StatusCode != http.StatusNoContent {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	wantProblem(t, r.call(t, "GET", "/v1/me", made.text(t, "access_token"), ""), CodeUnauthenticated)
	wantProblem(t, r.call(t, "DELETE", "/v1/me", token, `{"password":"`+fine+`"}`), CodeBadCredentials)
	if a := r.call(t, "DELETE", "/v1/me", token, `{"password":"another password"}`); a.StatusCode != http.StatusNoContent {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	wantProblem(t, r.call(t, "GET", "/v1/me", token, ""), CodeUnauthenticated)
	if got := r.call(t, "GET", "/v1/users/"+id, other, "").text(t, "display_name"); got != "deleted player" {
		t.Errorf("an erased user is %q", got)
	}
}

func TestSessionCalls(t *testing.T) {
	t.Parallel()
	r := start(t)
	first := r.signUp(t, "uxia")
	spent := `{"refresh_token":"` + first.text(t, "refresh_token") + `"}`
	second := r.call(t, "POST", "/v1/auth/refresh", "", spent)
	if again := r.call(t, "POST", "/v1/auth/refresh", "", spent); again.text(t, "refresh_token") != second.text(t, "refresh_token") {
		t.Errorf("%s and then %s", second.body, again.body)
	}
	third := r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+second.text(t, "refresh_token")+`"}`)
	wantProblem(t, r.call(t, "POST", "/v1/auth/refresh", "", spent), CodeRefreshReused)
	wantProblem(t, r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+third.text(t, "refresh_token")+`"}`), CodeUnauthenticated)
	wantProblem(t, r.call(t, "GET", "/v1/me", third.text(t, "access_token"), ""), CodeUnauthenticated)

	in := r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","password":"`+fine+`"}`)
	token := in.text(t, "access_token")
	if a := r.call(t, "POST", "/v1/auth/logout", token, ""); a.StatusCode != http.StatusNoContent {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	wantProblem(t, r.call(t, "POST", "/v1/auth/logout", token, "{}"), CodeUnauthenticated)
	wantProblem(t, r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+in.text(t, "refresh_token")+`"}`), CodeUnauthenticated)
}

// Whoever tries names and passwords learns nothing from the answer.
func TestLoginMistakesLookAlike(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.signUp(t, "uxia")
	wrong := r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","password":"not the password"}`)
	wantProblem(t, wrong, CodeBadCredentials)
	for _, body := range []string{
		`{"username":"nobody","password":"not the password"}`, `{"username":"deleted","password":"x"}`, `{"username":"","password":""}`,
		`{"username":"` + strings.Repeat("ñ", 5000) + `","password":"` + strings.Repeat("x", 40000) + `"}`, `{"username":"' OR 1=1 --","password":"x"}`,
	} {
		if diff := cmp.Diff(string(wrong.body), string(r.call(t, "POST", "/v1/auth/login", "", body).body)); diff != "" {
			t.Errorf("%.60s: %s", body, diff)
		}
	}
}

func TestAuthorizationHeader(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.signUp(t, "uxia").text(t, "access_token")
	for header, ok := range map[string]bool{
		"Bearer " + token: true, "bearer " + token: true, "Bearer  " + token: true, "": false, token: false, "Bearer": false, "Bearer ": false,
		"Basic " + token: false, "Bearer " + token + " " + token: false, "Bearer " + token + "," + token: false,
	} {
		if a := r.call(t, "GET", "/v1/me", "", "", "Authorization", header); (a.StatusCode == http.StatusOK) != ok {
			t.Errorf("%.10q…: %d", header, a.StatusCode)
		}
	}
	for _, elsewhere := range []string{"?access_token=" + token, "?token=" + token} {
		wantProblem(t, r.call(t, "GET", "/v1/me"+elsewhere, "", "", "Cookie", "access_token="+token), CodeUnauthenticated)
	}
}

func TestJWKS(t *testing.T) {
	t.Parallel()
	a := start(t).call(t, "GET", "/.well-known/jwks.json", "", "")
	keys, _ := a.member(t, "keys").([]any)
	if len(keys) != 1 {
		t.Fatalf("%s", a.body)
	}
	key, _ := keys[0].(map[string]any)
	if key["kty"] != "OKP" || key["crv"] != "Ed25519" || key["alg"] != "EdDSA" || key["d"] != nil || len(key) != 6 {
		t.Errorf("%v", key)
	}
}

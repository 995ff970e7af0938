package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// A whole game with bots, mistakes, repeats and signing out and in, with the program at its most talkative: nothing that is secret is in its log, in its
// metrics, or in a refusal.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	db := testdb.New(t)
	ctx, stop := context.WithCancel(t.Context())
	var log journal
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		env := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": db, "MAGO_LOG_LEVEL": "debug", "MAGO_LOG_FORMAT": "json", "MAGO_LIMITS": "off", "MAGO_KEY_SECRET": keySecretOfTests}
		ended <- run(ctx, []string{"serve"}, func(name string) string { return env[name] }, said, &log)
	}()
	line := make([]byte, 1000)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))

	const key, seed, wrong = "canary-key-1", "canary-seed", "canary wrong password"
	ana, breo := apitest.Register(t, url), apitest.Register(t, url)
	secrets := []string{apitest.Password, key, seed, wrong, keySecretOfTests}
	remember := func(c *apitest.Client) { secrets = append(secrets, c.Tokens.AccessToken, c.Tokens.RefreshToken) }
	remember(ana)
	remember(breo)
	var refusals bytes.Buffer
	refused := func(c *apitest.Client, method, path string, body any, headers ...apitest.Header) {
		a := c.Do(t, method, path, body, headers...)
		if a.Status < 400 {
			t.Errorf("%s %s: %d", method, path, a.Status)
		}
		refusals.Write(a.Body)
	}
	refused(ana, "POST", "/v1/auth/login", map[string]string{"username": ana.Tokens.User.Username, "password": wrong})
	refused(ana, "POST", "/v1/auth/login?password="+strings.ReplaceAll(wrong, " ", "+"), []byte(`{"password":"`+wrong))
	refused(ana, "DELETE", "/v1/me", map[string]string{"password": wrong})
	ana.Must(t, http.StatusOK, "POST", "/v1/auth/refresh", map[string]string{"refresh_token": ana.Tokens.RefreshToken}, &ana.Tokens)
	remember(ana)

	var g apitest.Game
	keyed := apitest.Header{Name: "Idempotency-Key", Value: key}
	rules := map[string]any{"players": 3, "length": "five", "bidding": "secret", "foresight": true}
	for range 2 { // the answer once more
		ana.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"visibility": "private", "rules": rules}, &g, keyed)
	}
	path := "/v1/games/" + g.ID
	secrets = append(secrets, *g.InviteCode)
	refused(breo, "POST", path+"/players", map[string]any{"invite_code": *g.InviteCode + "x"})
	refused(breo, "POST", path+"/players", []byte(`{"invite_code":"`+*g.InviteCode))
	ana.Must(t, http.StatusCreated, "POST", path+"/bots", nil, nil)
	breo.Must(t, http.StatusCreated, "POST", path+"/players", map[string]any{"invite_code": *g.InviteCode, "client_seed": seed}, nil)
	for g.Status != "finished" {
		for _, c := range []*apitest.Client{ana, breo} {
			c.Must(t, http.StatusOK, "GET", path, nil, &g)
			for _, m := range g.Moves() {
				refused(c, "POST", path+m.Path+"?card=W1", []byte(`{"card":"W1","tricks":1`))
				c.Must(t, http.StatusOK, "POST", path+m.Path, m.Body, nil)
				break
			}
		}
	}
	metrics := ana.Must(t, http.StatusOK, "GET", "/metrics", nil, nil)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}

	store := testdb.Open(t, db)
	defer func() { _ = store.Close() }()
	played, err := projections.NewGames(store, eventstore.Options{}).Load(t.Context(), uuid.MustParse(g.ID))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(played.State.Secrets.Seeds[:5:5], played.State.Secrets.BotKey) {
		secrets = append(secrets, hex.EncodeToString(s[:]), base64.StdEncoding.EncodeToString(s[:]))
	}
	for where, text := range map[string]string{"log": log.String(), "metrics": string(metrics.Body), "refusals": refusals.String()} {
		for _, s := range secrets {
			if s == "" || strings.Contains(text, s) {
				t.Errorf("%q is in the %s", s, where)
			}
		}
		if where == "refusals" {
			continue // which name the cards there are
		}
		for _, c := range regexp.MustCompile(`[":,\[ =]([DEGH](1[0-3]|[1-9])|[WJ][1-4])[",\] \\]`).FindAllString(text, -1) {
			t.Errorf("the card %s is in the %s", c, where)
		}
	}
	for _, want := range []string{`"route":"/v1/games/:id/plays"`, `"route":"/v1/auth/login"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s was logged", want)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mago/eventstore/postgres/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.M{M: m}) }

// nothing is an empty environment.
func nothing(string) string { return "" }

func TestHelpNamesVariables(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"serve", "--help"}, nothing, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, flag := range regexp.MustCompile(`--(\[no-\])?([a-z-]+)`).FindAllStringSubmatch(out.String(), -1) {
		if name := flag[2]; name != "help" && !strings.Contains(out.String(), "($"+variable(name)+")") {
			t.Errorf("--%s has no variable in %s", name, out.String())
		}
	}
}

func TestRefusesInOneSentence(t *testing.T) {
	t.Parallel()
	file := "sqlite:" + filepath.Join(t.TempDir(), "mago.db")
	for name, tt := range map[string]struct {
		args []string
		env  map[string]string
		want string
	}{
		"no command":     {nil, nil, "expected one of"},
		"unknown flag":   {[]string{"serve", "--adr", "x"}, nil, "unknown flag --adr"},
		"PostgreSQL":     {[]string{"serve", "--database-url", "postgres://u:canary@127.0.0.1:1/db"}, nil, "database db on 127.0.0.1"},
		"by variable":    {[]string{"serve"}, map[string]string{"MAGO_DATABASE_URL": "postgres://u:canary@127.0.0.1:1/db2"}, "database db2 on 127.0.0.1"},
		"unknown engine": {[]string{"serve", "--database-url", "mysql://u:canary@h/db"}, nil, "must be sqlite:PATH or postgres:"},
		"no file":        {[]string{"serve", "--database-url", "sqlite:"}, nil, "names no file"},
		"no folder":      {[]string{"serve", "--database-url", "sqlite:/no/such/folder/mago.db"}, nil, "/no/such/folder"},
		"not migrated":   {[]string{"serve", "--migrate=false", "--database-url", file}, nil, "run mago migrate up"},
		"not an address": {[]string{"serve", "--addr", "nowhere", "--database-url", file + "2"}, nil, "can't listen on nowhere"},
		"not a level":    {[]string{"serve"}, map[string]string{"MAGO_LOG_LEVEL": "loud"}, "log-level"},
		"not a lifetime": {[]string{"serve", "--access-lifetime", "100h", "--refresh-lifetime", "1h", "--database-url", file + "3"}, nil, "lifetimes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, log bytes.Buffer
			err := run(t.Context(), tt.args, func(name string) string { return tt.env[name] }, &out, &log)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error()+out.String()+log.String(), "canary") {
				t.Errorf("a password is shown: %v", err)
			}
		})
	}
}

// serving is mago serve in this process.
type serving struct {
	url  string
	stop func()
	done chan error
}

// serve starts mago serve on a port of its own and waits until it says where it listens.
func serve(t *testing.T, env map[string]string) *serving {
	t.Helper()
	return serveTo(t, env, io.Discard)
}

// serveTo is serve with a log.
func serveTo(t *testing.T, env map[string]string, log io.Writer) *serving {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, said := io.Pipe()
	s := &serving{stop: cancel, done: make(chan error, 1)}
	go func() {
		err := run(ctx, []string{"serve"}, func(name string) string { return env[name] }, said, log)
		_ = said.CloseWithError(io.ErrUnexpectedEOF)
		s.done <- err
	}()
	line := make([]byte, 1000)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(<-s.done)
	}
	match := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
	if match == "" || !strings.Contains(string(line[:n]), "keeps its data in ") {
		t.Fatalf("said %q", line[:n])
	}
	s.url = match
	return s
}

// end stops it and checks that it ended well.
func (s *serving) end(t *testing.T) {
	t.Helper()
	s.stop()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// What a server knew is known to the next one: accounts, sessions and the keys that signed their tokens.
func TestServeKeepsSessionsOverRestarts(t *testing.T) {
	t.Parallel()
	env := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": "sqlite:" + filepath.Join(t.TempDir(), "mago.db")}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	first := serve(t, env)
	resp, err := client.Post(first.url+"/v1/auth/register", "application/json", strings.NewReader(`{"username":"uxia","password":"a fine password"}`))
	if err != nil {
		t.Fatal(err)
	}
	var tokens struct {
		Access string `json:"access_token"`
	}
	err = json.NewDecoder(resp.Body).Decode(&tokens)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatal(resp.StatusCode, err)
	}
	first.end(t)

	second := serve(t, env)
	defer second.end(t)
	for _, path := range []string{"/v1/me", "/readyz", "/healthz"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, second.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+tokens.Access)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d after the restart", path, resp.StatusCode)
		}
	}
}

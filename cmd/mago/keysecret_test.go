package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mago/api/apitest"
	"mago/eventstore/testdb"
)

const keySecretOfTests = "canary: the secret of the keys"

// kept runs f with a server and returns what the server logged.
func kept(t *testing.T, env map[string]string, f func(url string)) string {
	t.Helper()
	log := new(journal)
	s := serveTo(t, env, log)
	defer s.end(t)
	f(s.url)
	return log.String()
}

// at returns the client at another server, with tokens of its own.
func at(c *apitest.Client, url string) *apitest.Client {
	there := *c
	there.Base = url
	return &there
}

// refused ends a server at its start and returns its sentence.
func refused(t *testing.T, env map[string]string) string {
	t.Helper()
	var said bytes.Buffer
	err := run(t.Context(), []string{"serve"}, func(name string) string { return env[name] }, &said, &said)
	if err == nil || said.Len() != 0 || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "canary") {
		t.Fatalf("ended with %v after saying %q", err, said.String())
	}
	return err.Error()
}

// With its secret a server knows its tokens again, with another or none it doesn't start, and there is a way out when the secret is lost.
func TestKeySecretOverRestarts(t *testing.T) {
	t.Parallel()
	db := testdb.New(t)
	env := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": db, "MAGO_KEY_SECRET": keySecretOfTests}
	other := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": db, "MAGO_KEY_SECRET": "canary: another secret"}
	var c *apitest.Client
	for range 2 {
		log := kept(t, env, func(url string) {
			if c == nil {
				c = apitest.Register(t, url)
			}
			at(c, url).Must(t, http.StatusOK, "GET", "/v1/me", nil, nil)
		})
		if strings.Contains(log, "level=WARN") {
			t.Errorf("warned: %s", log)
		}
	}
	if said := refused(t, other); !strings.Contains(said, "MAGO_KEY_SECRET") || !strings.Contains(said, "DELETE FROM signing_keys") {
		t.Errorf("with another secret: %s", said)
	}
	if testdb.Postgres() {
		delete(other, "MAGO_KEY_SECRET")
		if said := refused(t, other); !strings.Contains(said, "set MAGO_KEY_SECRET") {
			t.Errorf("without a secret: %s", said)
		}
		other["MAGO_KEY_SECRET"] = "canary: another secret"
	}

	store := testdb.Open(t, db)
	if _, err := store.Writer().ExecContext(t.Context(), "DELETE FROM signing_keys"); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	kept(t, other, func(url string) { refreshes(t, c, url) })
}

// refreshes checks that a server refuses the access token of before and takes the refresh token.
func refreshes(t *testing.T, c *apitest.Client, url string) {
	t.Helper()
	there := at(c, url)
	there.Must(t, http.StatusUnauthorized, "GET", "/v1/me", nil, nil)
	there.Must(t, http.StatusOK, "POST", "/v1/auth/refresh", map[string]string{"refresh_token": c.Tokens.RefreshToken}, &c.Tokens)
	at(c, url).Must(t, http.StatusOK, "GET", "/v1/me", nil, nil)
}

// Without a secret PostgreSQL has nowhere to keep one: the log says once what that means. SQLite has, and says nothing.
func TestNoKeySecret(t *testing.T) {
	t.Parallel()
	env := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": testdb.New(t)}
	var c *apitest.Client
	log := kept(t, env, func(url string) { c = apitest.Register(t, url) })
	want := 0
	if testdb.Postgres() {
		want = 1
	}
	if n := strings.Count(log, "level=WARN"); n != want || strings.Count(log, warnNoSecret) != want {
		t.Errorf("%d warnings in %s", n, log)
	}
	kept(t, env, func(url string) { at(c, url).Must(t, http.StatusOK, "GET", "/v1/me", nil, nil) })
	if !testdb.Postgres() {
		return
	}
	env["MAGO_KEY_SECRET"] = keySecretOfTests // from now on
	if log := kept(t, env, func(url string) { refreshes(t, c, url) }); strings.Count(log, "level=WARN") != 1 {
		t.Errorf("the first secret: %s", log)
	}
}

// The key file is made at the first start, by whatever name the database is opened. Lost, it costs the access tokens; damaged, it is for somebody to look at.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	path, link := filepath.Join(t.TempDir(), "a b?#%.db"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": "sqlite:" + path}
	var c *apitest.Client
	kept(t, env, func(url string) { c = apitest.Register(t, url) })
	secret, err := os.ReadFile(path + ".key")
	if err != nil || len(secret) != 44 {
		t.Fatalf("a key file of %d bytes: %v", len(secret), err)
	}
	if info, err := os.Stat(path + ".key"); err != nil || info.Mode() != 0o600 {
		t.Errorf("the key file: %v, %v", info.Mode(), err)
	}
	env["MAGO_DATABASE_URL"] = "sqlite:" + link
	kept(t, env, func(url string) { at(c, url).Must(t, http.StatusOK, "GET", "/v1/me", nil, nil) })
	for _, no := range []string{link + ".key", path + ".key.*"} {
		if found, err := filepath.Glob(no); err != nil || len(found) != 0 {
			t.Errorf("there is %v, %v", found, err)
		}
	}

	env["MAGO_KEY_SECRET"] = keySecretOfTests
	if said := refused(t, env); !strings.Contains(said, path+".key may hold the right one") {
		t.Errorf("with another secret than the file's: %s", said)
	}
	env["MAGO_KEY_SECRET"] = strings.TrimSpace(string(secret))
	kept(t, env, func(url string) { at(c, url).Must(t, http.StatusOK, "GET", "/v1/me", nil, nil) })
	delete(env, "MAGO_KEY_SECRET")

	if err := os.Remove(path + ".key"); err != nil {
		t.Fatal(err)
	}
	if log := kept(t, env, func(url string) { refreshes(t, c, url) }); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "secret is lost") {
		t.Errorf("after the file was lost: %s", log)
	}
	if log := kept(t, env, func(url string) { at(c, url).Must(t, http.StatusOK, "GET", "/v1/me", nil, nil) }); strings.Contains(log, "level=WARN") {
		t.Errorf("and again: %s", log)
	}
	if err := os.WriteFile(path+".key", []byte("canary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := refused(t, env); !strings.Contains(said, path+".key holds no secret") {
		t.Errorf("with a damaged file: %s", said)
	}
}

// All who make the key file at once get what is in it.
func TestKeyFileAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mago.db.key")
	got := make([]string, 20)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = secretBeside(context.Background(), path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range got {
		if s != got[0] || len(s) != 43 {
			t.Errorf("got %d and %d characters, which may not be the same", len(s), len(got[0]))
		}
	}
	if _, err := secretBeside(t.Context(), filepath.Join(t.TempDir(), "no folder", "mago.db.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

// A secret is shown nowhere, even if it is refused.
func TestKeySecretIsNotShown(t *testing.T) {
	t.Parallel()
	for what, args := range map[string][]string{
		"short": {"serve", "--key-secret=canary"}, "short, apart": {"serve", "--key-secret", "canary-canary-1"}, "another flag": {"serve", "--key-secret", "canary canary canary", "--nonsense"},
		"mistyped": {"serve", "--key-secert=canary canary canary"}, "an argument": {"serve", "--key-secret=canary canary canary", "x"}, "help": {"serve", "--key-secret=canary canary canary", "--help"},
	} {
		var said bytes.Buffer
		err := run(t.Context(), args, func(string) string { return "" }, &said, &said)
		if (err == nil) != (what == "help") || err != nil && strings.Contains(err.Error(), "canary") || strings.Contains(said.String(), "canary") {
			t.Errorf("%s: %v, %s", what, err, said.String())
		}
		if strings.HasPrefix(what, "short") && !strings.Contains(err.Error(), "at least 16 characters") {
			t.Errorf("%s: %v", what, err)
		}
	}
	env := map[string]string{"MAGO_KEY_SECRET": "canary canary canary"}
	var help bytes.Buffer
	if err := run(t.Context(), []string{"serve", "--help"}, func(name string) string { return env[name] }, &help, io.Discard); err != nil || strings.Contains(help.String(), "canary") {
		t.Errorf("help: %v, %s", err, help.String())
	}
}

package auth_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mago/api/auth"
	"mago/eventstore/testdb"
)

// sealed gives a service the secret.
func sealed(secret string) func(*auth.Config) {
	return func(cfg *auth.Config) { cfg.KeySecret = secret }
}

const keySecret = "canary: the secret of the keys"

// dump returns every value of the database that is text or bytes.
func dump(t *testing.T, store testdb.Store) (out [][]byte) {
	t.Helper()
	tables := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if testdb.Postgres() {
		tables = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}
	for _, table := range column(t, store, tables) {
		out = append(out, column(t, store, `SELECT * FROM `+string(table))...)
	}
	return out
}

// column returns the texts and bytes in all columns of the rows.
func column(t *testing.T, store testdb.Store, query string) (out [][]byte) {
	t.Helper()
	rows, err := store.Reader().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			switch v := v.(type) {
			case string:
				out = append(out, []byte(v))
			case []byte:
				out = append(out, v)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// stolen returns how many tokens for the session that the service takes can be signed with what is in the dump, every 32 bytes of it tried as a seed
// and named as every key the service has.
func stolen(t *testing.T, s *auth.Service, c *clock, who auth.Identity, dump [][]byte) (n int) {
	t.Helper()
	for _, value := range dump {
		for ; len(value) >= ed25519.SeedSize; value = value[1:] {
			for _, key := range s.PublicKeys() {
				token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
					"iss": "mago", "aud": []string{"mago"}, "sub": who.UserID, "sid": who.SessionID, "iat": c.now().Unix(), "exp": c.now().Add(time.Minute).Unix(), "jti": "1",
				})
				token.Header["kid"], token.Header["typ"] = key.KeyID, "at+jwt"
				signed, err := token.SignedString(ed25519.NewKeyFromSeed(value[:ed25519.SeedSize]))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Authenticate(t.Context(), signed); err == nil {
					n++
				} else if !errors.Is(err, auth.ErrUnauthenticated) {
					t.Fatal(err)
				}
			}
		}
	}
	return n
}

// A copy of the database signs no access token, and no earlier copy does, from before there was a secret.
func TestACopyOfTheDatabaseSignsNothing(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	bare := service(t, store, c)
	tokens := register(t, bare, "uxia")
	who := identity(t, bare, tokens.Access)
	before := dump(t, store)
	if n := stolen(t, bare, c, who, before); n != 1 {
		t.Fatalf("%d tokens were signed with a key that lies open: the test would see nothing", n)
	}

	s := service(t, store, c, sealed(keySecret))
	_, err := s.Authenticate(t.Context(), tokens.Access)
	wantErr(t, "a token of the open key", err, auth.ErrUnauthenticated)
	tokens, err = s.Refresh(t.Context(), tokens.Refresh)
	if err != nil {
		t.Fatal(err)
	}
	if got := identity(t, s, tokens.Access); got != who || len(s.PublicKeys()) != 1 {
		t.Errorf("%v, with keys %v", got, s.PublicKeys())
	}
	after := dump(t, store)
	if n := stolen(t, s, c, who, append(before, after...)); n != 0 {
		t.Errorf("%d tokens were signed with what is in the database", n)
	}
	for _, value := range after {
		if bytes.Contains(value, []byte("canary")) {
			t.Errorf("the secret is in the database: %q", value)
		}
	}
}

// A key that was put into the database as it is, is not taken for one of ours.
func TestOpenKeysAreNotTakenWhereThereIsASecret(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	s := service(t, store, c, sealed(keySecret))
	who := identity(t, s, register(t, s, "uxia").Access)
	seed := bytes.Repeat([]byte{7}, ed25519.SeedSize)
	if _, err := store.Writer().ExecContext(t.Context(), `INSERT INTO signing_keys (number, kid, seed, created_at) VALUES (9, 'theirs', $1, 0)`, seed); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Second)
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
		"iss": "mago", "aud": []string{"mago"}, "sub": who.UserID, "sid": who.SessionID, "exp": c.now().Add(time.Minute).Unix(),
	})
	token.Header["kid"], token.Header["typ"] = "theirs", "at+jwt"
	signed, err := token.SignedString(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*auth.Service{s, service(t, store, c, sealed(keySecret))} {
		_, err = s.Authenticate(t.Context(), signed)
		wantErr(t, "a token of the key put in", err, auth.ErrUnauthenticated)
		if keys := s.PublicKeys(); len(keys) != 1 || keys[0].KeyID == "theirs" {
			t.Errorf("keys %v", keys)
		}
	}
}

// Services that start at once, be it on a database with no key or with an open one, have the same key in the end.
func TestSealedKeysAreKept(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(testdb.Store, *clock){
		"none": func(testdb.Store, *clock) {},
		"open": func(store testdb.Store, c *clock) { service(t, store, c) },
		"lost": func(store testdb.Store, c *clock) { service(t, store, c, sealed("another secret, now lost")) },
	} {
		store, c := database(t), newClock()
		prepare(store, c)
		var wg sync.WaitGroup
		services := make([]*auth.Service, 6)
		for i := range services {
			wg.Go(func() {
				services[i] = service(t, store, c, sealed(keySecret), func(cfg *auth.Config) { cfg.ReplaceKeys = name == "lost" })
			})
		}
		wg.Wait()
		tokens := register(t, services[0], "uxia")
		for i, s := range append(services, service(t, store, c, sealed(keySecret))) {
			if keys := s.PublicKeys(); len(keys) != 1 || keys[0] != services[0].PublicKeys()[0] {
				t.Errorf("%s: service %d has keys %v", name, i, keys)
			}
			identity(t, s, tokens.Access)
		}
	}
}

// With another secret or none there is no service, unless the key may be replaced; then refresh tokens go on.
func TestOtherSecrets(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	first := service(t, store, c, sealed(keySecret))
	tokens := register(t, first, "uxia")
	for _, other := range []string{"", "another secret"} {
		_, err := auth.New(t.Context(), auth.Config{Reader: store.Reader(), Writer: store.Writer(), KeySecret: other})
		wantErr(t, "secret "+other, err, auth.ErrKeySecret)
	}
	identity(t, service(t, store, c, sealed(keySecret)), tokens.Access) // which changed nothing

	var log bytes.Buffer
	replace := func(cfg *auth.Config) {
		cfg.ReplaceKeys, cfg.Logger = true, slog.New(slog.NewTextHandler(&log, nil))
	}
	for range 2 { // the second finds what the first has made
		second := service(t, store, c, sealed("another secret"), replace)
		_, err := second.Authenticate(t.Context(), tokens.Access)
		wantErr(t, "a token of before", err, auth.ErrUnauthenticated)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "level=WARN") || strings.Contains(log.String(), "another") {
		t.Errorf("logged %q", log.String())
	}
	second := service(t, store, c, sealed("another secret"))
	tokens, err := second.Refresh(t.Context(), tokens.Refresh)
	if err != nil {
		t.Fatal(err)
	}
	identity(t, second, tokens.Access)

	// Whoever still runs with the former secret goes on for itself.
	c.pass(time.Second)
	_, err = first.Authenticate(t.Context(), tokens.Access)
	wantErr(t, "there", err, auth.ErrUnauthenticated)
	identity(t, first, register(t, first, "breo").Access)
}

// What is sealed for one key doesn't pass for another, and not once it is damaged.
func TestSealedKeysAreBound(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"id":        `UPDATE signing_keys SET kid = kid || 'x'`,
		"truncated": `UPDATE signing_keys SET seed = substr(seed, 1, 59)`,
		"empty":     `UPDATE signing_keys SET seed = substr(seed, 1, 0)`,
	} {
		store, c := database(t), newClock()
		service(t, store, c, sealed(keySecret))
		if _, err := store.Writer().ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		_, err := auth.New(t.Context(), auth.Config{Reader: store.Reader(), Writer: store.Writer(), KeySecret: keySecret})
		wantErr(t, what, err, auth.ErrKeySecret)
	}
}

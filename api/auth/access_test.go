package auth_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"mago/api/auth"
	"mago/eventstore/testdb"
)

// theKey reads the signing key as a thief of the database would.
func theKey(t *testing.T, store testdb.Store) (kid string, key ed25519.PrivateKey) {
	t.Helper()
	var seed []byte
	if err := store.Reader().QueryRowContext(t.Context(), `SELECT kid, seed FROM signing_keys ORDER BY number DESC LIMIT 1`).Scan(&kid, &seed); err != nil {
		t.Fatal(err)
	}
	return kid, ed25519.NewKeyFromSeed(seed)
}

// trapped returns an address that nobody may ask for anything.
func trapped(t *testing.T) string {
	t.Helper()
	trap := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was fetched", r.URL) }))
	t.Cleanup(trap.Close)
	return trap.URL
}

// Every token that differs from a good one in one respect is refused.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	s := service(t, store, c)
	tokens := register(t, s, "uxia")
	who := identity(t, s, tokens.Access)
	kid, private := theKey(t, store)
	_, foreign, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public := private.Public().(ed25519.PublicKey)
	spki, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	type parts struct {
		header, claims map[string]any
		method         jwt.SigningMethod
		key            any
	}
	trap := trapped(t)
	now := c.now()
	for name, change := range map[string]func(*parts){
		"good":                func(*parts) {},
		"alg none":            func(p *parts) { p.method, p.key = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType },
		"HS256, public key":   func(p *parts) { p.method, p.key = jwt.SigningMethodHS256, []byte(public) },
		"HS256, encoded key":  func(p *parts) { p.method, p.key = jwt.SigningMethodHS256, spki },
		"another's key":       func(p *parts) { p.key = foreign },
		"no kid":              func(p *parts) { delete(p.header, "kid") },
		"empty kid":           func(p *parts) { p.header["kid"] = "" },
		"unknown kid":         func(p *parts) { p.header["kid"] = "x" },
		"kid of another type": func(p *parts) { p.header["kid"] = []string{kid} },
		"kid with more":       func(p *parts) { p.header["kid"] = kid + " " },
		"kid as a path": func(p *parts) {
			p.header["kid"], p.key = "../../../dev/null", ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
		},
		"kid as SQL":             func(p *parts) { p.header["kid"], p.key = "x' UNION SELECT '"+kid+"' --", foreign },
		"kid with NUL":           func(p *parts) { p.header["kid"] = kid + "\x00" },
		"huge kid":               func(p *parts) { p.header["kid"] = strings.Repeat(kid, 100) },
		"critical extension":     func(p *parts) { p.header["crit"], p.header["b64"] = []string{"b64"}, false },
		"jku":                    func(p *parts) { p.header["jku"], p.header["kid"], p.key = trap+"/jwks.json", "theirs", foreign },
		"jku, known kid":         func(p *parts) { p.header["jku"], p.key = trap+"/jwks.json", foreign },
		"x5u":                    func(p *parts) { p.header["x5u"], p.key = trap+"/cert.pem", foreign },
		"x5c":                    func(p *parts) { p.header["x5c"], p.key = []string{base64.StdEncoding.EncodeToString(spki)}, foreign },
		"no typ":                 func(p *parts) { delete(p.header, "typ") },
		"typ JWT":                func(p *parts) { p.header["typ"] = "JWT" },
		"own key in the header":  func(p *parts) { p.header["jwk"], p.key = map[string]string{"kty": "OKP"}, foreign },
		"no iss":                 func(p *parts) { delete(p.claims, "iss") },
		"other iss":              func(p *parts) { p.claims["iss"] = "other" },
		"no aud":                 func(p *parts) { delete(p.claims, "aud") },
		"other aud":              func(p *parts) { p.claims["aud"] = "other" },
		"no exp":                 func(p *parts) { delete(p.claims, "exp") },
		"exp null":               func(p *parts) { p.claims["exp"] = nil },
		"exp text":               func(p *parts) { p.claims["exp"] = "tomorrow" },
		"expired":                func(p *parts) { p.claims["exp"] = now.Add(-time.Second).Unix() },
		"not yet":                func(p *parts) { p.claims["nbf"] = now.Add(time.Hour).Unix() },
		"no sub":                 func(p *parts) { delete(p.claims, "sub") },
		"no sid":                 func(p *parts) { delete(p.claims, "sid") },
		"sid of another type":    func(p *parts) { p.claims["sid"] = 7 },
		"unknown session":        func(p *parts) { p.claims["sid"] = uuid.NewString() },
		"another user's session": func(p *parts) { p.claims["sub"] = uuid.NewString() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := parts{
				header: map[string]any{"kid": kid, "typ": "at+jwt"},
				claims: map[string]any{"iss": "mago", "aud": []string{"mago"}, "sub": who.UserID, "sid": who.SessionID, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "jti": "1"},
				method: jwt.SigningMethodEdDSA, key: private,
			}
			change(&p)
			token := jwt.NewWithClaims(p.method, jwt.MapClaims(p.claims))
			p.header["alg"] = p.method.Alg()
			token.Header = p.header
			signed, err := token.SignedString(p.key)
			if err != nil {
				t.Fatal(err)
			}
			// A service of its own each time: another would remember the session as alive.
			_, err = service(t, store, c).Authenticate(t.Context(), signed)
			var want error
			if name != "good" {
				want = auth.ErrUnauthenticated
			}
			wantErr(t, name, err, want)
		})
	}
}

func TestMalformedTokens(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	tokens := register(t, s, "uxia")
	head, rest, _ := strings.Cut(tokens.Access, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	raw, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		t.Fatal(err)
	}
	raw[0] ^= 1
	for name, token := range map[string]string{
		"empty": "", "a word": "x", "dots": "..", "refresh token": tokens.Refresh, "no signature": head + "." + payload + ".",
		"other signature": head + "." + payload + "." + base64.RawURLEncoding.EncodeToString(raw), "padded": tokens.Access + "=",
		"four parts": tokens.Access + ".x", "very long": tokens.Access + strings.Repeat("A", 10_000), "blank behind": tokens.Access + " ",
	} {
		_, err := s.Authenticate(t.Context(), token)
		wantErr(t, name, err, auth.ErrUnauthenticated)
	}
	identity(t, s, tokens.Access)
}

// No character of a token may be another, and none may be missing, doubled or put in.
func TestTokensWithOneCharacterChanged(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	token := register(t, service(t, store, c), "uxia").Access
	s := service(t, store, c) // which remembers no signature
	for i := range token {
		flipped := []byte(token)
		flipped[i] ^= 1
		for _, changed := range []string{string(flipped), token[:i] + token[i+1:], token[:i] + token[i:i+1] + token[i:], token[:i] + "\n" + token[i:], token[:i] + "=" + token[i:], token[:i]} {
			if changed == token {
				continue
			}
			if _, err := s.Authenticate(t.Context(), changed); !errors.Is(err, auth.ErrUnauthenticated) {
				t.Fatalf("%s: %v", changed, err)
			}
		}
	}
	identity(t, s, token)
}

// A huge token is refused unread: no more of it than a token may have.
func TestHugeTokens(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	token := register(t, s, "uxia").Access
	for _, huge := range []string{strings.Repeat("A", 1<<20), strings.Repeat(".", 1<<20), token + strings.Repeat("A", 1<<20), strings.Repeat("e30.", 1<<18), token + "." + strings.Repeat(token, 1000)} {
		_, err := s.Authenticate(t.Context(), huge)
		wantErr(t, "huge", err, auth.ErrUnauthenticated)
	}
}

func TestTokenHoldsWhatIsPromised(t *testing.T) {
	t.Parallel()
	s, c := setup(t)
	tokens := register(t, s, "uxia")
	keys := s.PublicKeys()
	var claims jwt.MapClaims
	token, err := jwt.ParseWithClaims(tokens.Access, &claims, func(*jwt.Token) (any, error) {
		x, err := base64.RawURLEncoding.DecodeString(keys[0].X)
		return ed25519.PublicKey(x), err
	}, jwt.WithTimeFunc(c.now))
	if err != nil {
		t.Fatal(err)
	}
	if token.Header["kid"] != keys[0].KeyID || token.Header["typ"] != "at+jwt" || token.Header["alg"] != "EdDSA" {
		t.Errorf("header %v", token.Header)
	}
	for _, name := range []string{"iss", "aud", "sub", "sid", "iat", "exp", "jti"} {
		if claims[name] == nil {
			t.Errorf("no %s in %v", name, claims)
		}
	}
	if d := claims["exp"].(float64) - claims["iat"].(float64); d != 900 || tokens.ExpiresIn != 900 {
		t.Errorf("lives %v s and says %d", d, tokens.ExpiresIn)
	}
}

// A remembered signature doesn't outlive its token.
func TestRememberedTokensExpire(t *testing.T) {
	t.Parallel()
	s, c := setup(t)
	tokens := register(t, s, "uxia")
	for range 14 {
		identity(t, s, tokens.Access)
		c.pass(time.Minute)
	}
	c.pass(time.Minute)
	_, err := s.Authenticate(t.Context(), tokens.Access)
	wantErr(t, "after 15 minutes", err, auth.ErrUnauthenticated)
}

// An ended session is refused by its own server at once, and by another within a second.
func TestEndedSessionIsRefused(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	here, there := service(t, store, c), service(t, store, c)
	tokens := register(t, here, "uxia")
	who := identity(t, here, tokens.Access)
	identity(t, there, tokens.Access)
	if err := here.Logout(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	_, err := here.Authenticate(t.Context(), tokens.Access)
	wantErr(t, "here", err, auth.ErrUnauthenticated)
	c.pass(time.Second)
	_, err = there.Authenticate(t.Context(), tokens.Access)
	wantErr(t, "there, a second later", err, auth.ErrUnauthenticated)
	wantErr(t, "logout again", here.Logout(t.Context(), who), nil)
}

// A look-up that began before the end of a session doesn't bring it back.
func TestEndedSessionStaysEndedUnderLoad(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := service(t, database(t), c, func(cfg *auth.Config) { cfg.AccessLifetime, cfg.RefreshLifetime = 1e6*time.Hour, 1e6*time.Hour })
	tokens := register(t, s, "uxia")
	who := identity(t, s, tokens.Access)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					c.pass(time.Second / 2) // so that most of them ask the database
					_, _ = s.Authenticate(context.Background(), tokens.Access)
				}
			}
		})
	}
	if err := s.Logout(t.Context(), who); err != nil {
		t.Error(err)
	}
	for range 200 {
		_, err := s.Authenticate(t.Context(), tokens.Access)
		wantErr(t, "after logout", err, auth.ErrUnauthenticated)
	}
	close(stop)
	wg.Wait()
}

func TestKeysAreKept(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	var wg sync.WaitGroup
	services := make([]*auth.Service, 8)
	for i := range services { // starting at once on a new database
		wg.Go(func() { services[i] = service(t, store, c) })
	}
	wg.Wait()
	tokens := register(t, services[0], "uxia")
	for i, s := range append(services, service(t, store, c)) {
		if keys := s.PublicKeys(); len(keys) != 1 || keys[0] != services[0].PublicKeys()[0] {
			t.Errorf("service %d has keys %v", i, keys)
		}
		identity(t, s, tokens.Access)
	}
}

// A key that another server made is found when its first token arrives, but unknown ids don't make every request read.
func TestUnknownKeysAreLookedFor(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	old := service(t, store, c)
	seed := make([]byte, ed25519.SeedSize)
	if _, err := store.Writer().ExecContext(t.Context(), `INSERT INTO signing_keys (number, kid, seed, created_at) VALUES (2, 'second', $1, 0)`, seed); err != nil {
		t.Fatal(err)
	}
	tokens := register(t, service(t, store, c), "uxia")
	_, err := old.Authenticate(t.Context(), tokens.Access)
	wantErr(t, "right after reading the keys", err, auth.ErrUnauthenticated)
	c.pass(time.Second)
	identity(t, old, tokens.Access)
	if keys := old.PublicKeys(); len(keys) != 2 {
		t.Errorf("keys %v", keys)
	}
}

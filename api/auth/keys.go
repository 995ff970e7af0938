package auth

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// reloadEvery bounds how often tokens with unknown key ids make the keys be read again.
const reloadEvery = time.Second

// JWK is a public signing key as RFC 8037 writes it.
type JWK struct {
	KeyType   string `json:"kty" validate:"required" example:"OKP"`
	Curve     string `json:"crv" validate:"required" example:"Ed25519"`
	Use       string `json:"use" validate:"required" example:"sig"`
	Algorithm string `json:"alg" validate:"required" example:"EdDSA"`
	KeyID     string `json:"kid" validate:"required"`
	X         string `json:"x" validate:"required"` // the key, base64url
} // @name JWK

type signingKey struct {
	kid     string
	private ed25519.PrivateKey
}

// keys are the signing keys of the database, in memory.
type keys struct {
	reader, writer *sql.DB
	now            func() time.Time
	log            *slog.Logger
	seal           seal

	mu     sync.RWMutex
	all    []signingKey // by number; the last one signs
	loaded time.Time
	warned bool // that the newest key is another's
}

// standing is how the database's keys stand to this server's secret.
type standing struct {
	newest int  // number of the newest key, 0 if there is none
	opened bool // the newest key can be opened
	bare   bool // there is a secret, and yet a seed is stored without one
}

// openKeys reads the keys and makes the first one if there is none. If a seed lies in the database as it is although there is a secret, a sealed key
// takes over from all there are; likewise if the newest can't be opened and replace allows it, else that is ErrKeySecret.
func openKeys(ctx context.Context, cfg Config) (*keys, error) {
	seal, err := newSeal(cfg.KeySecret)
	if err != nil {
		return nil, err
	}
	k := &keys{reader: cfg.Reader, writer: cfg.Writer, now: cfg.Now, log: cfg.Logger, seal: seal}
	for range 5 { // another server may make one at the same time, which then is this one's too
		s, err := k.load(ctx)
		switch {
		case err != nil:
			return nil, err
		case s.newest == 0:
		case s.bare:
			k.log.Warn("a signing key was stored without a secret: a new one takes over, and apps refresh their access tokens")
		case s.opened:
			return k, nil
		case !cfg.ReplaceKeys:
			return nil, ErrKeySecret
		default:
			k.log.Warn("the signing key can't be opened, its secret is lost: a new one takes over, and apps refresh their access tokens")
		}
		if err := k.takeOver(ctx, s.newest+1); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("other servers replace the signing key again and again")
}

// takeOver stores a new key under the number and removes all older ones. Of several servers that do so at once, whoever is first has made it.
func (k *keys) takeOver(ctx context.Context, number int) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	kid := thumbprint(public)
	tx, err := k.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("store a signing key: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	_, err = tx.ExecContext(ctx, `INSERT INTO signing_keys (number, kid, seed, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		number, kid, k.seal.close(kid, private.Seed()), k.now().UnixMilli())
	if err != nil {
		return fmt.Errorf("store a signing key: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM signing_keys WHERE number < $1`, number); err != nil {
		return fmt.Errorf("remove old signing keys: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("store a signing key: %w", err)
	}
	return nil
}

// load reads all keys from the database and takes those that it can open. If there is none, those in memory go on.
func (k *keys) load(ctx context.Context) (s standing, err error) {
	rows, err := k.reader.QueryContext(ctx, `SELECT number, kid, seed FROM signing_keys ORDER BY number`)
	if err != nil {
		return s, fmt.Errorf("read signing keys: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []signingKey
	for rows.Next() {
		var kid string
		var stored []byte
		if err := rows.Scan(&s.newest, &kid, &stored); err != nil {
			return s, fmt.Errorf("read signing keys: %w", err)
		}
		seed := k.seal.open(kid, stored)
		s.opened = seed != nil
		s.bare = s.bare || k.seal.secret() && len(stored) == ed25519.SeedSize
		if s.opened {
			all = append(all, signingKey{kid, ed25519.NewKeyFromSeed(seed)})
		}
	}
	if err := rows.Err(); err != nil {
		return s, fmt.Errorf("read signing keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loaded = k.now()
	if len(all) > 0 {
		k.all = all
	}
	return s, nil
}

// signer is the key for new tokens.
func (k *keys) signer() signingKey {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.all[len(k.all)-1]
}

// public returns the verifying key of an id. An unknown one may be another server's new key: the database is asked
// again, but not oftener than reloadEvery.
func (k *keys) public(ctx context.Context, kid string) (ed25519.PublicKey, error) {
	key, due := k.find(kid)
	if key != nil || !due {
		return key, nil
	}
	s, err := k.load(ctx)
	if err != nil {
		return nil, err
	}
	k.warn(s)
	key, _ = k.find(kid)
	return key, nil
}

// warn says once that a key which others sign with can't be opened here.
func (k *keys) warn(s standing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.newest > 0 && !s.opened && !k.warned {
		k.warned = true
		k.log.Warn("the newest signing key can't be opened, so other servers' access tokens are refused here: start this one again with their secret")
	}
}

// find returns the key in memory, or nil and whether it is time to look in the database.
func (k *keys) find(kid string) (key ed25519.PublicKey, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.all {
		if s.kid == kid {
			return s.private.Public().(ed25519.PublicKey), false
		}
	}
	due = k.now().Sub(k.loaded) >= reloadEvery
	if due {
		k.loaded = k.now() // this caller's turn; the others don't look meanwhile
	}
	return nil, due
}

// PublicKeys returns all keys that verify access tokens, oldest first.
func (s *Service) PublicKeys() []JWK {
	s.keys.mu.RLock()
	defer s.keys.mu.RUnlock()
	var out []JWK
	for _, k := range s.keys.all {
		public := k.private.Public().(ed25519.PublicKey)
		out = append(out, JWK{KeyType: "OKP", Curve: "Ed25519", Use: "sig", Algorithm: "EdDSA", KeyID: k.kid, X: base64.RawURLEncoding.EncodeToString(public)})
	}
	return out
}

// thumbprint is the key's id: its RFC 7638 thumbprint.
func thumbprint(public ed25519.PublicKey) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(public) + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

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
	reader *sql.DB
	now    func() time.Time

	mu     sync.RWMutex
	all    []signingKey // by number; the last one signs
	loaded time.Time
}

// openKeys reads the keys and makes the first one if there is none. Whoever inserts number 1 first has made it.
func openKeys(ctx context.Context, reader, writer *sql.DB, now func() time.Time) (*keys, error) {
	k := &keys{reader: reader, now: now}
	if err := k.load(ctx); err != nil {
		return nil, err
	}
	if len(k.all) > 0 {
		return k, nil
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	_, err = writer.ExecContext(ctx, `INSERT INTO signing_keys (number, kid, seed, created_at) VALUES (1, $1, $2, $3) ON CONFLICT DO NOTHING`,
		thumbprint(public), private.Seed(), now().UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("store the first signing key: %w", err)
	}
	if err := k.load(ctx); err != nil {
		return nil, err
	}
	if len(k.all) == 0 {
		return nil, errors.New("no signing key after making one")
	}
	return k, nil
}

// load reads all keys from the database.
func (k *keys) load(ctx context.Context) error {
	rows, err := k.reader.QueryContext(ctx, `SELECT kid, seed FROM signing_keys ORDER BY number`)
	if err != nil {
		return fmt.Errorf("read signing keys: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []signingKey
	for rows.Next() {
		var kid string
		var seed []byte
		if err := rows.Scan(&kid, &seed); err != nil {
			return fmt.Errorf("read signing keys: %w", err)
		}
		if len(seed) != ed25519.SeedSize {
			return fmt.Errorf("signing key %s is damaged", kid)
		}
		all = append(all, signingKey{kid, ed25519.NewKeyFromSeed(seed)})
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read signing keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all, k.loaded = all, k.now()
	return nil
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
	if err := k.load(ctx); err != nil {
		return nil, err
	}
	key, _ = k.find(kid)
	return key, nil
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

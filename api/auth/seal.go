package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// sealLabel sets the key that seals seeds apart from any other that may be derived from the same secret.
const sealLabel = "mago/signing-keys/v1"

// seal closes the seeds of signing keys with a secret that is not in the database: AES-256-GCM under a key that HKDF-SHA-256 derives from the
// secret, the key's id as associated data. The zero value has no secret and keeps seeds as they are.
type seal struct{ aead cipher.AEAD }

func newSeal(secret string) (seal, error) {
	if secret == "" {
		return seal{}, nil
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, sealLabel, 32)
	if err != nil {
		return seal{}, fmt.Errorf("derive the key that seals signing keys: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return seal{}, fmt.Errorf("derive the key that seals signing keys: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return seal{}, fmt.Errorf("derive the key that seals signing keys: %w", err)
	}
	return seal{aead}, nil
}

// secret tells whether there is one.
func (s seal) secret() bool { return s.aead != nil }

// close returns what is stored of a seed: nonce ‖ ciphertext ‖ tag.
func (s seal) close(kid string, seed []byte) []byte {
	if !s.secret() {
		return seed
	}
	return s.aead.Seal(nil, nil, seed, []byte(kid)) //nolint:gosec // the nonce is drawn by Seal and stands first
}

// open returns the seed of what is stored, or nil for what another secret sealed, what was sealed under another id, what is damaged, and, where
// there is a secret, for what was stored without one: whoever has an old copy of the database has that seed.
func (s seal) open(kid string, stored []byte) []byte {
	seed := stored
	if s.secret() {
		var err error
		if seed, err = s.aead.Open(nil, nil, stored, []byte(kid)); err != nil {
			return nil
		}
	}
	if len(seed) != ed25519.SeedSize {
		return nil
	}
	return seed
}

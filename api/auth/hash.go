package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
)

// HashParams is how hard a password is hashed.
type HashParams struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// DefaultHash is OWASP's recommendation for argon2id.
var DefaultHash = HashParams{Memory: 19 << 10, Passes: 2, Threads: 1}

const (
	saltBytes, keyBytes = 16, 32
	// hashWait is how long a caller waits for a turn before being told to come back.
	hashWait = 5 * time.Second
)

// encoding is the PHC string of a hash: parameters, salt and key.
const encoding = "$argon2id$v=%d$m=%d,t=%d,p=%d$%s"

// hasher hashes and checks passwords, a bounded number at a time: each takes megabytes and a core, and half of the cores
// are left to the tables whoever signs in.
type hasher struct {
	params HashParams
	derive func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte
	turns  chan struct{}
	dummy  string // checked where there is no account, so that this takes as long
}

func newHasher(p HashParams) *hasher {
	return &hasher{
		params: p, derive: argon2.IDKey, turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		dummy: encodeHash(p, make([]byte, saltBytes), make([]byte, keyBytes)),
	}
}

// hash returns the encoded hash of a password, or ErrBusy.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	key, err := h.key(ctx, h.params, password, salt)
	if err != nil {
		return "", err
	}
	return encodeHash(h.params, salt, key), nil
}

// verify tells whether the password is the one of the encoded hash. An empty one matches nothing, after the same work.
func (h *hasher) verify(ctx context.Context, password, encoded string) (bool, error) {
	known := encoded != ""
	if !known {
		encoded = h.dummy
	}
	params, salt, want, err := decodeHash(encoded)
	if err != nil {
		return false, err
	}
	key, err := h.key(ctx, params, password, salt)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1 && known, err
}

// key runs argon2id when it is this caller's turn.
func (h *hasher) key(ctx context.Context, p HashParams, password string, salt []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hashWait, ErrBusy)
	defer cancel()
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return h.derive([]byte(normal(password)), salt, p.Passes, p.Memory, p.Threads, keyBytes), nil
}

func encodeHash(p HashParams, salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(encoding, argon2.Version, p.Memory, p.Passes, p.Threads, b64(salt)+"$"+b64(key))
}

// decodeHash is the inverse of encodeHash.
func decodeHash(encoded string) (p HashParams, salt, key []byte, err error) {
	var version int
	var rest string
	if _, err := fmt.Sscanf(encoded, encoding, &version, &p.Memory, &p.Passes, &p.Threads, &rest); err != nil || version != argon2.Version {
		return p, nil, nil, fmt.Errorf("stored password hash is not argon2id version %d", argon2.Version)
	}
	saltText, keyText, _ := strings.Cut(rest, "$")
	if salt, err = base64.RawStdEncoding.DecodeString(saltText); err == nil {
		key, err = base64.RawStdEncoding.DecodeString(keyText)
	}
	if err != nil {
		return p, nil, nil, fmt.Errorf("read stored password hash: %w", err)
	}
	return p, salt, key, nil
}

package api

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"mago/eventstore"
	"mago/projections"
)

// A token of sync is a mark and when it was given, sealed for one user under the secret of the database's incarnation. So it shows nothing of how much is
// going on here, another user's is as good as none, and one from before a restore is known as such.
//
//	form (1 byte) ‖ incarnation (4) ‖ nonce (12) ‖ AES-256-GCM(time in Unix milliseconds as uvarint ‖ mark), base64 for addresses
const (
	tokenForm   = 1
	tokenHeader = 1 + 4
	tokenNonce  = 12
)

var (
	errBadToken = errors.New("not given out to this user")
	errResync   = errors.New("too old, or from before a restore of the database")
)

// sealToken makes a token of a mark.
func sealToken(secret []byte, user string, now time.Time, m eventstore.Mark) string {
	token := append([]byte{tokenForm}, incarnationOf(secret)...)
	nonce := make([]byte, tokenNonce)
	_, _ = rand.Read(nonce) // never fails
	content := binary.AppendUvarint(nil, uint64(now.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(tokenKey(secret).Seal(append(token, nonce...), nonce, append(content, m...), []byte(user)))
}

// openToken returns the mark of a token, errResync for one that was good once, or errBadToken.
func openToken(secret []byte, user string, now time.Time, token string) (eventstore.Mark, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) < tokenHeader+tokenNonce || b[0] != tokenForm {
		return "", errBadToken
	}
	if string(b[1:tokenHeader]) != string(incarnationOf(secret)) {
		return "", errResync
	}
	nonce, sealed := b[tokenHeader:tokenHeader+tokenNonce], b[tokenHeader+tokenNonce:]
	content, err := tokenKey(secret).Open(nil, nonce, sealed, []byte(user))
	if err != nil {
		return "", errBadToken
	}
	at, size := binary.Uvarint(content)
	if size <= 0 {
		return "", errBadToken
	}
	if now.UnixMilli()-int64(at) > projections.SyncLife.Milliseconds() { //nolint:gosec // written from an int64
		return "", errResync
	}
	return eventstore.Mark(content[size:]), nil
}

func tokenKey(secret []byte) cipher.AEAD {
	key := sha256.Sum256(append([]byte("mago/sync/v1\x00"), secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // not with 32 bytes
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // not with a cipher of 16 bytes
	}
	return gcm
}

// incarnationOf names an incarnation without telling its secret.
func incarnationOf(secret []byte) []byte {
	sum := sha256.Sum256(append([]byte("mago/incarnation/v1\x00"), secret...))
	return sum[:tokenHeader-1]
}

// Package idempotency keeps the first answers to requests that carry an Idempotency-Key, so that the same request sent again gets the
// same answer and has no further effect.
package idempotency

import (
	"crypto/hmac"
	"crypto/sha256"
)

// Request is a request with a key, as far as it is kept: nothing of what the client wrote can be read from it.
type Request struct {
	User string // id of who makes it
	key  [sha256.Size]byte
	hash [sha256.Size]byte
}

// NewRequest returns the request of a user. Two are the same if the user, key, method, path and body are, byte by byte.
func NewRequest(user, key, method, path string, body []byte) Request {
	r := Request{User: user, key: sha256.Sum256([]byte(key))}
	// Under the key, which is not kept: a body such as {"tricks":2} could be guessed from a plain hash.
	mac := hmac.New(sha256.New, []byte(key))
	for _, part := range []string{method, "\x00", path, "\x00"} { // neither can hold a zero byte
		_, _ = mac.Write([]byte(part))
	}
	_, _ = mac.Write(body)
	mac.Sum(r.hash[:0])
	return r
}

// Answer is what is kept of an answer: enough to build it again, and nothing that it said.
type Answer struct {
	Status  int
	Code    string // of a refusal, else ""
	Subject string // id of the game, or of what else it is about; "" for nothing
	Version int    // of the game; 0 where there is none
}

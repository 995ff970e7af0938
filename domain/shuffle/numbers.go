package shuffle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// numbers gives uniform numbers from blocks of eight 4-byte big-endian numbers.
type numbers struct {
	source func(i uint32) [32]byte // block i
	block  [32]byte
	next   uint32 // how many numbers were taken
}

// blocks returns the source HMAC-SHA-256(key, i as 4-byte big-endian).
func blocks(key [32]byte) func(uint32) [32]byte {
	return func(i uint32) [32]byte {
		h := hmac.New(sha256.New, key[:])
		h.Write(binary.BigEndian.AppendUint32(nil, i))
		return [32]byte(h.Sum(nil))
	}
}

func (n *numbers) uint32() uint32 {
	at := n.next % 8
	if at == 0 {
		n.block = n.source(n.next / 8)
	}
	n.next++
	return binary.BigEndian.Uint32(n.block[at*4:])
}

// below returns a number from 0 to m−1. Numbers at and above ⌊2³²/m⌋·m are skipped: taking them modulo m would favour the small ones.
func (n *numbers) below(m uint32) uint32 {
	limit := (1 << 32) / uint64(m) * uint64(m)
	for {
		if v := n.uint32(); uint64(v) < limit {
			return v % m
		}
	}
}

package eventstore

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// timeLayout is RFC 3339 with exactly three decimals; times are formatted in UTC.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Event is an event as bytes that is not yet in a stream.
type Event struct {
	Type   string // the name for ever, ASCII
	Data   []byte // canonical JSON (RFC 8785)
	Secret []byte // kept with the event and not covered by its hash; nil for most
}

// Tip is the end of a stream, or of the part of it that has been read. The zero Tip stands before a stream's first event.
type Tip struct {
	Version int
	Hash    Hash
	At      int64
}

// Seal makes the records that put the events behind the tip of a stream, all at the same time, each with a fresh salt from salts.
// The time must not be before the tip's. It fails only if salts does.
func Seal(stream uuid.UUID, tip Tip, at int64, salts io.Reader, events []Event) ([]Record, error) {
	records := make([]Record, len(events))
	prev := tip.Hash
	for i, e := range events {
		r := &records[i]
		*r = Record{Stream: stream, Version: tip.Version + 1 + i, Type: e.Type, At: at, Data: e.Data, Secret: e.Secret}
		if _, err := io.ReadFull(salts, r.Salt[:]); err != nil {
			return nil, fmt.Errorf("draw a salt: %w", err)
		}
		r.Hash = chained(prev, *r)
		prev = r.Hash
	}
	return records, nil
}

// Canonical returns what a record's hash covers besides the previous hash and the salt: the canonical JSON (RFC 8785) of
// {"at", "data", "game_id", "type", "version"}. The record's Data must be canonical already.
func Canonical(r Record) []byte {
	b := make([]byte, 0, len(r.Data)+len(r.Type)+140)
	b = append(b, `{"at":"`...)
	b = time.UnixMilli(r.At).UTC().AppendFormat(b, timeLayout)
	b = append(b, `","data":`...)
	b = append(b, r.Data...)
	b = append(b, `,"game_id":"`...)
	b = append(b, r.Stream.String()...)
	b = append(b, `","type":`...)
	b = appendString(b, r.Type)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, int64(r.Version), 10)
	return append(b, '}')
}

// VerifyChain checks that the records follow the tip of the stream: versions without a gap, times that never fall, hashes that chain.
// It returns the tip behind the last good record, and a *ChainError for the first that breaks the chain.
func VerifyChain(stream uuid.UUID, tip Tip, records []Record) (Tip, error) {
	for _, r := range records {
		if reason := breaks(stream, tip, r); reason != "" {
			return tip, &ChainError{Stream: stream, Version: tip.Version + 1, Reason: reason}
		}
		tip = Tip{Version: r.Version, Hash: r.Hash, At: r.At}
	}
	return tip, nil
}

// breaks says why the record can't stand behind the tip, or nothing if it can.
func breaks(stream uuid.UUID, tip Tip, r Record) string {
	switch {
	case r.Stream != stream:
		return "the record is of stream " + r.Stream.String()
	case r.Version != tip.Version+1:
		return fmt.Sprintf("the record has version %d", r.Version)
	case r.At < tip.At:
		return "the record is older than the one before it"
	case r.Hash != chained(tip.Hash, r):
		return "the hash does not match"
	}
	return ""
}

// ChainError says at which version a stream is not what was appended to it.
type ChainError struct {
	Stream  uuid.UUID
	Version int
	Reason  string
}

func (e *ChainError) Error() string {
	return fmt.Sprintf("stream %s breaks at version %d: %s", e.Stream, e.Version, e.Reason)
}

// chained is the hash of a record that stands behind one with the hash prev.
func chained(prev Hash, r Record) Hash {
	h := sha256.New()
	h.Write(prev[:])
	h.Write(r.Salt[:])
	h.Write(Canonical(r))
	return Hash(h.Sum(nil))
}

// appendString appends s as RFC 8785 writes a string: only what JSON itself can't hold is escaped, in the shortest form.
func appendString(b []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= 0x20:
			b = append(b, c)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\r':
			b = append(b, `\r`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	return append(b, '"')
}

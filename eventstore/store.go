// Package eventstore keeps append-only streams of events: bytes and versions, with no knowledge of any game.
//
// A Store is one database engine. Records of a stream are chained by salted hashes (chain.go), and Runner
// is the one loop through which every command goes: load, decide, append, retry.
package eventstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Hash is a SHA-256 sum in a stream's chain; the zero Hash stands before a stream's first event.
type Hash [32]byte

// Salt is the random value that keeps an event's hash from telling what its data is.
type Salt [16]byte

// Record is one stored event.
type Record struct {
	Stream  uuid.UUID
	Version int    // from 1, without a gap in a stream
	Type    string // the name for ever
	At      int64  // Unix milliseconds, never before the previous event's
	Data    []byte // canonical JSON (RFC 8785), unredacted
	Hash    Hash
	Salt    Salt
	Secret  []byte // what belongs to the event and no view, export or log of it may carry; nil for most
}

// Statement is a piece of SQL that runs in the transaction of an append, after its events: this is how read
// models are kept with the events while the store knows nothing of them. It is portable: $1 placeholders,
// arguments that are int64, string, []byte, bool or nil.
type Statement struct {
	SQL  string
	Args []any
}

// Batch is what one command appends: all of it is stored or nothing.
type Batch struct {
	Records []Record    // at least one, of one stream, versions without a gap; made by Seal
	Command uuid.UUID   // random; unique in the stream, so that an append of unknown outcome can be looked up
	With    []Statement // run in the same transaction; an error in one of them refuses the whole append
}

// Expected is the version the stream must have for the batch to be appended; 0 means that it must not exist.
func (b Batch) Expected() int { return b.Records[0].Version - 1 }

// Check returns why no stream could take the batch, whatever its version, or nil. Engines ask it first.
func (b Batch) Check() error {
	if len(b.Records) == 0 {
		return errors.New("append: no events")
	}
	if b.Command == uuid.Nil {
		return errors.New("append: no command id")
	}
	first := b.Records[0]
	if first.Version < 1 {
		return fmt.Errorf("append: version %d", first.Version)
	}
	for i, r := range b.Records {
		if r.Stream != first.Stream || r.Version != first.Version+i {
			return fmt.Errorf("append: version %d of stream %s follows version %d of stream %s",
				r.Version, r.Stream, first.Version+i-1, first.Stream)
		}
	}
	return nil
}

// Cursor is a place in the order of all events of a store. It is opaque: only the engine that gave it can read it.
// Cursors of one store compare as strings; the empty Cursor stands before everything.
type Cursor string

// Store is one database engine. All of its methods may be called at once from many goroutines.
type Store interface {
	// Append stores the batch. A *ConflictError means that the stream was not at the expected version and nothing
	// was stored. ErrUnknownOutcome (wrapped) means that it may or may not have been: ask Lookup, never repeat blindly.
	// Any other error means that nothing was stored.
	Append(ctx context.Context, b Batch) error
	// Read returns the records of a stream with versions above after, in order, at most limit of them (no bound if limit <= 0).
	// A stream that does not exist has no records.
	Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]Record, error)
	// ReadAll returns records of all streams behind the cursor, at most limit (> 0), in an order in which each stream's
	// versions rise, and the cursor behind the last of them. Nothing that commits later will ever stand before that cursor.
	// Where there is nothing new it returns the cursor it was given.
	ReadAll(ctx context.Context, after Cursor, limit int) ([]Record, Cursor, error)
	// Lookup returns the version of the first event that the command appended to the stream, or 0 if there is none.
	Lookup(ctx context.Context, stream, command uuid.UUID) (int, error)
}

// ErrUnknownOutcome is wrapped by an Append whose commit was neither confirmed nor refused.
var ErrUnknownOutcome = errors.New("outcome of the append is unknown")

// ErrUnavailable is wrapped by errors that say that the database can't be reached or is too busy now; nothing was stored.
var ErrUnavailable = errors.New("database unavailable")

// ConflictError says that a stream was not at the version an append expected.
type ConflictError struct {
	Stream   uuid.UUID
	Expected int
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("stream %s is not at version %d", e.Stream, e.Expected)
}

package eventstore

import (
	"context"
	"errors"
)

// Mark stands for the events that could be seen at a moment: all that were committed then and no other. It is opaque bytes, a few where little is
// written at once; the empty Mark stands for no event.
//
// It differs from a Cursor: a cursor waits until nothing can commit before it, which a reader of single streams need not. A mark is taken at once, and tells of
// each event whether it was there, in whatever order commits come.
type Mark string

// Marker is what engines offer to who asks for streams that have changed since.
type Marker interface {
	// Mark returns the mark of now, and ErrOtherHistory if since, a mark that was given before, stands for events that this database doesn't have:
	// it was put back to an older state, whatever has been appended afterwards.
	Mark(ctx context.Context, since Mark) (Mark, error)
	// Unseen returns an SQL condition that is true of those rows of the table events, under the name e, that a mark does not stand for. Its arguments are
	// for the placeholders from $first on; its text depends on first alone, so that a statement of it can stay prepared. Bytes that no mark has are ErrBadMark.
	Unseen(since Mark, first int) (condition string, args []any, err error)
}

// ErrOtherHistory says that a mark is of events that are not in the database.
var ErrOtherHistory = errors.New("the mark is of another history of the database")

// ErrBadMark says that bytes are no mark of the engine's.
var ErrBadMark = errors.New("no mark of this store")

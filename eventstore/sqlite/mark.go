package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"mago/eventstore"
)

// The position is the order of commits, so the newest event that can be seen stands for all before it, and its hash, drawn with a random salt, for the history: in
// a file that was put back to before that event, another has come to stand at its position, or none.
const sqlMark = `SELECT position, hash, (SELECT hash FROM events WHERE position = $1) FROM events ORDER BY position DESC LIMIT 1`

// markHash is how many bytes of a hash a mark holds.
const markHash = 8

var _ eventstore.Marker = (*Store)(nil)

// Mark returns the mark of now; see eventstore.Marker.
func (s *Store) Mark(ctx context.Context, since eventstore.Mark) (eventstore.Mark, error) {
	at, witness, err := parseMark(since)
	if err != nil {
		return "", err
	}
	stmt, err := s.prepare(ctx, sqlMark) //nolint:sqlclosecheck // kept until Close
	if err != nil {
		return "", s.failed("mark the events", err)
	}
	var position int64
	var newest, known []byte
	err = stmt.QueryRowContext(ctx, at).Scan(&position, &newest, &known)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return "", s.failed("mark the events", err)
	case since != "" && (len(known) < markHash || string(known[:markHash]) != witness):
		return "", eventstore.ErrOtherHistory
	case err != nil: // no events
		return "", nil
	case len(newest) < markHash:
		return "", fmt.Errorf("mark the events: the hash at position %d is cut short", position)
	}
	return eventstore.Mark(binary.AppendUvarint(nil, uint64(position))) + eventstore.Mark(newest[:markHash]), nil //nolint:gosec // positions are positive
}

// Unseen returns the condition for events that a mark does not stand for; see eventstore.Marker.
func (s *Store) Unseen(since eventstore.Mark, first int) (condition string, args []any, err error) {
	at, _, err := parseMark(since)
	return fmt.Sprintf("e.position > $%d", first), []any{at}, err
}

func parseMark(m eventstore.Mark) (position int64, witness string, err error) {
	if m == "" {
		return 0, "", nil
	}
	n, size := binary.Uvarint([]byte(m))
	if size <= 0 || n == 0 || n > 1<<62 || len(m) != size+markHash {
		return 0, "", eventstore.ErrBadMark
	}
	return int64(n), string(m[size:]), nil
}

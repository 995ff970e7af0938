package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"mago/eventstore"
)

const (
	sqlRead    = `SELECT position, stream_id, version, type, at, data, hash, private FROM events WHERE stream_id = $1 AND version > $2 ORDER BY version LIMIT $3`
	sqlReadAll = `SELECT position, stream_id, version, type, at, data, hash, private FROM events WHERE position > $1 ORDER BY position LIMIT $2`
	sqlLookup  = `SELECT version FROM events WHERE stream_id = $1 AND cmd_id = $2`
)

// Read returns the records of a stream; see eventstore.Store.
func (s *Store) Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]eventstore.Record, error) {
	if limit <= 0 {
		limit = -1
	}
	records, _, err := s.query(ctx, sqlRead, stream.String(), after, limit)
	if err != nil {
		return nil, s.failed("read stream "+stream.String(), err)
	}
	return records, nil
}

// ReadAll returns records of all streams in the order of their commits; see eventstore.Store. There is one writer, so positions are
// given in the order of commits, and AUTOINCREMENT gives none twice.
func (s *Store) ReadAll(ctx context.Context, after eventstore.Cursor, limit int) ([]eventstore.Record, eventstore.Cursor, error) {
	if limit <= 0 {
		return nil, after, fmt.Errorf("read all: limit %d", limit)
	}
	var position int64
	if after != "" {
		var err error
		position, err = strconv.ParseInt(string(after), 10, 64)
		if err != nil || position < 0 || cursor(position) != after {
			return nil, after, fmt.Errorf("read all: %q is no cursor of this store", after)
		}
	}
	records, last, err := s.query(ctx, sqlReadAll, position, limit)
	if err != nil {
		return nil, after, s.failed("read all", err)
	}
	if len(records) == 0 {
		return nil, after, nil
	}
	return records, cursor(last), nil
}

// failed is as the function; what fails because the store was closed says so.
func (s *Store) failed(doing string, err error) error {
	select {
	case <-s.closing:
		return fmt.Errorf("%s: %w", doing, errClosed)
	default:
		return failed(doing, err)
	}
}

// cursor writes a position so that cursors compare as strings: all of the same length.
func cursor(position int64) eventstore.Cursor {
	return eventstore.Cursor(fmt.Sprintf("%019d", position))
}

// Lookup returns the version a command's first event has in a stream; see eventstore.Store.
func (s *Store) Lookup(ctx context.Context, stream, command uuid.UUID) (int, error) {
	stmt, err := s.prepare(ctx, sqlLookup) //nolint:sqlclosecheck // kept until Close
	if err != nil {
		return 0, s.failed("look up a command", err)
	}
	var version int
	err = stmt.QueryRowContext(ctx, stream.String(), command.String()).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, s.failed("look up a command", err)
	}
	return version, nil
}

// query returns the records a statement selects, and the position of the last.
func (s *Store) query(ctx context.Context, query string, args ...any) (records []eventstore.Record, last int64, err error) {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // kept until Close
	if err != nil {
		return nil, 0, err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r eventstore.Record
		var hash, private sql.RawBytes
		if err := rows.Scan(&last, &r.Stream, &r.Version, &r.Type, &r.At, &r.Data, &hash, &private); err != nil {
			return nil, 0, err
		}
		if len(hash) != len(r.Hash) || len(private) < len(r.Salt) {
			return nil, 0, fmt.Errorf("version %d of stream %s: hash or salt is cut short", r.Version, r.Stream)
		}
		copy(r.Hash[:], hash)
		n := copy(r.Salt[:], private)
		r.Secret = append(r.Secret, private[n:]...)
		records = append(records, r)
	}
	return records, last, rows.Err()
}

// prepare returns the statement prepared on the reading pool. Statements are prepared when first used, since the tables may come after Open.
func (s *Store) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt, ok := s.prepared[query]; ok {
		return stmt, nil
	}
	select {
	case <-s.closing:
		return nil, errClosed
	default:
	}
	stmt, err := s.reader.PrepareContext(ctx, query) //nolint:sqlclosecheck // kept until Close
	if err != nil {
		return nil, err
	}
	s.prepared[query] = stmt
	return stmt, nil
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"mago/eventstore"
)

const (
	sqlRead = `SELECT epoch, xid, position, stream_id, version, type, at, data, hash, private FROM events
 WHERE stream_id = $1 AND version > $2 ORDER BY version LIMIT $3`
	// What is below the oldest running transaction is complete, since later ones have higher ids; of earlier epochs nothing runs any more. The
	// bound must be of the same snapshot as the rows. The comparison of rows is one range of the index; written out with OR it is not.
	sqlReadAll = `SELECT epoch, xid, position, stream_id, version, type, at, data, hash, private FROM events
 WHERE (epoch, xid, position) > ($1, $2, $3)
   AND (epoch < (SELECT epoch FROM event_epoch) OR xid < pg_snapshot_xmin(pg_current_snapshot()))
 ORDER BY epoch, xid, position LIMIT $4`
	// The message makes the answer wait until it is as safe as an acknowledged append: where a standby is waited for, a commit whose wait was broken
	// off can be seen here before it is there.
	sqlLookup = `SELECT version, pg_logical_emit_message(true, 'mago', '')::text FROM events WHERE stream_id = $1 AND cmd_id = $2`
)

// Read returns the records of a stream; see eventstore.Store.
func (s *Store) Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]eventstore.Record, error) {
	var bound any // NULL is no bound
	if limit > 0 {
		bound = limit
	}
	records, _, err := s.query(ctx, sqlRead, [16]byte(stream), after, bound)
	if err != nil {
		return nil, failed("read stream "+stream.String(), err)
	}
	return records, nil
}

// ReadAll returns records of all streams in the order of their transactions' ids; see eventstore.Store. A transaction that runs on holds
// back everything behind it, wherever in the cluster it runs.
func (s *Store) ReadAll(ctx context.Context, after eventstore.Cursor, limit int) ([]eventstore.Record, eventstore.Cursor, error) {
	if limit <= 0 {
		return nil, after, fmt.Errorf("read all: limit %d", limit)
	}
	var from place
	if after != "" {
		var err error
		if from, err = parseCursor(after); err != nil {
			return nil, after, fmt.Errorf("read all: %w", err)
		}
	}
	records, last, err := s.query(ctx, sqlReadAll, from.epoch, from.xid, from.position, limit)
	if err != nil {
		return nil, after, failed("read all", err)
	}
	if len(records) == 0 {
		return nil, after, nil
	}
	return records, last.cursor(), nil
}

// Lookup returns the version a command's first event has in a stream; see eventstore.Store.
func (s *Store) Lookup(ctx context.Context, stream, command uuid.UUID) (version int, err error) {
	err = s.reading(ctx, s.writer, func(conn *pgx.Conn) error {
		var message string
		return conn.QueryRow(ctx, sqlLookup, [16]byte(stream), [16]byte(command)).Scan(&version, &message)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, failed("look up a command", err)
	}
	return version, nil
}

// query returns the records a statement selects, and the place of the last.
func (s *Store) query(ctx context.Context, query string, args ...any) (records []eventstore.Record, last place, err error) {
	err = s.reading(ctx, s.reader, func(conn *pgx.Conn) error {
		records = nil
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var r eventstore.Record
			var hash, private pgtype.DriverBytes // valid until the next row
			if err := rows.Scan(&last.epoch, &last.xid, &last.position, (*[16]byte)(&r.Stream), &r.Version, &r.Type, &r.At, &r.Data, &hash, &private); err != nil {
				return err
			}
			if len(hash) != len(r.Hash) || len(private) < len(r.Salt) {
				return fmt.Errorf("version %d of stream %s: hash or salt is cut short", r.Version, r.Stream)
			}
			copy(r.Hash[:], hash)
			n := copy(r.Salt[:], private)
			r.Secret = append(r.Secret, private[n:]...)
			records = append(records, r)
		}
		return rows.Err()
	})
	return records, last, err
}

// maxReads bounds how often something is read because the connection was lost.
const maxReads = 3

// reading runs f, which must only read, on a connection of the pool, and again on another where the connection was lost.
func (s *Store) reading(ctx context.Context, pool *pgxpool.Pool, f func(*pgx.Conn) error) error {
	var err error
	for range maxReads {
		var conn *pgxpool.Conn
		if conn, err = s.acquire(ctx, pool); err != nil {
			return err
		}
		err = f(conn.Conn())
		lost := conn.Conn().IsClosed()
		conn.Release()
		if err == nil || !lost {
			break
		}
		s.noteLost()
		if ctx.Err() != nil {
			break
		}
	}
	return err
}

// place is where an event stands among all: transactions in the order of their ids, and the events of one in the order of their positions.
type place struct {
	epoch    int16
	xid      uint64
	position int64
}

const cursorForm = "%05d.%020d.%019d"

// cursor writes a place so that cursors compare as strings: all numbers of fixed length.
func (p place) cursor() eventstore.Cursor {
	return eventstore.Cursor(fmt.Sprintf(cursorForm, p.epoch, p.xid, p.position))
}

func parseCursor(c eventstore.Cursor) (p place, err error) {
	_, err = fmt.Sscanf(string(c), "%d.%d.%d", &p.epoch, &p.xid, &p.position)
	if err != nil || p.cursor() != c || p.epoch < 0 || p.position < 0 {
		return place{}, errors.New(strconv.Quote(string(c)) + " is no cursor of this store")
	}
	return p, nil
}

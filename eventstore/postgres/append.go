package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mago/eventstore"
)

// An append moves the head of its stream and puts the events behind it, in one statement. Where there is no head to move it fails, and so does
// what stands behind it in the transaction. A transaction must be younger than the stream's last one: who follows all events goes by their order.
//
// The shape is measured: each node that keeps rows (a join with event_epoch, a sort, one more WITH) costs the database as much as the insert itself.
const (
	sqlNewStream = `WITH head AS (
 INSERT INTO streams (stream_id, version, head_hash, epoch, last_xid)
 VALUES ($1, $3, $4, (SELECT epoch FROM event_epoch), pg_current_xact_id())
 ON CONFLICT DO NOTHING
 RETURNING epoch)` + sqlEvents
	sqlMoveHead = `WITH head AS (
 UPDATE streams SET version = $3, head_hash = $4, epoch = (SELECT epoch FROM event_epoch), last_xid = pg_current_xact_id()
 WHERE stream_id = $1 AND version = $2 AND (epoch, last_xid) < ((SELECT epoch FROM event_epoch), pg_current_xact_id())
 RETURNING epoch)` + sqlEvents
	sqlEvents = `
INSERT INTO events (epoch, xid, stream_id, version, at, cmd_id, type, hash, private, data)
SELECT coalesce((SELECT epoch FROM head), append_refused($1, $2)), pg_current_xact_id(), $1, $2 + e.n, $5, CASE e.n WHEN 1 THEN $6::uuid END,
 e.type, e.hash, e.private, e.data
FROM unnest($7::text[], $8::bytea[], $9::bytea[], $10::bytea[]) WITH ORDINALITY e (type, hash, private, data, n)`
)

// maxAttempts bounds how often an append is sent that was rolled back for a reason which a fresh transaction doesn't meet.
const maxAttempts = 4

// Append stores the batch; see eventstore.Store. What was rolled back by a deadlock or the like is tried again here; what may help to
// try later wraps ErrUnavailable.
func (s *Store) Append(ctx context.Context, b eventstore.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	var err error
	for range maxAttempts {
		if err = s.append(ctx, b); err == nil || !again(err) || errors.Is(err, eventstore.ErrUnknownOutcome) {
			break
		}
	}
	return err
}

// append sends the batch once.
func (s *Store) append(ctx context.Context, b eventstore.Batch) error {
	conn, err := s.acquire(ctx, s.writer)
	if err != nil {
		return err
	}
	defer conn.Release()
	stream := b.Records[0].Stream
	results := conn.SendBatch(ctx, message(b))
	for i := range 1 + len(b.With) {
		if _, err = results.Exec(); err == nil {
			continue
		}
		if i == 0 && codeOf(err) == codeConflict {
			err = &eventstore.ConflictError{Stream: stream, Expected: b.Expected()}
		} else if i == 0 {
			err = notStored("append to stream "+stream.String(), err, conn.Conn().IsClosed())
		} else {
			err = notStored(fmt.Sprintf("statement %d with an append to stream %s", i, stream), err, conn.Conn().IsClosed())
		}
		break
	}
	if end := results.Close(); err == nil && end != nil {
		err = notCommitted("append to stream "+stream.String(), end)
	}
	if conn.Conn().IsClosed() {
		s.noteLost()
	}
	if codeOf(err) == "25006" {
		s.writer.Reset() // the other connections too lead to what is no primary any more
	}
	return err
}

// message puts the append and its statements together: they are sent at once and run in one transaction.
func message(b eventstore.Batch) *pgx.Batch {
	n := len(b.Records)
	types, hashes, privates, data := make([]string, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for i := range b.Records {
		r := &b.Records[i]
		types[i], hashes[i], data[i] = r.Type, r.Hash[:], r.Data
		privates[i] = append(r.Salt[:len(r.Salt):len(r.Salt)], r.Secret...)
	}
	first, last := &b.Records[0], &b.Records[n-1]
	query := sqlMoveHead
	if b.Expected() == 0 {
		query = sqlNewStream
	}
	m := &pgx.Batch{}
	m.Queue(query, [16]byte(first.Stream), int32(b.Expected()), int32(last.Version), last.Hash[:], first.At, [16]byte(b.Command), //nolint:gosec // versions
		types, hashes, privates, data)
	for _, st := range b.With {
		m.Queue(st.SQL, st.Args...)
	}
	return m
}

// notStored says what an error means that came instead of a statement's answer. An answer that says no is a no, as is an error before anything
// was sent to be run; but where the connection broke, all may have been run and its answer lost.
func notStored(doing string, err error, broken bool) error {
	var unsent pgx.ErrPreprocessingBatch
	if codeOf(err) == "" && broken && !pgconn.SafeToRetry(err) && !errors.As(err, &unsent) {
		return unknown(doing, err)
	}
	return failed(doing, err)
}

// notCommitted says what an error means that came instead of the answer to the commit, after all statements had run.
func notCommitted(doing string, err error) error {
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.SeverityUnlocalized == "ERROR" {
		return failed(doing, err)
	}
	return unknown(doing, err)
}

func unknown(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, eventstore.ErrUnknownOutcome, err)
}

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
const (
	sqlNewStream = `WITH head AS (
 INSERT INTO streams (stream_id, version, head_hash, epoch, last_xid)
 SELECT $1, $2 + cardinality($6::text[]), $3, epoch, pg_current_xact_id() FROM event_epoch
 ON CONFLICT DO NOTHING
 RETURNING epoch, last_xid)` + sqlEvents
	sqlMoveHead = `WITH head AS (
 UPDATE streams s SET version = $2 + cardinality($6::text[]), head_hash = $3, epoch = e.epoch, last_xid = pg_current_xact_id()
 FROM event_epoch e
 WHERE s.stream_id = $1 AND s.version = $2 AND (s.epoch, s.last_xid) < (e.epoch, pg_current_xact_id())
 RETURNING s.epoch, s.last_xid)` + sqlEvents
	sqlEvents = `, stored AS (
 INSERT INTO events (epoch, xid, stream_id, version, at, cmd_id, type, hash, private, data)
 SELECT head.epoch, head.last_xid, $1, $2 + e.n, $4, CASE e.n WHEN 1 THEN $5::uuid END, e.type, e.hash, e.private, e.data
 FROM head, unnest($6::text[], $7::bytea[], $8::bytea[], $9::bytea[]) WITH ORDINALITY e (type, hash, private, data, n)
 ORDER BY e.n
 RETURNING version)
SELECT CASE count(*) WHEN 0 THEN append_refused($1::uuid, $2::integer) ELSE count(*) END FROM stored`
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
	m.Queue(query, [16]byte(first.Stream), int32(b.Expected()), last.Hash[:], first.At, [16]byte(b.Command), types, hashes, privates, data) //nolint:gosec // a version
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

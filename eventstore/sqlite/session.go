package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"mago/eventstore"
)

const (
	sqlNewStream = `INSERT INTO streams (stream_id, version, head_hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	sqlMoveHead  = `UPDATE streams SET version = $2, head_hash = $3 WHERE stream_id = $1 AND version = $4`
	sqlAppend    = `INSERT INTO events (stream_id, version, type, at, cmd_id, data, hash, private) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
)

// maxPrepared bounds the statements kept prepared. Their texts are few, unless somebody builds texts at run time.
const maxPrepared = 256

// session is the writing connection with its prepared statements. database/sql can't prepare on a connection that is held
// without losing the statement when it is given back, so this talks to the driver.
type session struct {
	conn  driver.Conn
	stmts map[string]driver.Stmt
}

func newSession(conn driver.Conn) *session {
	return &session{conn: conn, stmts: make(map[string]driver.Stmt)}
}

// close frees the prepared statements; the connection is the pool's.
func (w *session) close() {
	for _, stmt := range w.stmts {
		_ = stmt.Close()
	}
	clear(w.stmts)
}

func (w *session) begin() error {
	_, err := w.exec("BEGIN IMMEDIATE")
	return err
}

func (w *session) commit() error {
	_, err := w.exec("COMMIT")
	return err
}

// rollback ends the transaction if SQLite has not ended it already. A connection that can't do so is unusable: driver.ErrBadConn.
func (w *session) rollback() error {
	if _, err := w.exec("ROLLBACK"); err != nil {
		return driver.ErrBadConn
	}
	return nil
}

// append writes the batch within the open transaction, or nothing and err. broken says that the whole transaction is lost.
func (w *session) append(b eventstore.Batch) (err, broken error) {
	if _, broken = w.exec("SAVEPOINT append"); broken != nil {
		return nil, broken
	}
	err = w.insert(b)
	if err != nil {
		if _, lost := w.exec("ROLLBACK TO append"); lost != nil {
			return nil, errors.Join(err, lost)
		}
	}
	if _, broken = w.exec("RELEASE append"); broken != nil {
		return nil, broken
	}
	return err, nil
}

func (w *session) insert(b eventstore.Batch) error {
	id := b.Records[0].Stream
	stream := id.String()
	last := &b.Records[len(b.Records)-1]
	var moved int64
	var err error
	if b.Expected() == 0 {
		moved, err = w.exec(sqlNewStream, stream, int64(last.Version), last.Hash[:])
	} else {
		moved, err = w.exec(sqlMoveHead, stream, int64(last.Version), last.Hash[:], int64(b.Expected()))
	}
	if err != nil {
		return failed("append to stream "+stream, err)
	}
	if moved != 1 {
		return &eventstore.ConflictError{Stream: id, Expected: b.Expected()}
	}
	var command driver.Value = b.Command.String()
	for i := range b.Records {
		r := &b.Records[i]
		private := append(r.Salt[:len(r.Salt):len(r.Salt)], r.Secret...)
		if _, err := w.exec(sqlAppend, stream, int64(r.Version), r.Type, r.At, command, r.Data, r.Hash[:], private); err != nil {
			return failed(fmt.Sprintf("append version %d to stream %s", r.Version, stream), err)
		}
		command = nil // it stands on the command's first event
	}
	for i, st := range b.With {
		if _, err := w.exec(st.SQL, st.Args...); err != nil {
			return failed(fmt.Sprintf("statement %d with an append to stream %s", i+1, stream), err)
		}
	}
	return nil
}

// exec runs a statement and returns how many rows it changed. It takes no context: an interrupted statement would take the
// whole transaction with it.
func (w *session) exec(query string, args ...any) (int64, error) {
	stmt, err := w.prepare(query)
	if err != nil {
		return 0, err
	}
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return 0, fmt.Errorf("argument $%d: %w", i+1, err)
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	result, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), named)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (w *session) prepare(query string) (driver.Stmt, error) {
	if stmt, ok := w.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := w.conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	if len(w.stmts) >= maxPrepared {
		w.close()
	}
	w.stmts[query] = stmt
	return stmt, nil
}

package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"mago/eventstore"
)

// openDB returns the pool's connections as a sql.DB whose errors say what they mean in eventstore's terms.
func (s *Store) openDB(pool *pgxpool.Pool, reads bool) *sql.DB {
	db := sql.OpenDB(connector{Connector: stdlib.GetPoolConnector(pool), store: s, reads: reads})
	db.SetMaxIdleConns(0) // the pool keeps them
	return db
}

type connector struct {
	driver.Connector
	store *Store
	reads bool
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.store.acquireTimeout)
	defer cancel()
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a connection: %w: %w", eventstore.ErrUnavailable, err)
	}
	return &handle{Conn: conn.(*stdlib.Conn), store: c.store, reads: c.reads}, nil
}

// handle is a connection as database/sql sees it.
type handle struct {
	*stdlib.Conn
	store *Store
	reads bool // it can only read
	inTx  bool
}

func (h *handle) Prepare(query string) (driver.Stmt, error) {
	return h.PrepareContext(context.Background(), query)
}

func (h *handle) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := h.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, h.failed(err, false)
	}
	return &statement{Stmt: stmt.(*stdlib.Stmt), handle: h}, nil
}

func (h *handle) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := h.Conn.BeginTx(ctx, opts)
	if err != nil {
		return nil, h.failed(err, false)
	}
	h.inTx = true
	return &transaction{Tx: tx, handle: h}, nil
}

func (h *handle) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := h.Conn.ExecContext(ctx, query, args)
	if err != nil {
		return nil, h.failed(err, !h.inTx)
	}
	return result, nil
}

func (h *handle) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	found, err := h.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, h.failed(err, !h.inTx)
	}
	return &rows{Rows: found.(*stdlib.Rows), handle: h}, nil
}

// failed says what the error means. commits is whether what failed may have been committed with its answer lost.
func (h *handle) failed(err error, commits bool) error {
	if h.Conn.Conn().IsClosed() {
		h.store.noteLost()
	}
	if codeOf(err) != "" || !isLost(err) || pgconn.SafeToRetry(err) {
		return plain(err)
	}
	switch {
	case h.reads:
		// With ErrBadConn in it, database/sql reads again on another connection.
		return fmt.Errorf("%w: %w: %w", eventstore.ErrUnavailable, driver.ErrBadConn, err)
	case commits:
		return fmt.Errorf("%w: %w", eventstore.ErrUnknownOutcome, err)
	}
	return plain(err)
}

// plain adds ErrUnavailable where it is meant. ErrBadConn stays in it: that is said before anything was sent.
func plain(err error) error {
	if isUnavailable(err) {
		return fmt.Errorf("%w: %w", eventstore.ErrUnavailable, err)
	}
	return err
}

type transaction struct {
	driver.Tx
	handle *handle
}

func (t *transaction) Commit() error {
	t.handle.inTx = false
	if err := t.Tx.Commit(); err != nil {
		return t.handle.failed(err, true)
	}
	return nil
}

func (t *transaction) Rollback() error {
	t.handle.inTx = false
	return t.Tx.Rollback()
}

type statement struct {
	*stdlib.Stmt
	handle *handle
}

func (st *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	result, err := st.Stmt.ExecContext(ctx, args)
	if err != nil {
		return nil, st.handle.failed(err, !st.handle.inTx)
	}
	return result, nil
}

func (st *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	found, err := st.Stmt.QueryContext(ctx, args)
	if err != nil {
		return nil, st.handle.failed(err, !st.handle.inTx)
	}
	return &rows{Rows: found.(*stdlib.Rows), handle: st.handle}, nil
}

type rows struct {
	*stdlib.Rows
	handle *handle
}

func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == nil || err == io.EOF { //nolint:errorlint // the driver's own end of the rows; a lost connection's is wrapped
		return err
	}
	return r.handle.failed(err, !r.handle.inTx)
}

// Close reads what is left, so it too may find the connection lost: QueryRow looks for its one row and learns of it here.
func (r *rows) Close() error {
	if err := r.Rows.Close(); err != nil {
		return r.handle.failed(err, !r.handle.inTx)
	}
	return nil
}

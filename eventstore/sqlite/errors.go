package sqlite

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mago/eventstore"
)

// errClosed answers what comes after Close.
var errClosed = fmt.Errorf("the store is closed: %w", eventstore.ErrUnavailable)

// failed wraps an error of the database with what was being done, and with ErrUnavailable if trying again later may help.
func failed(doing string, err error) error {
	if isUnavailable(err) {
		return fmt.Errorf("%s: %w: %w", doing, eventstore.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func isUnavailable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL:
		return true
	}
	return false
}

// code is the primary result code of an SQLite error, 0 for any other error.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"mago/eventstore"
)

// SQLSTATEs that append_refused raises.
const (
	codeConflict = "MG001"
	codeOlder    = "MG002"
)

// failed wraps an error of the database with what was being done, and with ErrUnavailable if trying again later may help.
// It is for what has stored nothing.
func failed(doing string, err error) error {
	if isUnavailable(err) {
		return fmt.Errorf("%s: %w: %w", doing, eventstore.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func isUnavailable(err error) bool {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		return passing(answer.Code)
	}
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || pgconn.SafeToRetry(err) || isLost(err) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, puddle.ErrClosedPool)
}

// isLost reports whether the connection broke before the database's answer came.
func isLost(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, pgconn.ErrConnClosed)
}

// passing reports whether what the SQLSTATE says may pass by itself. Everything else is refused for ever.
func passing(code string) bool {
	switch code {
	case codeOlder,
		"25006", // read-only: this is no primary any more
		"55P03", // a lock was not to be had
		"57014": // statement timeout
		return true
	}
	for _, class := range []string{
		"08",  // connection
		"40",  // serialization, deadlock
		"53",  // out of connections, memory, disk
		"57P", // shutting down, starting up
		"58",  // the system below
	} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// again reports whether the transaction was rolled back for a reason that a fresh one doesn't meet.
func again(err error) bool {
	switch codeOf(err) {
	case codeOlder, "40001", "40P01":
		return true
	}
	return false
}

// codeOf is the SQLSTATE of an error, "" if the database didn't send it.
func codeOf(err error) string {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		return answer.Code
	}
	return ""
}

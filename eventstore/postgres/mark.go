package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"mago/eventstore"
)

const (
	// What a snapshot sees is what has an id up to the highest it sees, but for the transactions that ran then. Those above the highest event are left out:
	// in a database that was put back their ids are given out again.
	sqlMark = `SELECT epoch, xid, position, epoch = (SELECT epoch FROM event_epoch), pg_current_snapshot()::text
 FROM events ORDER BY epoch DESC, xid DESC, position DESC LIMIT 1`
	// The newest events of a mark: of those put back to, or of another history, some are missing or others.
	sqlWitness = `SELECT e.hash FROM events e WHERE (e.epoch, e.xid, e.position) <= ($1, $2, $3) AND NOT (e.epoch = $1 AND e.xid = ANY ($4::text::xid8[]))
 ORDER BY e.epoch DESC, e.xid DESC, e.position DESC LIMIT $5`
	// Placeholders: epoch, xid, transactions that ran.
	sqlUnseen = `((e.epoch, e.xid) > ($%[1]d, $%[2]d::text::xid8) OR e.epoch = $%[1]d AND e.xid = ANY ($%[3]d::text::xid8[]))`
)

const (
	// witnesses is how many of the newest events a mark is known by. One would do if ids were given in the order of commits: it could stay where an event with a
	// lower id, committed after it, is gone.
	witnesses = 32
	// markHash is how many bytes of their hashes' sum it holds.
	markHash = 8
)

var _ eventstore.Marker = (*Store)(nil)

// mark is a mark as this engine understands it.
type mark struct {
	place
	running []uint64 // transactions below place that had not ended, highest first
	witness string
}

// Mark returns the mark of now; see eventstore.Marker.
func (s *Store) Mark(ctx context.Context, since eventstore.Mark) (eventstore.Mark, error) {
	old, err := parseMark(since)
	if err != nil {
		return "", err
	}
	var now mark
	var known string
	err = s.reading(ctx, s.reader, func(conn *pgx.Conn) error {
		if known, err = witness(ctx, conn, old); err != nil {
			return err
		}
		if now, err = newest(ctx, conn); err != nil {
			return err
		}
		now.witness, err = witness(ctx, conn, now)
		return err
	})
	empty := errors.Is(err, pgx.ErrNoRows)
	switch {
	case err != nil && !empty:
		return "", failed("mark the events", err)
	case since != "" && known != old.witness:
		return "", eventstore.ErrOtherHistory
	case empty:
		return "", nil
	}
	return now.bytes(), nil
}

func newest(ctx context.Context, conn *pgx.Conn) (m mark, err error) {
	var current bool
	var snapshot string
	if err := conn.QueryRow(ctx, sqlMark).Scan(&m.epoch, &m.xid, &m.position, &current, &snapshot); err != nil || !current {
		return m, err
	}
	_, running, _ := strings.Cut(snapshot, ":")
	_, running, _ = strings.Cut(running, ":")
	for text := range strings.SplitSeq(running, ",") {
		if xid, err := strconv.ParseUint(text, 10, 64); err == nil && xid < m.xid {
			m.running = append(m.running, xid)
		}
	}
	slices.Sort(m.running)
	slices.Reverse(m.running)
	return m, nil
}

// witness returns what a mark's newest events are known by.
func witness(ctx context.Context, conn *pgx.Conn, m mark) (string, error) {
	rows, err := conn.Query(ctx, sqlWitness, m.epoch, m.xid, m.position, m.list(), witnesses)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for rows.Next() {
		sum.Write(rows.RawValues()[0])
	}
	return string(sum.Sum(nil)[:markHash]), rows.Err()
}

// Unseen returns the condition for events that a mark does not stand for; see eventstore.Marker.
func (s *Store) Unseen(since eventstore.Mark, first int) (condition string, args []any, err error) {
	m, err := parseMark(since)
	return fmt.Sprintf(sqlUnseen, first, first+1, first+2), []any{int64(m.epoch), strconv.FormatUint(m.xid, 10), m.list()}, err
}

// list is the transactions that ran as PostgreSQL writes an array.
func (m mark) list() string {
	text := make([]string, len(m.running))
	for i, xid := range m.running {
		text[i] = strconv.FormatUint(xid, 10)
	}
	return "{" + strings.Join(text, ",") + "}"
}

// bytes writes the place, the witness, and each running transaction by its distance from the one above it.
func (m mark) bytes() eventstore.Mark {
	b := binary.AppendUvarint(nil, uint64(m.epoch)) //nolint:gosec // from 1
	b = binary.AppendUvarint(b, m.xid)
	b = binary.AppendUvarint(b, uint64(m.position)) //nolint:gosec // from 1
	b = append(b, m.witness...)
	above := m.xid
	for _, xid := range m.running {
		b = binary.AppendUvarint(b, above-xid)
		above = xid
	}
	return eventstore.Mark(b)
}

func parseMark(bytes eventstore.Mark) (m mark, err error) {
	if bytes == "" {
		return m, nil
	}
	b := []byte(bytes)
	next := func(most uint64) uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > most {
			err, b = eventstore.ErrBadMark, nil
			return 0
		}
		b = b[size:]
		return n
	}
	m.epoch = int16(next(1<<15 - 1)) //nolint:gosec // bounded
	m.xid = next(1 << 63)
	m.position = int64(next(1 << 62)) //nolint:gosec // bounded
	if len(b) < markHash {
		return mark{}, eventstore.ErrBadMark
	}
	m.witness, b = string(b[:markHash]), b[markHash:]
	for above := m.xid; len(b) > 0; {
		above -= next(above)
		m.running = append(m.running, above)
	}
	if err != nil {
		return mark{}, err
	}
	return m, nil
}

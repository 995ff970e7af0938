package projections

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"mago/domain/game"
	"mago/eventstore"
)

// SyncLife is how long it may be asked what has changed since a mark. Departures are kept for longer.
const SyncLife = 30 * 24 * time.Hour

// Sync tells users which of their games have changed.
//
// It must miss nothing, whatever server did it: clocks of servers differ and appends commit in any order, so neither times nor numbers given before a commit can
// say what is new. A mark can (eventstore.Marker): it tells of each event whether it was there when the mark was taken. A game has changed since a mark if its newest event
// was not there; a user has left one if the event of their leaving was not. The next mark is taken before the games are read, so that what commits between the
// two is told now and once more with the next answer, and never left out.
type Sync struct {
	marks          eventstore.Marker
	reader, writer *sql.DB
}

// NewSync returns the changes in a database.
func NewSync(marks eventstore.Marker, reader, writer *sql.DB) *Sync {
	return &Sync{marks: marks, reader: reader, writer: writer}
}

// Change is a game as a change tells of it, like one that is listed. Of a game that the user has left, or was removed from, only ID and Version are known: when they left.
type Change struct {
	State game.State
	Gone  bool
}

const changed = `SELECT g.game_id, g.version, g.status, g.updated_at, g.summary FROM game_players p JOIN games g ON g.game_id = p.game_id`

// Unfinished returns all games of a user that are not over, newest activity first, and the mark to ask for changes since.
func (s *Sync) Unfinished(ctx context.Context, user string) ([]Change, eventstore.Mark, error) {
	return s.changes(ctx, "", changed+` WHERE p.user_id = $1 AND g.status IN ('lobby', 'playing')`, user)
}

// Since returns the games of a user that have changed since a mark, those that ended or that the user has left among them, newest activity first, and the
// next mark. A game may be told again that had changed just before the mark. eventstore.ErrOtherHistory and eventstore.ErrBadMark say that the mark can't be of use here.
func (s *Sync) Since(ctx context.Context, user string, since eventstore.Mark) ([]Change, eventstore.Mark, error) {
	unseen, args, err := s.marks.Unseen(since, 2)
	if err != nil {
		return nil, "", err
	}
	query := changed + ` JOIN events e ON e.stream_id = g.game_id AND e.version = g.version WHERE p.user_id = $1 AND ` + unseen + `
 UNION ALL SELECT d.game_id, d.version, '', d.at, NULL FROM departures d
 JOIN events e ON e.stream_id = d.game_id AND e.version = d.version WHERE d.user_id = $1 AND ` + unseen
	return s.changes(ctx, since, query, append([]any{user}, args...)...)
}

// changes takes the next mark, and then runs a query for changes.
func (s *Sync) changes(ctx context.Context, since eventstore.Mark, query string, args ...any) (out []Change, next eventstore.Mark, err error) {
	if next, err = s.marks.Mark(ctx, since); err != nil {
		return nil, "", err
	}
	rows, err := s.reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, "", fmt.Errorf("look for changes: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		change, err := scanChange(rows)
		if err != nil {
			return nil, "", err
		}
		out = append(out, change)
	}
	if err := rows.Err(); err != nil {
		return nil, "", fmt.Errorf("look for changes: %w", err)
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Compare(b.State.UpdatedAt, a.State.UpdatedAt) })
	return out, next, nil
}

func scanChange(rows *sql.Rows) (change Change, err error) {
	var (
		id, status string
		version    int
		updatedAt  int64
		data       []byte
	)
	if err := rows.Scan(&id, &version, &status, &updatedAt, &data); err != nil {
		return change, fmt.Errorf("look for changes: %w", err)
	}
	if status == "" {
		return Change{State: game.State{ID: id, Version: version, UpdatedAt: updatedAt}, Gone: true}, nil
	}
	change.State, err = restore(id, version, status, updatedAt, data)
	return change, err
}

// Secret returns the random bytes of this incarnation of the database. A database that was restored and said to be has others.
func (s *Sync) Secret(ctx context.Context) ([]byte, error) {
	var text string
	if err := s.reader.QueryRowContext(ctx, `SELECT secret FROM incarnation`).Scan(&text); err != nil {
		return nil, fmt.Errorf("read the incarnation of the database: %w", err)
	}
	secret, err := hex.DecodeString(text)
	if err != nil || len(secret) != secretSize {
		return nil, fmt.Errorf("the incarnation of the database is no text of %d bytes in hex", secretSize)
	}
	return secret, nil
}

const secretSize = 32

// Restored begins another incarnation of the database: nobody can ask any more what has changed since before, so that apps get everything anew.
func (s *Sync) Restored(ctx context.Context) error {
	var secret [secretSize]byte
	_, _ = rand.Read(secret[:]) // never fails
	if _, err := s.writer.ExecContext(ctx, `UPDATE incarnation SET secret = $1`, hex.EncodeToString(secret[:])); err != nil {
		return fmt.Errorf("begin another incarnation of the database: %w", err)
	}
	return nil
}

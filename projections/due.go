package projections

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// dueGame is a game with a clock at work, and when that asks for something.
type dueGame struct {
	at int64
	id uuid.UUID
}

// due returns the next games whose clocks ask for something at a time, behind a place in their order.
func (l *Lists) due(ctx context.Context, now int64, behind dueGame) ([]dueGame, error) {
	return l.places(ctx, `SELECT due_at, game_id FROM games WHERE awaited <> 0 AND (due_at, game_id) > ($1, $2) AND due_at <= $3
 ORDER BY due_at, game_id LIMIT $4`, max(behind.at, 1), behind.id.String(), now, dueAtOnce)
}

// untouched returns the next games with a clock at work in which nothing has happened since a time, behind a place in their order.
func (l *Lists) untouched(ctx context.Context, since int64, behind dueGame) ([]dueGame, error) {
	return l.places(ctx, `SELECT due_at, game_id FROM games WHERE awaited <> 0 AND (due_at, game_id) > ($1, $2) AND updated_at < $3
 ORDER BY due_at, game_id LIMIT $4`, max(behind.at, 1), behind.id.String(), since, dueAtOnce)
}

func (l *Lists) places(ctx context.Context, query string, args ...any) (out []dueGame, err error) {
	rows, err := l.reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list clocks: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var p dueGame
		if err := rows.Scan(&p.at, &p.id); err != nil {
			return nil, fmt.Errorf("list clocks: %w", err)
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// Watch is how the clocks of all games are.
type Watch struct {
	Stuck int       // games that wait for a clock or a bot while neither is at work; always 0
	Next  time.Time // when a clock next asks for something; zero for never
}

// Watch looks at the clocks of all games.
func (l *Lists) Watch(ctx context.Context) (w Watch, err error) {
	var next sql.NullInt64
	err = l.reader.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM games WHERE awaited <> 0 AND due_at = 0 AND bot_turn = 0),
 (SELECT min(due_at) FROM games WHERE awaited <> 0 AND due_at > 0)`).Scan(&w.Stuck, &next)
	if err != nil {
		return w, fmt.Errorf("watch clocks: %w", err)
	}
	if next.Valid {
		w.Next = time.UnixMilli(next.Int64)
	}
	return w, nil
}

// Stuck returns the games that wait for a clock or a bot while neither is at work. There are none.
func (l *Lists) Stuck(ctx context.Context) ([]uuid.UUID, error) {
	return l.ids(ctx, `SELECT game_id FROM games WHERE awaited <> 0 AND due_at = 0 AND bot_turn = 0`)
}

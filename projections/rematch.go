package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mago/domain/game"
)

// Rematch is the newest game that follows another.
type Rematch struct {
	Number int // 0: none yet
	Next   uuid.UUID
}

// RematchOf returns the newest game that follows a game.
func (c *Company) RematchOf(ctx context.Context, gameID string) (r Rematch, err error) {
	err = c.reader.QueryRowContext(ctx, `SELECT number, next_id FROM rematches WHERE game_id = $1 ORDER BY number DESC LIMIT 1`, gameID).Scan(&r.Number, &r.Next)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("look up a rematch: %w", err)
	}
	return r, nil
}

// InsertRematch is to be run with the first events of the game that follows. Of two that follow at once it lets one be stored.
func InsertRematch(gameID string, r Rematch) Statement {
	return Statement{SQL: `INSERT INTO rematches (game_id, number, next_id) VALUES ($1, $2, $3)`, Args: []any{gameID, int64(r.Number), r.Next.String()}}
}

// Rotated is the seat to the left, where somebody sits in the next game.
func Rotated(seat game.Seat, players int) game.Seat {
	return game.Seat((int(seat) + 1) % players) //nolint:gosec // below 6
}

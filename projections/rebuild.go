package projections

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
)

// Rebuild writes the inline read models of all games anew from their streams, and returns how many games there are. Servers may go on
// meanwhile.
func Rebuild(ctx context.Context, db *sql.DB, games *Games) (int, error) {
	n := 0
	for last := ""; ; {
		ids, err := streamsAfter(ctx, db, last)
		if err != nil {
			return n, err
		}
		if len(ids) == 0 {
			break
		}
		for _, id := range ids {
			if err := rebuild(ctx, db, games, id); err != nil {
				return n, fmt.Errorf("rebuild game %s: %w", id, err)
			}
			n++
		}
		last = ids[len(ids)-1].String()
	}
	for _, strays := range []string{ // rows of no stream
		`DELETE FROM games WHERE game_id NOT IN (SELECT stream_id FROM streams)`,
		`DELETE FROM game_players WHERE game_id NOT IN (SELECT stream_id FROM streams)`,
	} {
		if _, err := db.ExecContext(ctx, strays); err != nil {
			return n, fmt.Errorf("rebuild: %w", err)
		}
	}
	return n, nil
}

// rebuild writes one game's rows.
func rebuild(ctx context.Context, db *sql.DB, games *Games, id uuid.UUID) error {
	for {
		g, err := games.Load(ctx, id)
		if err != nil {
			return err
		}
		if newest, err := replace(ctx, db, &g); newest || err != nil {
			return err
		}
	}
}

// replace writes one game's rows, whatever stands there; false if the game has moved on since it was loaded.
func replace(ctx context.Context, db *sql.DB, g *Game) (newest bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	s := &g.State
	// The write takes the stream's head, so that nothing is appended before the rows are in their place.
	res, err := tx.ExecContext(ctx, `UPDATE streams SET version = version WHERE stream_id = $1 AND version = $2`, s.ID, s.Version)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM games WHERE game_id = $1`, s.ID); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, insertGame, gameRow(s)...); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM game_players WHERE game_id = $1`, s.ID); err != nil {
		return false, err
	}
	for seat, p := range s.Seats {
		if p.Free() {
			continue
		}
		if _, err := tx.ExecContext(ctx, insertPlayer, p.User, s.ID, int64(seat)); err != nil {
			return false, err
		}
	}
	return true, tx.Commit()
}

// rebuildPage is how many streams are looked up at a time.
const rebuildPage = 500

func streamsAfter(ctx context.Context, db *sql.DB, last string) ([]uuid.UUID, error) {
	if last == "" {
		last = uuid.Nil.String()
	}
	return ids(ctx, db, `SELECT stream_id FROM streams WHERE stream_id > $1 ORDER BY stream_id LIMIT $2`, last, rebuildPage)
}

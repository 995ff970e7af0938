package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mago/eventstore"
)

// Rebuild writes the inline read models of all games anew from their streams, and returns how many it wrote. Servers may go on
// meanwhile. A game that can't be read keeps no other from being rebuilt; the error names each.
func Rebuild(ctx context.Context, db *sql.DB, games *Games) (int, error) {
	n := 0
	var unreadable error
	for last := ""; ; {
		ids, err := streamsAfter(ctx, db, last)
		if err != nil {
			return n, err
		}
		if len(ids) == 0 {
			break
		}
		for _, id := range ids {
			err := rebuild(ctx, db, games, id)
			var corrupt *eventstore.CorruptError
			switch {
			case errors.As(err, &corrupt):
				unreadable = errors.Join(unreadable, err)
			case err != nil:
				return n, fmt.Errorf("rebuild game %s: %w", id, err)
			default:
				n++
			}
		}
		last = ids[len(ids)-1].String()
	}
	for _, strays := range []string{ // rows of no stream
		`DELETE FROM games WHERE game_id NOT IN (SELECT stream_id FROM streams)`,
		`DELETE FROM game_players WHERE game_id NOT IN (SELECT stream_id FROM streams)`,
		`DELETE FROM departures WHERE game_id NOT IN (SELECT stream_id FROM streams)`,
	} {
		if _, err := db.ExecContext(ctx, strays); err != nil {
			return n, fmt.Errorf("rebuild: %w", err)
		}
	}
	return n, unreadable
}

// rebuild writes one game's rows.
func rebuild(ctx context.Context, db *sql.DB, games *Games, id uuid.UUID) error {
	for {
		g, err := games.Load(ctx, id)
		if err != nil {
			return err
		}
		left, err := departures(ctx, games, id, g.Version)
		if err != nil {
			return err
		}
		if newest, err := replace(ctx, db, &g, left); newest || err != nil {
			return err
		}
	}
}

// holdHead changes nothing but takes a stream's head for the transaction, if the stream stands at a version.
const holdHead = `UPDATE streams SET version = version WHERE stream_id = $1 AND version = $2`

// replace writes one game's rows, whatever stands there; false if the game has moved on since it was loaded.
func replace(ctx context.Context, db *sql.DB, g *Game, left []departure) (newest bool, err error) {
	s := &g.State
	err = inTx(ctx, db, func(tx *sql.Tx) error {
		// The write takes the stream's head, so that nothing is appended before the rows are in their place.
		res, err := tx.ExecContext(ctx, holdHead, s.ID, s.Version)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		newest = true
		rows := []Statement{
			{SQL: `DELETE FROM games WHERE game_id = $1`, Args: []any{s.ID}},
			{SQL: insertGame, Args: gameRow(s)},
			{SQL: `DELETE FROM game_players WHERE game_id = $1`, Args: []any{s.ID}},
		}
		for seat, p := range s.Seats {
			if p.User != "" {
				rows = append(rows, Statement{SQL: insertPlayer, Args: []any{p.User, s.ID, int64(seat)}})
			}
		}
		rows = append(rows, Statement{SQL: `DELETE FROM departures WHERE game_id = $1`, Args: []any{s.ID}})
		for _, d := range left {
			rows = append(rows, d.insert(s.ID))
		}
		return run(ctx, tx, rows)
	})
	return newest, err
}

// rebuildPage is how many streams are looked up at a time.
const rebuildPage = 500

func streamsAfter(ctx context.Context, db *sql.DB, last string) ([]uuid.UUID, error) {
	if last == "" {
		last = uuid.Nil.String()
	}
	return ids(ctx, db, `SELECT stream_id FROM streams WHERE stream_id > $1 ORDER BY stream_id LIMIT $2`, last, rebuildPage)
}

package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mago/domain/game"
)

// ExpireLobbies cancels every lobby that was not touched for game.LobbyLife before now, and returns how many. Any number of servers may do so at once.
func ExpireLobbies(ctx context.Context, lists *Lists, games *Games, now time.Time) (int, error) {
	ids, err := lists.staleLobbies(ctx, now.UnixMilli()-game.LobbyLife)
	if err != nil {
		return 0, err
	}
	var failed error
	n := 0
	for _, id := range ids {
		_, err := games.Do(ctx, id, func(g Game) (Decision, error) {
			events, err := game.Decide(g.State, game.ExpireLobby{Now: now.UnixMilli()})
			return Decision{Events: events}, err
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("expire lobby %s: %w", id, err))
			continue
		}
		n++
	}
	return n, failed
}

// staleLobbies returns the lobbies last touched at a time or before it.
func (l *Lists) staleLobbies(ctx context.Context, before int64) (out []uuid.UUID, err error) {
	rows, err := l.reader.QueryContext(ctx, `SELECT game_id FROM games WHERE status = 'lobby' AND updated_at <= $1`, before)
	if err != nil {
		return nil, fmt.Errorf("list lobbies: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("list lobbies: %w", err)
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

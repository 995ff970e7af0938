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
func (l *Lists) staleLobbies(ctx context.Context, before int64) ([]uuid.UUID, error) {
	return l.ids(ctx, `SELECT game_id FROM games WHERE status = 'lobby' AND updated_at <= $1`, before)
}

package projections

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mago/domain/game"
)

// departure is a user's leaving a lobby, or their removal from it: what is left for them to know of a game in which they no longer sit.
type departure struct {
	user    string
	version int // of the event
	at      int64
}

func (d departure) insert(gameID string) Statement {
	return Statement{SQL: insertDeparture, Args: []any{d.user, gameID, int64(d.version), d.at}}
}

// departures returns who left a game up to a version, and didn't come back.
func departures(ctx context.Context, games *Games, id uuid.UUID, version int) (out []departure, err error) {
	const page = 200
	var seats [game.MaxPlayers]string
	for after := 0; after < version; after += page {
		events, err := games.Events(ctx, id, after, min(page, version-after))
		if err != nil {
			return nil, err
		}
		for _, past := range events {
			if e, ok := past.Event.(game.PlayerJoined); ok {
				seats[e.Seat] = e.UserID
				out = slices.DeleteFunc(out, func(d departure) bool { return d.user == e.UserID })
			}
			if e, ok := past.Event.(game.PlayerLeft); ok {
				if user := seats[e.Seat]; user != "" { // no bot
					out = append(out, departure{user: user, version: past.Version, at: past.At})
				}
				seats[e.Seat] = ""
			}
			if _, started := past.Event.(game.GameStarted); started { // nobody leaves any more
				return out, nil
			}
		}
	}
	return out, nil
}

// Removed tells whether a user is out of a lobby that stands at a version because the host removed them from it.
func Removed(ctx context.Context, games *Games, id uuid.UUID, version int, user string) (removed bool, err error) {
	events, err := games.Events(ctx, id, 0, version)
	if err != nil {
		return false, err
	}
	var seats [game.MaxPlayers]string
	for _, past := range events {
		switch e := past.Event.(type) { //nolint:gochecksumtype // what fills and empties seats
		case game.PlayerJoined:
			seats[e.Seat] = e.UserID
			removed = removed && e.UserID != user
		case game.PlayerLeft:
			if seats[e.Seat] == user {
				removed = e.By == game.ByHost
			}
			seats[e.Seat] = ""
		}
	}
	return removed, nil
}

// PruneDepartures forgets who left lobbies before a time.
func (l *Lists) PruneDepartures(ctx context.Context, before time.Time) error {
	if _, err := l.writer.ExecContext(ctx, `DELETE FROM departures WHERE at < $1`, before.UnixMilli()); err != nil {
		return fmt.Errorf("prune departures: %w", err)
	}
	return nil
}

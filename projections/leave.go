package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
)

// LeaveGames takes a user out of every lobby and resigns every running game that they sit in, and forgets what they asked for in games. It may be repeated. A game that can't be read is at
// a stand for everybody and is passed over; any other failure keeps no game behind it from being left.
func LeaveGames(ctx context.Context, lists *Lists, games *Games, user string) error {
	ids, err := lists.unfinished(ctx, user)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		_, err := games.Do(ctx, id, func(g Game) (Decision, error) {
			events, err := leave(&g.State, user)
			return Decision{Events: events}, err
		})
		var corrupt *eventstore.CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			failed = errors.Join(failed, fmt.Errorf("leave game %s: %w", id, err))
		}
	}
	return errors.Join(failed, lists.forget(ctx, user))
}

// forget removes what a user asked for that stands in no game's stream.
func (l *Lists) forget(ctx context.Context, user string) error {
	for _, statement := range []string{
		`DELETE FROM vacations WHERE user_id = $1`,
		`DELETE FROM invitations WHERE inviter = $1 OR invitee = $1`,
		`DELETE FROM blocks WHERE user_id = $1 OR blocked_id = $1`,
	} {
		if _, err := l.writer.ExecContext(ctx, statement, user); err != nil {
			return fmt.Errorf("forget user %s: %w", user, err)
		}
	}
	return nil
}

// leave returns the events of a user's leaving as the game stands, none if there is nothing to leave.
func leave(s *game.State, user string) ([]game.Event, error) {
	seat := s.SeatOf(user)
	switch {
	case seat == game.NoSeat || s.Away[seat] == game.Resigned:
		return nil, nil
	case s.Status == game.Lobby:
		return game.Decide(*s, game.LeaveLobby{Seat: seat, By: seat})
	case s.Status == game.Playing:
		return game.Decide(*s, game.Resign{Seat: seat})
	}
	return nil, nil
}

// unfinished returns the games that a user sits in and that are not over.
func (l *Lists) unfinished(ctx context.Context, user string) ([]uuid.UUID, error) {
	return l.ids(ctx, `SELECT g.game_id FROM game_players p JOIN games g ON g.game_id = p.game_id
 WHERE p.user_id = $1 AND g.status IN ('lobby', 'playing')`, user)
}

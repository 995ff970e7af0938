// Package projections is everything that follows the events: read models kept in the transaction of an append, and what
// keeps time over games.
package projections

import (
	"slices"

	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
)

// Games runs the streams of games and keeps their inline read models.
type Games = eventstore.Runner[game.State, game.Event]

// Decision is what a command does to a game.
type Decision = eventstore.Decision[game.Event]

// Statement is SQL that is run with a command's events.
type Statement = eventstore.Statement

// Game is a game as Games loads it.
type Game = eventstore.Loaded[game.State]

// NewGames returns the runner of the games in a store.
func NewGames(store eventstore.Store, opts eventstore.Options) *Games {
	return eventstore.NewRunner(store, eventstore.Aggregate[game.State, game.Event]{
		Encode: func(e game.Event) eventstore.Event {
			data, secret := game.Encode(e)
			return eventstore.Event{Type: game.TypeOf(e), Data: data, Secret: secret}
		},
		Decode: Decode,
		Evolve: game.Evolve,
		Inline: inline,
	}, opts)
}

// Decode returns the event in a record.
func Decode(r eventstore.Record) (game.Event, error) {
	e, err := game.Decode(r.Type, r.Data, r.Secret)
	if created, ok := e.(game.GameCreated); ok {
		created.ID = r.Stream.String()
		return created, err
	}
	return e, err
}

const (
	insertGame = `INSERT INTO games (game_id, version, status, visibility, updated_at, turn, bot_turn, due_at, awaited, on_vacation, may_rest, summary)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	upsertGame = insertGame + `
 ON CONFLICT (game_id) DO UPDATE SET version = excluded.version, status = excluded.status, updated_at = excluded.updated_at,
  turn = excluded.turn, bot_turn = excluded.bot_turn, due_at = excluded.due_at, awaited = excluded.awaited,
  on_vacation = excluded.on_vacation, may_rest = excluded.may_rest, summary = excluded.summary`
	insertPlayer    = `INSERT INTO game_players (user_id, game_id, seat) VALUES ($1, $2, $3)`
	deletePlayer    = `DELETE FROM game_players WHERE game_id = $1 AND seat = $2`
	insertDeparture = `INSERT INTO departures (user_id, game_id, version, at) VALUES ($1, $2, $3, $4)`
	deleteDeparture = `DELETE FROM departures WHERE user_id = $1 AND game_id = $2`
)

// inline returns the statements that bring the read models from before the events to after them.
func inline(_ uuid.UUID, before, after Game, events []game.Event) []eventstore.Statement {
	s := &after.State
	out := []eventstore.Statement{{SQL: upsertGame, Args: gameRow(s)}}
	for i, e := range events {
		switch e := e.(type) {
		case game.PlayerJoined:
			out = append(out, eventstore.Statement{SQL: insertPlayer, Args: []any{e.UserID, s.ID, int64(e.Seat)}},
				eventstore.Statement{SQL: deleteDeparture, Args: []any{e.UserID, s.ID}})
		case game.PlayerLeft:
			out = append(out, eventstore.Statement{SQL: deletePlayer, Args: []any{s.ID, int64(e.Seat)}})
			// Who sat there before the command: nobody joins and leaves by one. Bots have no user.
			if user := before.State.Seats[e.Seat].User; user != "" {
				out = append(out, departure{user: user, version: before.Version + i + 1, at: after.At}.insert(s.ID))
			}
		case game.GameCreated, game.ClientSeedSet, game.InviteCodeRenewed, game.GameStarted, game.Dealt, game.TrumpSet, game.BidPlaced, game.BidsRevealed,
			game.CardPlayed, game.TrickWon, game.RoundScored, game.GameFinished, game.PlayerResigned, game.GameCancelled, game.BotSeated,
			game.EngineSet, game.TurnTimedOut, game.SeatTakenOver, game.SeatReclaimed, game.EndVoted, game.PauseVoted, game.ClockPaused,
			game.ClockResumed, game.ClockExtended:
		}
	}
	return slices.Concat(out, withoutPremoves(s.ID, events), withoutInvitations(&before, &after, events))
}

// gameRow returns the columns of a game's row, in the order of insertGame.
func gameRow(s *game.State) []any {
	return []any{
		s.ID, int64(s.Version), s.Status.String(), s.Visibility.String(), s.UpdatedAt, int64(s.Turn()), int64(s.BotTurn()),
		s.Due(), number(s.Awaited()), int64(s.OnVacation()), int64(s.MayRest()), summarize(s),
	}
}

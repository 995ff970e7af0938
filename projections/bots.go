package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mago/domain/bot"
	"mago/domain/game"
	"mago/eventstore"
)

// Bots plays on for the seats whose players have left. It knows of a seat's game what the seat may see.
type Bots struct {
	Lists *Lists
	Games *Games
	// Choose returns a bot's move for a view; false if it has none to make.
	Choose func(game.View) (bot.Choice, bool)

	unreadable map[uuid.UUID]bool // games that were reported once and are let be
}

// MoveAll makes the bots' moves in all games that wait for one, and returns how many it made. Any number of servers may do so at once: who is late
// finds the turn gone. It is not to be called twice at once on the same Bots.
func (b *Bots) MoveAll(ctx context.Context) (int, error) {
	ids, err := b.Lists.ids(ctx, `SELECT game_id FROM games WHERE bot_turn <> 0`)
	if err != nil {
		return 0, err
	}
	moves := 0
	var failed error
	for _, id := range ids {
		if b.unreadable[id] {
			continue
		}
		n, err := b.Move(ctx, id)
		moves += n
		var corrupt *eventstore.CorruptError
		if errors.As(err, &corrupt) {
			if b.unreadable == nil {
				b.unreadable = make(map[uuid.UUID]bool)
			}
			b.unreadable[id] = true
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("bot's move in game %s: %w", id, err))
		}
	}
	return moves, failed
}

// Move makes the bots' moves in a game until it waits for a person or is over, and returns how many it made.
func (b *Bots) Move(ctx context.Context, id uuid.UUID) (int, error) {
	for n := 0; ; n++ {
		moved := false
		_, err := b.Games.Do(ctx, id, func(g Game) (Decision, error) {
			events, err := b.move(&g.State)
			moved = len(events) > 0
			return Decision{Events: events}, err
		})
		if err != nil || !moved {
			return n, err
		}
	}
}

// move returns the events of the next bot's move, none where none is to be made.
func (b *Bots) move(s *game.State) ([]game.Event, error) {
	for _, seat := range s.BotTurn().All() {
		if choice, ok := b.Choose(s.View(seat)); ok {
			return game.Decide(*s, choice.Command())
		}
	}
	return nil, nil
}

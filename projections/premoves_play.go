package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
)

// PlayAll makes the moves of all premoves whose turn has come, drops those of which none is legal or whose time has passed, and returns how many it made. A game in which
// that fails is let be for half a Poll, however often the bell rings.
func (m *Premoves) PlayAll(ctx context.Context) (int, error) {
	seen, resting := map[string]int{}, map[uuid.UUID]time.Time{}
	now, most := time.Now(), 1000
	if m.Now != nil {
		now = m.Now()
	}
	if m.AtOnce > 0 {
		most = m.AtOnce
	}
	for id, until := range m.resting {
		if until.After(now) {
			resting[id] = until
		}
	}
	var failed error
	n := 0
	for behind := (stored{}); ; {
		page, err := m.find(ctx, `(g.status <> 'playing' OR ((g.turn & ~g.bot_turn) >> p.seat) & 1 = 1)
 AND (p.game_id, p.seat) > ($1, $2) ORDER BY p.game_id, p.seat LIMIT $3`, behind.game.String(), int64(behind.move.Seat), most)
		if err != nil {
			return n, errors.Join(failed, err)
		}
		for _, s := range page {
			if _, rests := resting[s.game]; rests {
				continue
			}
			if m.seen[s.id] == s.version { // it waits for a later turn, or its game can't be read
				seen[s.id] = s.version
				continue
			}
			played, _, err := m.play(ctx, s)
			var corrupt *eventstore.CorruptError
			switch {
			case errors.As(err, &corrupt):
				seen[s.id] = s.version
			case err != nil:
				resting[s.game] = now.Add(Poll / 2)
			case played:
				n++
			default:
				seen[s.id] = s.version
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("premove in game %s: %w", s.game, err))
			}
		}
		if len(page) < most {
			break
		}
		behind = page[len(page)-1]
	}
	m.seen, m.resting = seen, resting
	return n, failed
}

// Play makes the move of a seat's premove if its turn has come, and returns the game as it then stands.
func (m *Premoves) Play(ctx context.Context, id uuid.UUID, seat game.Seat) (Game, error) {
	found, err := m.find(ctx, `p.game_id = $1 AND p.seat = $2`, id.String(), int64(seat))
	if err != nil {
		return Game{}, err
	}
	if len(found) == 0 {
		return m.Games.Load(ctx, id)
	}
	_, g, err := m.play(ctx, found[0])
	return g, err
}

func (m *Premoves) play(ctx context.Context, s stored) (played bool, g Game, err error) {
	passed := false
	g, err = m.Games.Do(ctx, s.game, func(g Game) (Decision, error) {
		c, waits := g.State.Premoved(s.move)
		played, passed = c != nil, c == nil && !waits
		if c == nil {
			return Decision{}, nil
		}
		var outages []game.Outage
		if m.Outages != nil {
			var err error
			if outages, err = m.Outages(ctx); err != nil { // here, behind the wait for the game: that may have been one
				return Decision{}, err
			}
		}
		events, err := game.Decide(g.State, game.AfterOutages{Outages: outages, Command: c})
		return Decision{Events: events, With: s.spend()}, err
	})
	if err != nil {
		if there, lost := m.there(ctx, s); lost == nil && !there && !errors.Is(err, eventstore.ErrUnknownOutcome) { // taken back, replaced, or played by another server
			g, err = m.Games.Load(ctx, s.game)
		}
		return false, g, err
	}
	if passed {
		_, err = m.Lists.writer.ExecContext(ctx, `DELETE FROM premoves WHERE game_id = $1 AND seat = $2 AND id = $3`, s.game.String(), int64(s.move.Seat), s.id)
	}
	return played, g, err
}

// spend are the statements that remove the premove with its move. If it is not there any more, or is another, they fail and the move with them: the first waits for who
// removes it at this moment, the second puts null where none may be.
func (s stored) spend() []eventstore.Statement {
	id, seat := s.game.String(), int64(s.move.Seat)
	return []eventstore.Statement{
		{SQL: `UPDATE premoves SET spent = 1 WHERE game_id = $1 AND seat = $2 AND id = $3`, Args: []any{id, seat, s.id}},
		{SQL: `INSERT INTO premoves (game_id, seat, id, round, trick, move, spent)
 VALUES ($1, $2, $3, 0, 0, '', (SELECT spent FROM premoves WHERE game_id = $1 AND seat = $2 AND id = $3)) ON CONFLICT (game_id, seat) DO NOTHING`, Args: []any{id, seat, s.id}},
		{SQL: `DELETE FROM premoves WHERE game_id = $1 AND seat = $2 AND id = $3`, Args: []any{id, seat, s.id}},
	}
}

// there tells whether the premove still is what it was.
func (m *Premoves) there(ctx context.Context, s stored) (bool, error) {
	found, err := m.find(ctx, `p.game_id = $1 AND p.seat = $2 AND p.id = $3`, s.game.String(), int64(s.move.Seat), s.id)
	return len(found) == 1, err
}

package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
)

// unsettled lists the seats whose players are on vacation and could have their clock stand, and those whose clock stands for a vacation that is over. %s narrows it down.
const unsettled = `SELECT g.game_id, p.seat, 1 FROM vacations v JOIN game_players p ON p.user_id = v.user_id JOIN games g ON g.game_id = p.game_id
 WHERE v.until > $1 AND (g.may_rest >> p.seat) & 1 = 1 %s
UNION ALL
SELECT g.game_id, p.seat, 0 FROM games g JOIN game_players p ON p.game_id = g.game_id
 WHERE g.on_vacation <> 0 AND (g.on_vacation >> p.seat) & 1 = 1
  AND NOT EXISTS (SELECT 1 FROM vacations v WHERE v.user_id = p.user_id AND v.until > $1) %[1]s`

// Settle makes vacations hold in all running games of those who are on one, and ends them there when they are over. It returns in how many places something was to be
// done. It may be stopped anywhere and repeated, by any number of servers at once.
func (v *Vacations) Settle(ctx context.Context) (int, error) {
	return v.settle(ctx, fmt.Sprintf(unsettled, ""), v.now())
}

// SettleUser is Settle for one user alone.
func (v *Vacations) SettleUser(ctx context.Context, user string) (int, error) {
	return v.settle(ctx, fmt.Sprintf(unsettled, "AND p.user_id = $2"), v.now(), user)
}

func (v *Vacations) settle(ctx context.Context, query string, args ...any) (int, error) {
	places, err := v.unsettled(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("look up vacations: %w", err)
	}
	var outages []game.Outage
	if v.Outages != nil && len(places) > 0 {
		if outages, err = v.Outages(ctx); err != nil {
			return 0, err
		}
	}
	var failed error
	n := 0
	for _, p := range places {
		_, err := v.Games.Do(ctx, p.game, func(g Game) (Decision, error) {
			events, err := game.Decide(g.State, game.AfterOutages{Outages: outages, Command: p.command})
			return Decision{Events: events}, err
		})
		var corrupt *eventstore.CorruptError
		switch {
		case err == nil:
			n++
		case !errors.As(err, &corrupt): // that game is at a stand for everybody
			failed = errors.Join(failed, fmt.Errorf("vacation in game %s: %w", p.game, err))
		}
	}
	return n, failed
}

// place is a seat in a game that has something to learn of a vacation.
type place struct {
	game    uuid.UUID
	command game.Command
}

func (v *Vacations) unsettled(ctx context.Context, query string, args ...any) (out []place, err error) {
	rows, err := v.Lists.reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		p, err := scanPlace(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

func scanPlace(rows *sql.Rows) (p place, err error) {
	var seat game.Seat
	var away bool
	if err := rows.Scan(&p.game, &seat, &away); err != nil {
		return p, err
	}
	p.command = game.EndVacation{Seat: seat}
	if away {
		p.command = game.TakeVacation{Seat: seat}
	}
	return p, nil
}

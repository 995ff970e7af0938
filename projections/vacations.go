package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"mago/domain/game"
)

// Vacations keeps the users' vacations: days a year in which their clocks stand. A vacation costs the whole days that have begun in it, at least
// one, so that nobody gains by ending and beginning again. A day counts in the calendar year (UTC) in which it begins.
type Vacations struct {
	Lists *Lists
	Games *Games
	Days  int              // that a user has each year
	Now   func() time.Time // the wall clock without one
	// Outages are what clocks are given back before they are told; none if it is nil.
	Outages func(context.Context) ([]game.Outage, error)
}

// Vacation is where a user stands.
type Vacation struct {
	Since, Until int64 // of the one that is on, Unix milliseconds; 0 for none
	Left         int   // days of this year, the one that is on counted to its end
}

var (
	// ErrNoVacationLeft says that a year has not so many days left.
	ErrNoVacationLeft = errors.New("not so many days of vacation are left")
	// ErrVacationPassed says that so short a vacation would be over already.
	ErrVacationPassed = errors.New("the vacation has lasted longer than that")
)

// day is what vacations are counted in, in milliseconds.
const day = 24 * 60 * 60 * 1000

// span is one vacation.
type span struct{ began, until int64 }

// days is what the vacation costs.
func (s span) days() int64 { return max(1, (s.until-s.began+day-1)/day) }

// daysIn is what it costs of a year.
func (s span) daysIn(year int) (n int) {
	for i := range s.days() {
		if yearOf(s.began+i*day) == year {
			n++
		}
	}
	return n
}

func yearOf(at int64) int { return time.UnixMilli(at).UTC().Year() }

func (v *Vacations) now() int64 {
	if v.Now == nil {
		return time.Now().UnixMilli()
	}
	return v.Now().UnixMilli()
}

// Of tells how a user stands.
func (v *Vacations) Of(ctx context.Context, user string) (Vacation, error) {
	now := v.now()
	spans, err := spansOf(ctx, v.Lists.reader, user)
	if err != nil {
		return Vacation{}, fmt.Errorf("read the vacations of user %s: %w", user, err)
	}
	out := Vacation{Left: max(0, v.Days-spent(spans, yearOf(now)))}
	if n := len(spans); n > 0 && spans[n-1].until > now {
		out.Since, out.Until = spans[n-1].began, spans[n-1].until
	}
	return out, nil
}

// Take makes the user's vacation last for so many days from its beginning, which is now unless one is on. It ends by itself.
func (v *Vacations) Take(ctx context.Context, user string, days int) error {
	return v.change(ctx, user, func(tx *sql.Tx, now int64, spans []span) error {
		next := span{began: now, until: now + int64(days)*day}
		if n := len(spans); n > 0 && spans[n-1].until > now {
			next.began = spans[n-1].began
			next.until = next.began + int64(days)*day
			spans = spans[:n-1]
		}
		if next.until <= now {
			return ErrVacationPassed
		}
		spans = append(spans, next)
		for year := yearOf(next.began); year <= yearOf(next.until-1); year++ {
			if spent(spans, year) > v.Days {
				return ErrNoVacationLeft
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO vacations (user_id, began_at, until) VALUES ($1, $2, $3)
 ON CONFLICT (user_id, began_at) DO UPDATE SET until = excluded.until`, user, next.began, next.until)
		return err
	})
}

// End ends the user's vacation now; without one it does nothing.
func (v *Vacations) End(ctx context.Context, user string) error {
	return v.change(ctx, user, func(tx *sql.Tx, now int64, _ []span) error {
		_, err := tx.ExecContext(ctx, `UPDATE vacations SET until = $1 WHERE user_id = $2 AND until > $1`, now, user)
		return err
	})
}

// change lets f change a user's vacations, one such change after the other.
func (v *Vacations) change(ctx context.Context, user string, f func(tx *sql.Tx, now int64, spans []span) error) error {
	err := inTx(ctx, v.Lists.writer, func(tx *sql.Tx) error {
		// Nothing changes but that who else wants to change them waits.
		if _, err := tx.ExecContext(ctx, `UPDATE users SET deleted_at = deleted_at WHERE id = $1`, user); err != nil {
			return err
		}
		spans, err := spansOf(ctx, tx, user)
		if err != nil {
			return err
		}
		return f(tx, v.now(), spans)
	})
	if err != nil {
		return fmt.Errorf("change the vacation of user %s: %w", user, err)
	}
	return nil
}

func spent(spans []span, year int) (n int) {
	for _, s := range spans {
		n += s.daysIn(year)
	}
	return n
}

// spansOf returns a user's vacations in their order. Only the last can be on.
func spansOf(ctx context.Context, db querier, user string) (out []span, err error) {
	rows, err := db.QueryContext(ctx, `SELECT began_at, until FROM vacations WHERE user_id = $1 ORDER BY began_at`, user)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var s span
		if err := rows.Scan(&s.began, &s.until); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

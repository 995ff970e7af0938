package projections

import (
	"context"
	"database/sql"
	"slices"

	"mago/eventstore"
)

// checkpoint is how far one build of a projection has read.
type checkpoint struct {
	build  int64
	cursor eventstore.Cursor
	live   bool
}

// builds returns this version's builds that are to be kept up, in the order of their numbers: the living one and the newest. It begins one where there is
// none, unless a newer version has one.
func (f *Follower) builds(ctx context.Context) ([]checkpoint, error) {
	own, newer, err := f.checkpoints(ctx)
	if err != nil || newer || len(own) > 0 {
		return own, err
	}
	if err := f.Begin(ctx); err != nil {
		return nil, err
	}
	own, _, err = f.checkpoints(ctx)
	return own, err
}

// checkpoints returns this version's living and newest build, and whether there is one of a newer version.
func (f *Follower) checkpoints(ctx context.Context) (own []checkpoint, newer bool, err error) {
	rows, err := f.Reader.QueryContext(ctx, `SELECT c.build, c.version, c.cursor, p.live FROM checkpoints c JOIN projections p ON p.name = c.name
 WHERE c.name = $1 ORDER BY c.build`, f.Name)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var cp checkpoint
		var version int
		var live int64
		if err := rows.Scan(&cp.build, &version, &cp.cursor, &live); err != nil {
			return nil, false, err
		}
		cp.live = cp.build == live
		newer = newer || version > f.Version
		if version != f.Version {
			continue
		}
		if n := len(own); n > 0 && !own[n-1].live { // neither living nor the newest
			own = own[:n-1]
		}
		own = append(own, cp)
	}
	return own, newer, rows.Err()
}

// Begin begins a build of this version from the first event, beside what is live: the followers of this version go on with it.
func (f *Follower) Begin(ctx context.Context) error {
	return inTx(ctx, f.Writer, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO projections (name, live) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING`, f.Name); err != nil {
			return err
		}
		// Of two that begin at once the second does nothing: it follows the build of the first. A version that is behind begins nothing.
		_, err := tx.ExecContext(ctx, `INSERT INTO checkpoints (name, build, version, cursor)
 SELECT $1, 1 + coalesce(max(build), 0), CAST($2 AS INTEGER), '' FROM checkpoints WHERE name = $3
 HAVING coalesce(max(version), 0) <= $4 ON CONFLICT (name, build) DO NOTHING`,
			f.Name, f.Version, f.Name, f.Version)
		return err
	})
}

// switchTo makes a build the one that is read, and gives up those before it. A build is never put in the place of a later one.
func (f *Follower) switchTo(ctx context.Context, build int64) error {
	return inTx(ctx, f.Writer, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE projections SET live = $1 WHERE name = $2 AND live < $1`, build, f.Name); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM checkpoints WHERE name = $1 AND build < $2`, f.Name, build); err != nil {
			return err
		}
		for _, table := range slices.Sorted(slices.Values(f.Tables)) {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE build < $1`, build); err != nil { //nolint:gosec // a name from the code
				return err
			}
		}
		return nil
	})
}

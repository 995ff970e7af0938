package projections

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"mago/eventstore"
)

// checkpoint is how far one build of a projection has read.
type checkpoint struct {
	build  int64
	cursor eventstore.Cursor
	live   bool
}

// checkpoint returns the newest build of this version, or begins one.
func (f *Follower) checkpoint(ctx context.Context) (checkpoint, error) {
	for {
		cp, err := f.newest(ctx)
		if !errors.Is(err, sql.ErrNoRows) {
			return cp, err
		}
		if err := f.Begin(ctx); err != nil {
			return cp, err
		}
	}
}

func (f *Follower) newest(ctx context.Context) (cp checkpoint, err error) {
	var live int64
	err = f.Reader.QueryRowContext(ctx, `SELECT c.build, c.cursor, p.live FROM checkpoints c JOIN projections p ON p.name = c.name
 WHERE c.name = $1 AND c.version = $2 ORDER BY c.build DESC LIMIT 1`, f.Name, f.Version).Scan(&cp.build, &cp.cursor, &live)
	cp.live = live == cp.build
	return cp, err
}

// Begin begins a build of this version from the first event, beside what is live: the followers of this version go on with it.
func (f *Follower) Begin(ctx context.Context) error {
	return inTx(ctx, f.Writer, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO projections (name, live) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING`, f.Name); err != nil {
			return err
		}
		// Of two that begin at once the second does nothing: it follows the build of the first.
		_, err := tx.ExecContext(ctx, `INSERT INTO checkpoints (name, build, version, cursor, beat)
 SELECT $1, 1 + coalesce(max(build), 0), CAST($2 AS INTEGER), '', CAST($3 AS BIGINT) FROM checkpoints WHERE name = $4 ON CONFLICT (name, build) DO NOTHING`,
			f.Name, f.Version, f.Now().UnixMilli(), f.Name)
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

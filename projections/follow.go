package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mago/domain/game"
	"mago/eventstore"
)

// Projection is a read model that follows the events from a checkpoint. Its tables have a column build, so that it can be built anew
// beside the living rows; a program with a higher Version builds anew by itself.
type Projection struct {
	Name    string
	Version int      // of the code, from 1
	Tables  []string // cleared of a build that is given up
	Types   []string // of the events that matter to it
	// Project returns the statements that an event makes for a build. It depends on its arguments alone; g is the game right after the event.
	Project func(build int64, g *game.State, e game.Event) []Statement
}

// Follower keeps a projection up with the events. Any number of them, on any number of servers, may follow the same projection: each batch
// of events takes effect exactly once, since a checkpoint moves in the transaction of the rows, and only from where it was read.
type Follower struct {
	Projection
	Store          eventstore.Store
	Games          *Games
	Reader, Writer *sql.DB
	Now            func() time.Time
	Batch          int // events read at a time; 500 if it is 0

	mu     sync.Mutex
	passed map[int64]passed // by build
}

// passed is how far a follower has read behind a checkpoint without finding anything to write: a commit a ring would be too many.
type passed struct {
	from, to eventstore.Cursor
	events   int
}

// Progress is how far a build has come.
type Progress struct {
	Build  int64
	Live   bool          // it is the one that is read
	Events int           // how many were gone through in this step
	Behind bool          // there is more to read
	Lag    time.Duration // age of the newest event gone through while there is more, else 0
}

// Step goes through the next events of the builds of this version, beginning one if there is none: the living one, which goes on being read while
// another is built beside it, and the newest, which takes its place when it has caught up. Where a newer program has a build, an older one begins none.
// Progress is the newest build's; it is zero where there is nothing for this version to do.
func (f *Follower) Step(ctx context.Context) (p Progress, err error) {
	builds, err := f.builds(ctx)
	for _, cp := range builds {
		if p, err = f.advance(ctx, cp); err != nil {
			break
		}
	}
	if err == nil && p.Build != 0 && !p.Behind && !p.Live {
		err = f.switchTo(ctx, p.Build)
		p.Live = err == nil
	}
	if err != nil {
		return p, fmt.Errorf("projection %s: %w", f.Name, err)
	}
	return p, nil
}

// CatchUp steps until there is nothing more to read.
func (f *Follower) CatchUp(ctx context.Context) (Progress, error) {
	for {
		if p, err := f.Step(ctx); err != nil || !p.Behind {
			return p, err
		}
	}
}

// advance reads events behind the checkpoint outside of any transaction, then writes what they make and the new checkpoint in a short one.
func (f *Follower) advance(ctx context.Context, cp checkpoint) (Progress, error) {
	p := Progress{Build: cp.build, Live: cp.live}
	batch := f.Batch
	if batch <= 0 {
		batch = 500
	}
	ahead := f.ahead(cp)
	records, next, err := f.Store.ReadAll(ctx, ahead.to, batch)
	if err != nil || len(records) == 0 {
		return p, err
	}
	p.Events, p.Behind = len(records), len(records) == batch
	if p.Behind {
		p.Lag = max(0, f.Now().Sub(time.UnixMilli(records[len(records)-1].At)))
	}
	statements, err := f.project(ctx, cp.build, records)
	if err != nil {
		return p, err
	}
	ahead.to, ahead.events = next, ahead.events+len(records)
	if len(statements) == 0 && ahead.events < batch {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.passed[cp.build] = ahead
		return p, nil
	}
	return p, f.write(ctx, cp, next, statements)
}

// ahead returns how far this follower has read behind the checkpoint. Where somebody else has moved it, that is not at all.
func (f *Follower) ahead(cp checkpoint) passed {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.passed == nil {
		f.passed = make(map[int64]passed)
	}
	if p, ok := f.passed[cp.build]; ok && p.from == cp.cursor {
		return p
	}
	return passed{from: cp.cursor, to: cp.cursor}
}

// project returns what a batch of events makes. A game that can't be read stops no other: its events are passed over, and its chain is for the audit to report.
func (f *Follower) project(ctx context.Context, build int64, records []eventstore.Record) (out []Statement, err error) {
	for _, r := range records {
		if !slices.Contains(f.Types, r.Type) {
			continue
		}
		g, err := f.Games.LoadAt(ctx, r.Stream, r.Version)
		var corrupt *eventstore.CorruptError
		if errors.As(err, &corrupt) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e, err := Decode(r)
		if err != nil {
			return nil, err
		}
		out = append(out, f.Project(build, &g.State, e)...)
	}
	return out, nil
}

// errMoved says that somebody else moved the checkpoint first.
var errMoved = errors.New("checkpoint was moved by another follower")

func (f *Follower) write(ctx context.Context, cp checkpoint, next eventstore.Cursor, statements []Statement) error {
	err := inTx(ctx, f.Writer, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE checkpoints SET cursor = $1 WHERE name = $2 AND build = $3 AND cursor = $4`,
			string(next), f.Name, cp.build, string(cp.cursor))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errMoved)
		}
		return run(ctx, tx, statements)
	})
	if errors.Is(err, errMoved) { // what they wrote is what we would have
		return nil
	}
	return err
}

func run(ctx context.Context, tx *sql.Tx, statements []Statement) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s.SQL, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

func inTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// maxAttempts bounds how often one command is decided. Commands of one process don't meet on a stream, so a conflict
// comes from another process, or from an append of unknown outcome.
const maxAttempts = 16

// longestPause is how long it is at most before an unanswered look-up is repeated: so soon after the database is back its streams go on.
const longestPause = 250 * time.Millisecond

// Do runs a command: it decides on the newest state it knows, appends what was decided, and on a conflict loads what is new and
// decides again. decide may thus be called several times and must have no effect of its own. An error from decide is a refusal: nothing is
// stored, and it is returned as it is, after a look whether the store has nothing newer that would decide otherwise.
//
// Do returns the state after the command; with a refusal, the state that was refused on. Once an append has begun, the end of ctx
// doesn't stop it. An error that wraps ErrUnknownOutcome means that the command may have been stored, any other that it has not.
func (r *Runner[S, E]) Do(ctx context.Context, id uuid.UUID, decide func(Loaded[S]) (Decision[E], error)) (Loaded[S], error) {
	unlock, err := r.locks.Lock(ctx, id)
	if err != nil {
		return Loaded[S]{}, fmt.Errorf("wait for stream %s: %w", id, err)
	}
	defer unlock()

	cur, cached := r.cache.get(id)
	if !cached {
		if cur, err = r.catchUp(ctx, id, cur); err != nil {
			return cur, err
		}
	}
	newest := !cached
	var doubtful []attempt[S] // appends of unknown outcome that may still come to be stored
	for range maxAttempts {
		decision, refusal := decide(cur)
		if refusal == nil && len(decision.Events) == 0 && len(decision.First)+len(decision.With) > 0 {
			refusal = fmt.Errorf("command on stream %s: statements without events", id)
		}
		if refusal != nil || len(decision.Events) == 0 {
			if newest {
				return cur, inDoubt(doubtful, refusal)
			}
			decidedOn := cur.Head
			if cur, err = r.catchUp(ctx, id, cur); err != nil {
				return cur, err
			}
			if cur.Head == decidedOn {
				return cur, refusal
			}
			newest = true
			continue
		}

		a, err := r.append(ctx, id, cur, decision)
		switch {
		case err == nil:
			r.stored(id, a)
			return a.after, nil
		case errors.Is(err, ErrUnknownOutcome):
			doubtful = append(doubtful, a)
		case !isConflict(err):
			return cur, inDoubt(doubtful, fmt.Errorf("append to stream %s: %w", id, err))
		}
		var stored *attempt[S]
		if stored, cur, err = r.settle(ctx, id, cur, doubtful); err != nil {
			return cur, inDoubt(doubtful, err)
		}
		if stored != nil {
			r.stored(id, *stored)
			return stored.after, nil
		}
		if cur.Version >= a.first {
			doubtful = nil
		}
		newest = true
	}
	return cur, inDoubt(doubtful, fmt.Errorf("append to stream %s: %d attempts: %w", id, maxAttempts, ErrUnavailable))
}

// inDoubt adds to an error, or to none, that an append of this command may yet be stored.
func inDoubt[S any](doubtful []attempt[S], err error) error {
	switch {
	case len(doubtful) == 0:
		return err
	case err == nil:
		return ErrUnknownOutcome
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}

// attempt is one append of a command: what it is looked up by, and the state after it.
type attempt[S any] struct {
	command uuid.UUID
	first   int // version of its first event
	after   Loaded[S]
}

// stored notes that the attempt is in the store.
func (r *Runner[S, E]) stored(id uuid.UUID, a attempt[S]) {
	r.cache.put(id, a.after)
	r.opts.Appended(id, a.after.Version)
}

// append seals the decided events behind cur and appends them.
func (r *Runner[S, E]) append(ctx context.Context, id uuid.UUID, cur Loaded[S], d Decision[E]) (attempt[S], error) {
	at := max(r.opts.Now().UnixMilli(), cur.At)
	events := make([]Event, len(d.Events))
	after := Loaded[S]{State: cur.State, Version: cur.Version + len(d.Events), At: at}
	for i, e := range d.Events {
		events[i] = r.agg.Encode(e)
		after.State = r.agg.Evolve(after.State, e, at)
	}
	records, err := Seal(id, cur.tip(), at, r.opts.Rand, events)
	if err != nil {
		return attempt[S]{}, err
	}
	after.Head = records[len(records)-1].Hash
	command, err := uuid.NewRandomFromReader(r.opts.Rand)
	if err != nil {
		return attempt[S]{}, fmt.Errorf("draw a command id: %w", err)
	}
	var inline []Statement
	if r.agg.Inline != nil {
		inline = r.agg.Inline(id, cur, after, d.Events)
	}
	batch := Batch{Records: records, Command: command, With: slices.Concat(d.First, inline, d.With)}

	// A caller that goes away must not leave the outcome open.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opts.AppendTimeout)
	defer cancel()
	return attempt[S]{command: command, first: records[0].Version, after: after}, r.store.Append(ctx, batch)
}

// settle finds out what became of an append on cur that was not acknowledged: it returns the attempt that is stored, or the newest
// state to decide on again. If that is newer than cur, none of the doubtful attempts can be stored any more.
func (r *Runner[S, E]) settle(ctx context.Context, id uuid.UUID, cur Loaded[S], doubtful []attempt[S]) (*attempt[S], Loaded[S], error) {
	if len(doubtful) == 0 {
		next, err := r.afterConflict(ctx, id, cur)
		return nil, next, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opts.AppendTimeout)
	defer cancel()
	stored, err := r.landed(ctx, id, doubtful)
	if stored != nil || err != nil {
		return stored, cur, err
	}
	next, err := r.catchUp(ctx, id, cur)
	if err != nil || next.Version == cur.Version {
		return nil, next, err
	}
	// What is newer may be one of them, stored between the two looks.
	stored, err = r.landed(ctx, id, doubtful)
	return stored, next, err
}

// landed returns the attempt that is in the store, or nil if none is. It asks until it is answered or ctx ends.
func (r *Runner[S, E]) landed(ctx context.Context, id uuid.UUID, attempts []attempt[S]) (*attempt[S], error) {
	for i, a := range attempts {
		version, err := r.store.Lookup(ctx, id, a.command)
		for pause := 10 * time.Millisecond; err != nil; pause = min(2*pause, longestPause) {
			select {
			case <-ctx.Done():
				return nil, fmt.Errorf("look up command %s in stream %s: %w", a.command, id, err)
			case <-time.After(pause):
			}
			version, err = r.store.Lookup(ctx, id, a.command)
		}
		if version == a.first {
			return &attempts[i], nil
		}
	}
	return nil, nil
}

// afterConflict returns the newest state after an append on cur was refused by a conflict.
func (r *Runner[S, E]) afterConflict(ctx context.Context, id uuid.UUID, cur Loaded[S]) (Loaded[S], error) {
	next, err := r.catchUp(ctx, id, cur)
	if err != nil || next.Head != cur.Head {
		return next, err
	}
	// Nothing is newer and yet the stream is not at this version: what is cached is not what is stored.
	r.cache.remove(id)
	return r.catchUp(ctx, id, Loaded[S]{})
}

func isConflict(err error) bool {
	var conflict *ConflictError
	return errors.As(err, &conflict)
}

package sqlite

import (
	"context"
	"fmt"
	"sync/atomic"

	"mago/eventstore"
)

// maxBatch bounds how many appends share a commit, and with it how long an append waits for the others.
const maxBatch = 64

// pending is an append that waits for the writing goroutine, or is being written.
type pending struct {
	batch eventstore.Batch
	claim atomic.Bool // set by who comes first: the goroutine that writes it, or the caller who gives it up
	done  chan error  // has room for the answer, so that the goroutine never waits for a caller
}

// Append stores the batch; see eventstore.Store. If ctx ends while the append waits, nothing is stored; if it ends while it is
// being written, the outcome is unknown to this caller.
func (s *Store) Append(ctx context.Context, b eventstore.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	p := &pending{batch: b, done: make(chan error, 1)}
	if err := s.enqueue(ctx, p); err != nil {
		return err
	}
	select {
	case err := <-p.done:
		return err
	case <-s.stopped:
		select {
		case err := <-p.done:
			return err
		default:
			return errClosed // it came into the queue after the goroutine had looked for the last time
		}
	case <-ctx.Done():
		if p.claim.CompareAndSwap(false, true) {
			return gaveUp(ctx)
		}
		select {
		case err := <-p.done:
			return err
		default:
			return fmt.Errorf("append: %w: %w", eventstore.ErrUnknownOutcome, ctx.Err())
		}
	}
}

func (s *Store) enqueue(ctx context.Context, p *pending) error {
	if ctx.Err() != nil {
		return gaveUp(ctx)
	}
	select {
	case <-s.closing:
		return errClosed
	default:
	}
	select {
	case s.queue <- p:
		return nil
	case <-s.closing:
		return errClosed
	case <-ctx.Done():
		return gaveUp(ctx)
	}
}

// gaveUp is the answer to a caller whose context ended before the append was begun.
func gaveUp(ctx context.Context) error {
	return fmt.Errorf("wait to append: %w: %w", eventstore.ErrUnavailable, ctx.Err())
}

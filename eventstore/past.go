package eventstore

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Past is an event that has happened, and where it stands.
type Past[E any] struct {
	Event   E
	Version int
	At      int64 // Unix milliseconds
}

// Events returns the events of a stream behind a version, at most limit of them (no bound if limit <= 0). Their chain is not checked: Load does that.
func (r *Runner[S, E]) Events(ctx context.Context, id uuid.UUID, after, limit int) ([]Past[E], error) {
	records, err := r.store.Read(ctx, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the events of stream %s: %w", id, err)
	}
	out := make([]Past[E], len(records))
	for i, record := range records {
		event, err := r.agg.Decode(record)
		if err != nil {
			return nil, &CorruptError{Stream: id, Version: record.Version, Err: err}
		}
		out[i] = Past[E]{Event: event, Version: record.Version, At: record.At}
	}
	return out, nil
}

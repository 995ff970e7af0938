package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mago/domain/game"
)

const (
	// Beat is how often somebody who serves says so in the database.
	Beat = time.Second
	// Silence is how long nobody says so before it is an outage.
	Silence = 5 * time.Second
	// outagesKept is how long an outage can matter: longer than a turn.
	outagesKept = 60 * 24 * time.Hour
)

// Heartbeat tells all servers of a database how long nobody of them was serving: a server that runs and can't reach the database serves nobody. Its
// methods may be called at once.
type Heartbeat struct {
	reader, writer *sql.DB
	time           *Time
	one            chan struct{} // held by who beats
	known          atomic.Pointer[heard]
}

// heard is what the last beat of this server found.
type heard struct {
	at      int64         // when, Unix milliseconds
	outages []game.Outage // the older first
}

// NewHeartbeat returns the heartbeat of a database, without a beat.
func NewHeartbeat(reader, writer *sql.DB, t *Time) *Heartbeat {
	h := &Heartbeat{reader: reader, writer: writer, time: t, one: make(chan struct{}, 1)}
	h.known.Store(&heard{})
	return h
}

// Beat says that this server serves. If for a while nobody did, that was an outage, which it records; of several servers that find it at once one does.
func (h *Heartbeat) Beat(ctx context.Context) error {
	select {
	case h.one <- struct{}{}:
		defer func() { <-h.one }()
	case <-ctx.Done():
		return fmt.Errorf("heartbeat: %w", ctx.Err())
	}
	if err := h.beat(ctx); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// Outages returns the outages that clocks may have to be given back, the older first. It beats before it answers if this server has not done so
// for Silence: there may have been one since.
func (h *Heartbeat) Outages(ctx context.Context) ([]game.Outage, error) {
	if k := h.known.Load(); h.time.Now().UnixMilli()-k.at < Silence.Milliseconds() {
		return k.outages, nil
	}
	if err := h.Beat(ctx); err != nil {
		return nil, err
	}
	return h.known.Load().outages, nil
}

func (h *Heartbeat) beat(ctx context.Context) error {
	if err := h.time.Measure(ctx); err != nil {
		return err
	}
	now := h.time.Now().UnixMilli()
	if err := h.put(ctx, now); err != nil {
		return err
	}
	// Read behind the beat: whoever recorded an outage before it is seen.
	outages, err := h.outages(ctx)
	if err == nil {
		h.known.Store(&heard{at: now, outages: outages})
	}
	return err
}

// put moves the beat to now, unless somebody else has just moved it.
func (h *Heartbeat) put(ctx context.Context, now int64) error {
	var last int64
	err := h.reader.QueryRowContext(ctx, `SELECT at FROM heartbeat`).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = h.writer.ExecContext(ctx, `INSERT INTO heartbeat (one, at) VALUES (1, $1) ON CONFLICT DO NOTHING`, now)
		return err
	}
	silent := now - last
	if err != nil || silent >= 0 && silent < Beat.Milliseconds()/2 {
		return err
	}
	return inTx(ctx, h.writer, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE heartbeat SET at = $1 WHERE at = $2`, now, last)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 || silent <= Silence.Milliseconds() {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO outages (began, ended) VALUES ($1, $2)`, last, now)
		return err
	})
}

func (h *Heartbeat) outages(ctx context.Context) (out []game.Outage, err error) {
	rows, err := h.reader.QueryContext(ctx, `SELECT began, ended FROM outages ORDER BY ended`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var o game.Outage
		if err := rows.Scan(&o.From, &o.To); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, rows.Err()
}

// Prune forgets outages that no clock can be given back any more.
func (h *Heartbeat) Prune(ctx context.Context) error {
	before := h.time.Now().Add(-outagesKept).UnixMilli()
	if _, err := h.writer.ExecContext(ctx, `DELETE FROM outages WHERE ended < $1`, before); err != nil {
		return fmt.Errorf("prune outages: %w", err)
	}
	return nil
}

package projections

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/google/uuid"

	"mago/domain/bot"
	"mago/domain/game"
	"mago/eventstore"
)

// Clocks ends turns whose time is up, and gives clocks back what nobody was serving. All it does are ordinary commands: any number of servers may do
// so at once, and who is late finds nothing to do. Its methods are not to be called twice at once on the same Clocks.
type Clocks struct {
	Lists *Lists
	Games *Games
	Time  *Time
	Beat  *Heartbeat // knows of outages; without one there are none

	mu         sync.Mutex
	unreadable map[uuid.UUID]bool // games that were reported once and are let be
	madeUp     int64              // end of the outage that all games were given back
}

const (
	// dueAtOnce is how many games are looked up at a time, handful how many of them are done before it is looked again, and hands how many are
	// worked on at once.
	dueAtOnce = 1000
	handful   = 32
	hands     = 4
)

// Sweep does what clocks ask for now, and returns how many commands it made.
func (c *Clocks) Sweep(ctx context.Context) (int, error) {
	before, err := c.makeUp(ctx)
	now := c.Time.Now().UnixMilli()
	n, after := c.drain(ctx, func(behind dueGame) ([]dueGame, error) { return c.Lists.due(ctx, now, behind) })
	return before + n, errors.Join(err, after)
}

// makeUp gives all games back what the newest outages took, so that what players see is true before they or the clock move.
func (c *Clocks) makeUp(ctx context.Context) (int, error) {
	outages, err := c.outages(ctx)
	if err != nil || len(outages) == 0 {
		return 0, err
	}
	ended := outages[len(outages)-1].To
	if c.madeUp >= ended {
		return 0, nil
	}
	n, err := c.drain(ctx, func(behind dueGame) ([]dueGame, error) { return c.Lists.untouched(ctx, ended, behind) })
	if err == nil {
		c.madeUp = ended
	}
	return n, err
}

// drain tends each game of a list once, in an order of its own: other servers are at the same list. After a handful it looks what they have left.
func (c *Clocks) drain(ctx context.Context, list func(behind dueGame) ([]dueGame, error)) (n int, failed error) {
	tried, behind := map[uuid.UUID]bool{}, dueGame{}
	for {
		page, err := list(behind)
		if err != nil {
			return n, errors.Join(failed, err)
		}
		var ids []uuid.UUID
		for _, p := range page {
			if !tried[p.id] {
				ids = append(ids, p.id)
			}
		}
		if len(ids) == 0 {
			if len(page) < dueAtOnce {
				return n, failed
			}
			behind = page[len(page)-1]
			continue
		}
		rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] }) //nolint:gosec // decides nothing in a game
		ids = ids[:min(handful, len(ids))]
		for _, id := range ids {
			tried[id] = true
		}
		done, err := c.tendAll(ctx, ids)
		n, failed = n+done, errors.Join(failed, err)
	}
}

func (c *Clocks) outages(ctx context.Context) ([]game.Outage, error) {
	if c.Beat == nil {
		return nil, nil
	}
	return c.Beat.Outages(ctx)
}

// tendAll tends games, some at once.
func (c *Clocks) tendAll(ctx context.Context, ids []uuid.UUID) (n int, failed error) {
	next := make(chan uuid.UUID)
	var wg sync.WaitGroup
	for range min(hands, len(ids)) {
		wg.Go(func() {
			for id := range next {
				done, err := c.Tend(ctx, id)
				c.mu.Lock()
				n, failed = n+done, errors.Join(failed, c.note(id, err))
				c.mu.Unlock()
			}
		})
	}
	for _, id := range ids {
		if !c.passedOver(id) {
			next <- id
		}
	}
	close(next)
	wg.Wait()
	return n, failed
}

func (c *Clocks) passedOver(id uuid.UUID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unreadable[id]
}

// note remembers a game that can't be read: it is reported once.
func (c *Clocks) note(id uuid.UUID, err error) error {
	if err == nil {
		return nil
	}
	var corrupt *eventstore.CorruptError
	if errors.As(err, &corrupt) {
		if c.unreadable == nil {
			c.unreadable = make(map[uuid.UUID]bool)
		}
		c.unreadable[id] = true
	}
	return fmt.Errorf("clock of game %s: %w", id, err)
}

// Tend does what a game's clocks ask for now, one command after another, and returns how many it made.
func (c *Clocks) Tend(ctx context.Context, id uuid.UUID) (int, error) {
	for n := 0; ; n++ {
		// Before it is asked for outages: if the database hangs from here on, that is one of which they don't tell yet, and no turn may end by it.
		now := c.Time.Now().UnixMilli()
		outages, err := c.outages(ctx)
		if err != nil {
			return n, err
		}
		moved := false
		g, err := c.Games.Do(ctx, id, func(g Game) (Decision, error) {
			events, err := next(&g.State, outages, now)
			moved = len(events) > 0
			return Decision{Events: events}, err
		})
		if err != nil || !moved {
			return n, err
		}
		if events, err := next(&g.State, outages, now); err == nil && len(events) == 0 {
			return n + 1, nil // without asking the store once more
		}
	}
}

// next returns the events of the first thing that is to be done now, Unix milliseconds: an outage comes before any end of time, which may not be one.
func next(s *game.State, outages []game.Outage, now int64) ([]game.Event, error) {
	if events, err := game.Decide(*s, game.AfterOutages{Outages: outages}); err != nil || len(events) > 0 {
		return events, err
	}
	if events, err := game.Decide(*s, game.LimitVacation{Now: now}); err != nil || len(events) > 0 {
		return events, err
	}
	for _, seat := range s.Turn().All() {
		if at, runs := s.Deadline(seat); !runs || now < at+game.Grace {
			continue
		}
		choice, ok := bot.Easy(s.View(seat))
		if !ok {
			return nil, fmt.Errorf("seat %d is on turn and has no move", seat)
		}
		return game.Decide(*s, game.TimeOut{Seat: seat, Now: now, Move: choice.As(game.AutoTimeout), Engine: bot.Engine})
	}
	return nil, nil
}

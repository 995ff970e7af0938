package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"mago/domain/bot"
	"mago/domain/game"
	"mago/eventstore"
)

// Bots moves for the seats that a bot has, and plays on for those whose players are away. It knows of a seat's game what the seat may see. Any number
// of servers may have one: who is late finds the turn gone.
type Bots struct {
	Lists   *Lists
	Games   *Games
	Log     *slog.Logger
	Workers int // moves that are thought about at a time; as many as there are processors if it is 0
	// Pace is how long after its turn was seen a bot above the easy level moves, so that how long it thought tells nothing of its hand: with one legal card it
	// thinks for no time. BotPace by default at the table.
	Pace time.Duration
	// Outages are what clocks are given back before a move; none if it is nil.
	Outages func(context.Context) ([]game.Outage, error)
	// Choose is bot.Decide, but for tests.
	Choose func(level game.Level, v game.View, seed bot.Seed, samples int) (bot.Choice, bool)

	once   sync.Once
	free   chan struct{} // holds one for each worker that thinks
	hands  chan struct{} // holds one for each game in hand
	mu     sync.Mutex
	inHand map[uuid.UUID]*task
	// unreadable are games that were reported once and are let be.
	unreadable map[uuid.UUID]bool
}

// task is a game that a worker has in hand.
type task struct{ again bool } // it is to be looked at once more when it is done

// BotPace is longer than a bot's thought, and short for who waits.
const BotPace = 150 * time.Millisecond

// mostInHand is how many games a server has in hand at a time: most of them wait for their pace, which costs nothing.
const mostInHand = 256

// overload is how many games may wait for each worker before bots choose by the rule of thumb alone, whatever their level.
const overload = 100

// Run makes the bots' moves until ctx is done.
func (b *Bots) Run(ctx context.Context, bell *eventstore.Bell) {
	var wg sync.WaitGroup
	Wake(ctx, bell, func() {
		if err := b.dispatch(ctx, &wg, func(int, error) {}); err != nil && ctx.Err() == nil {
			b.Log.ErrorContext(ctx, "games that wait for bots were not found", "error", err)
		}
	})
	wg.Wait()
}

// MoveAll makes the bots' moves in all games that wait for one, and returns how many it made.
func (b *Bots) MoveAll(ctx context.Context) (moves int, failed error) {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	err := b.dispatch(ctx, &wg, func(n int, err error) {
		mu.Lock()
		moves, failed = moves+n, errors.Join(failed, err)
		mu.Unlock()
	})
	wg.Wait()
	return moves, errors.Join(failed, err)
}

// dispatch gives each game that waits for a bot to a worker. It returns when the last has been given out; wg is done when all are.
func (b *Bots) dispatch(ctx context.Context, wg *sync.WaitGroup, done func(moves int, err error)) error {
	ids, err := b.Lists.ids(ctx, `SELECT game_id FROM games WHERE bot_turn <> 0`)
	if err != nil {
		return err
	}
	b.prepare()
	hurried := len(ids) > overload*b.Workers
	for _, id := range ids {
		if !b.take(id) {
			continue
		}
		select {
		case b.hands <- struct{}{}:
		case <-ctx.Done():
			b.release(id)
			return ctx.Err()
		}
		wg.Go(func() {
			defer func() { <-b.hands }()
			for {
				n, err := b.moveOnce(ctx, id, hurried)
				done(n, err)
				b.report(ctx, id, err)
				if b.release(id) {
					return
				}
			}
		})
	}
	return nil
}

// prepare makes what is needed before the first move.
func (b *Bots) prepare() {
	b.once.Do(func() {
		if b.Workers <= 0 {
			b.Workers = runtime.GOMAXPROCS(0)
		}
		b.free, b.hands = make(chan struct{}, b.Workers), make(chan struct{}, mostInHand)
		b.inHand, b.unreadable = map[uuid.UUID]*task{}, map[uuid.UUID]bool{}
	})
}

// take takes a game in hand, unless somebody has it, who then looks at it once more.
func (b *Bots) take(id uuid.UUID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unreadable[id] {
		return false
	}
	if t, taken := b.inHand[id]; taken {
		t.again = true
		return false
	}
	b.inHand[id] = &task{}
	return true
}

// release puts a game out of hand, unless it is to be looked at once more.
func (b *Bots) release(id uuid.UUID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.inHand[id]; t.again && !b.unreadable[id] {
		t.again = false
		return false
	}
	delete(b.inHand, id)
	return true
}

// report logs what a game's moves failed at; a game that can't be read is let be from then on.
func (b *Bots) report(ctx context.Context, id uuid.UUID, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	b.Log.ErrorContext(ctx, "bot did not move", "game_id", id, "error", err)
	var corrupt *eventstore.CorruptError
	if errors.As(err, &corrupt) {
		b.mu.Lock()
		b.unreadable[id] = true
		b.mu.Unlock()
	}
}

func (b *Bots) moveOnce(ctx context.Context, id uuid.UUID, hurried bool) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return b.Move(ctx, id, hurried)
}

// Move makes the bots' moves in a game until it waits for a person or is over, and returns how many it made. It thinks outside of the game's lock: people
// may move meanwhile.
func (b *Bots) Move(ctx context.Context, id uuid.UUID, hurried bool) (int, error) {
	b.prepare()
	for n := 0; ; {
		seen := time.Now() // the monotonic clock: this is how long it really takes
		g, err := b.Games.Load(ctx, id)
		if err != nil {
			return n, err
		}
		seats := g.State.BotTurn().All()
		if len(seats) == 0 {
			return n, nil
		}
		move, err := b.inTurn(ctx, &g.State, seats[0], hurried)
		if err != nil {
			return n, err
		}
		if g.State.BotAt(seats[0]) != game.EasyBot {
			if err := until(ctx, seen.Add(b.Pace)); err != nil {
				return n, err
			}
		}
		moved, err := b.make(ctx, id, seats[0], move)
		if err != nil && move.Engine != bot.HurriedEngine {
			b.Log.ErrorContext(ctx, "bot's choice was refused", "game_id", id, "seat", seats[0], "error", err)
			moved, err = b.make(ctx, id, seats[0], b.think(ctx, &g.State, seats[0], true))
		}
		if err != nil {
			return n, err
		}
		if moved {
			n++
		}
	}
}

// inTurn thinks when a worker is free.
func (b *Bots) inTurn(ctx context.Context, s *game.State, seat game.Seat, hurried bool) (game.BotMove, error) {
	select {
	case b.free <- struct{}{}:
		defer func() { <-b.free }()
		return b.think(ctx, s, seat, hurried), nil
	case <-ctx.Done():
		return game.BotMove{}, ctx.Err()
	}
}

// until waits for a time, or for the end of ctx.
func until(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// make runs a bot's move if it is still the seat's turn; false if it isn't.
func (b *Bots) make(ctx context.Context, id uuid.UUID, seat game.Seat, move game.BotMove) (moved bool, err error) {
	var outages []game.Outage
	if b.Outages != nil {
		if outages, err = b.Outages(ctx); err != nil {
			return false, err
		}
	}
	_, err = b.Games.Do(ctx, id, func(g Game) (Decision, error) {
		moved = false
		if !g.State.BotTurn().Has(seat) {
			return Decision{}, nil
		}
		events, err := game.Decide(g.State, game.AfterOutages{Outages: outages, Command: move})
		var late *game.Error
		if errors.As(err, &late) && late.Code == game.WrongPhase {
			return Decision{}, nil // the turn it was meant for is gone
		}
		moved = err == nil
		return Decision{Events: events}, err
	})
	return moved, err
}

// think chooses a seat's move from what the seat sees. A bot that fails, and one in a hurry, chooses by the rule of thumb, and the engine in the stream says so.
func (b *Bots) think(ctx context.Context, s *game.State, seat game.Seat, hurried bool) game.BotMove {
	v := s.View(seat)
	level := game.EasyBot
	if l := s.BotAt(seat); !hurried {
		level = l
	}
	seed := bot.SeedFor(s.Secrets.BotKey, &v)
	if level != game.EasyBot {
		choice, err := b.try(level, v, seed)
		if err == nil {
			return game.BotMove{Move: choice.Command(), Engine: bot.Engine}
		}
		b.Log.ErrorContext(ctx, "bot failed", "game_id", s.ID, "seat", seat, "level", level.String(), "error", err)
		hurried = true
	}
	choice, _ := bot.Easy(v)
	if hurried && s.BotAt(seat) != game.EasyBot {
		return game.BotMove{Move: choice.Command(), Engine: bot.HurriedEngine}
	}
	return game.BotMove{Move: choice.Command(), Engine: bot.Engine}
}

// try is Choose with panics as errors. Neither tells a card: what a panic says is left out.
func (b *Bots) try(level game.Level, v game.View, seed bot.Seed) (choice bot.Choice, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic of type %T", p)
		}
	}()
	choose := b.Choose
	if choose == nil {
		choose = bot.Decide
	}
	choice, ok := choose(level, v, seed, bot.Samples(level))
	if !ok {
		return choice, errors.New("no choice")
	}
	return choice, nil
}

package projections_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// hands is a clock that a test sets.
type hands struct{ ms atomic.Int64 }

func (h *hands) Now() time.Time          { return time.UnixMilli(h.ms.Load()) }
func (h *hands) pass(d time.Duration)    { h.ms.Add(d.Milliseconds()) }
func (h *hands) passTo(at time.Time)     { h.ms.Store(at.UnixMilli()) }
func (h *hands) time() *projections.Time { return &projections.Time{Machine: h.Now} }

// tower is a database with games on clocks that a test sets.
type tower struct {
	hall
	*hands
}

func newTower(t testing.TB) tower {
	t.Helper()
	h := tower{newHall(t), new(hands)}
	h.ms.Store(time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC).UnixMilli()) // summer time begins the night after
	h.games = projections.NewGames(h.store, eventstore.Options{Now: h.Now})
	return h
}

// keeper is one server's part in keeping time.
type keeper struct {
	projections.Clocks
	bots projections.Bots
	beat *projections.Heartbeat
}

// sweeper returns a server for a test in which there are no outages.
func (h tower) sweeper() *keeper {
	k := h.keeper()
	k.Beat = nil
	return k
}

// keeper returns a server that comes up now.
func (h tower) keeper() *keeper {
	lists, now := projections.NewLists(h.store.Reader(), h.store.Writer()), h.time()
	games := projections.NewGames(h.store, eventstore.Options{Now: now.Now})
	beat := projections.NewHeartbeat(h.store.Reader(), h.store.Writer(), now)
	return &keeper{
		Clocks: projections.Clocks{Lists: lists, Games: games, Time: now, Beat: beat},
		bots:   projections.Bots{Lists: lists, Games: games, Log: slog.New(slog.DiscardHandler)},
		beat:   beat,
	}
}

// serve beats and does what is due.
func (k *keeper) serve(t testing.TB) int {
	t.Helper()
	if err := k.beat.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, err := k.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// await lets time pass while the server serves.
func (k *keeper) await(t testing.TB, h tower, d time.Duration) (n int) {
	t.Helper()
	for end := h.Now().Add(d); ; h.pass(min(4*time.Second, end.Sub(h.Now()))) {
		if n += k.serve(t); !h.Now().Before(end) {
			return n
		}
	}
}

func perTurn(d time.Duration) game.Clock {
	return game.Clock{Kind: game.PerTurn, Seconds: int(d.Seconds()), MaxTimeouts: 3, Vacation: d >= 24*time.Hour}
}

// start starts a game on a clock that waits for bids.
func (h tower) start(t testing.TB, rules game.Rules, clock game.Clock) uuid.UUID {
	t.Helper()
	id := h.lobby(t, rules, clock)
	for i := 1; i < rules.Players; i++ {
		h.must(t, id, game.JoinGame{User: userID(1, i), Seat: game.NoSeat})
	}
	if s := h.state(t, id); s.Round.Phase == game.ChooseTrump {
		h.must(t, id, game.NameTrump{Seat: s.Round.Dealer, Suit: 1})
	}
	return id
}

func (h tower) lobby(t testing.TB, rules game.Rules, clock game.Clock) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	h.must(t, id, game.CreateGame{ID: id.String(), Host: userID(1, 0), Rules: rules, AutoStart: true, Clock: clock, Secrets: game.Secrets{}})
	return id
}

func (h tower) must(t testing.TB, id uuid.UUID, c game.Command) *game.State {
	t.Helper()
	g, err := decide(t.Context(), h.games, id, func(game.State) game.Command { return c })
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return &g.State
}

func decide(ctx context.Context, games *projections.Games, id uuid.UUID, command func(game.State) game.Command) (projections.Game, error) {
	return games.Do(ctx, id, func(g projections.Game) (projections.Decision, error) {
		events, err := game.Decide(g.State, command(g.State))
		return projections.Decision{Events: events}, err
	})
}

func (h tower) state(t testing.TB, id uuid.UUID) *game.State {
	t.Helper()
	g, err := h.games.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return &g.State
}

// types are the types of a game's events, and at the times of their records.
func (h tower) types(t testing.TB, id uuid.UUID) (types []string, at []int64) {
	t.Helper()
	records, err := h.store.Read(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		types, at = append(types, r.Type), append(at, r.At)
	}
	return types, at
}

func count(types []string, name string) (n int) {
	for _, t := range types {
		if t == name {
			n++
		}
	}
	return n
}

// agree compares what is stored of all games, deadlines among it, with what their streams say.
func (h tower) agree(t *testing.T) {
	t.Helper()
	before := h.dump(t)
	if _, err := projections.Rebuild(t.Context(), h.store.Writer(), projections.NewGames(h.store, eventstore.Options{})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, h.dump(t)); diff != "" {
		t.Errorf("what is stored is not what the streams say: %s", diff)
	}
}

// deadline is when the one seat on turn must have moved.
func deadline(t testing.TB, s *game.State) (seat game.Seat, at time.Time) {
	t.Helper()
	v := s.View(game.Spectator)
	if v.Turn == nil || len(v.Turn.Seats) != 1 {
		t.Fatalf("on turn: %+v", v.Turn)
	}
	seat = v.Turn.Seats[0]
	return seat, time.UnixMilli(v.Turn.Deadlines[seat])
}

var open5 = game.Rules{Players: 3, Length: game.Five}

// What is shown is what counts: until two seconds behind the deadline that players see the turn is theirs, then the server moves, in lists and views alike.
func TestATurnEndsWhenItWasShownToEnd(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k := h.sweeper()
	id := h.start(t, open5, perTurn(26*time.Hour)) // over the change to summer time
	seat, end := deadline(t, h.state(t, id))
	if want := h.Now().Add(26 * time.Hour); !end.Equal(want) {
		t.Errorf("the deadline is %v, not %v", end, want)
	}
	mine, _, err := k.Lists.Mine(t.Context(), userID(1, 0), game.NoGame, false, projections.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, listed := deadline(t, &mine[0].State); !listed.Equal(end) {
		t.Errorf("the list shows %v, the game %v", listed, end)
	}
	for _, before := range []time.Duration{-time.Hour, -time.Millisecond, 0, 1999 * time.Millisecond} {
		h.passTo(end.Add(before))
		if n, err := k.Tend(t.Context(), id); n != 0 || err != nil {
			t.Errorf("%v from the deadline: %d commands, %v", before, n, err)
		}
	}
	h.pass(time.Millisecond)
	if n, err := k.Clocks.Tend(t.Context(), id); n == 0 || err != nil {
		t.Errorf("two seconds behind the deadline: %d commands, %v", n, err)
	}
	types, at := h.types(t, id)
	i := slices.Index(types, "turn_timed_out")
	if i < 0 || at[i] != end.UnixMilli()+game.Grace || !slices.Contains(types[i:], "bid_placed") {
		t.Errorf("%v at %v", types, at)
	}
	if next, _ := deadline(t, h.state(t, id)); next == seat {
		t.Errorf("seat %d is on turn again", next)
	}
}

// The whole life of a deserted game passes though nobody ever asks for it: each seat is taken over after three timeouts in a row, and with nobody left it is
// cancelled; no bot plays for itself.
func TestADesertedGameEndsThoughNobodyLooks(t *testing.T) {
	t.Parallel()
	for _, rules := range []game.Rules{open5, {Players: 4, Bidding: game.SecretBidding}, {Players: 3, Foresight: true, Bidding: game.PlusMinusOne, AutoPlayForced: true}} {
		h := newTower(t)
		k := h.sweeper()
		id := h.start(t, rules, perTurn(time.Hour))
		for range 200 {
			w, err := k.Lists.Watch(t.Context())
			if err != nil || w.Stuck != 0 {
				t.Fatalf("%+v %v", w, err)
			}
			if w.Next.IsZero() {
				break
			}
			h.passTo(w.Next)
			if _, err := k.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := k.bots.MoveAll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		types, _ := h.types(t, id)
		last := types[len(types)-1]
		if last != "game_cancelled" || count(types, "seat_taken_over") != rules.Players || count(types, "turn_timed_out") != 3*rules.Players {
			t.Errorf("%+v: %v", rules, types)
		}
		if n, err := k.bots.MoveAll(t.Context()); n != 0 || err != nil {
			t.Errorf("bots go on: %d %v", n, err)
		}
	}
}

// Two hours in which nobody served are given back to every clock, once, whichever server comes up first; then turns end as ever.
func TestAnOutageCostsNobodyTime(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k := h.keeper()
	k.serve(t)
	games := soak(30, 1000)
	ids, ends := make([]uuid.UUID, games), make([]time.Time, games)
	for i := range ids {
		ids[i] = h.start(t, open5, perTurn(time.Duration(1+9*(i%2))*time.Hour)) // half of them are not due when it ends
		_, ends[i] = deadline(t, h.state(t, ids[i]))
	}
	down := h.Now()
	h.pass(2 * time.Hour)
	var wg sync.WaitGroup
	for range 4 {
		fresh := h.keeper()
		wg.Go(func() {
			if err := fresh.beat.Beat(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := fresh.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	outages, err := k.beat.Outages(t.Context())
	if err != nil || !slices.Equal(outages, []game.Outage{{From: down.UnixMilli(), To: h.ms.Load()}}) {
		t.Fatalf("outages %v %v", outages, err)
	}
	for i, id := range ids {
		types, _ := h.types(t, id)
		if _, end := deadline(t, h.state(t, id)); !end.Equal(ends[i].Add(2 * time.Hour)) {
			t.Fatalf("the deadline has gone from %v to %v", ends[i], end)
		}
		if count(types, "clock_extended") != 1 || count(types, "turn_timed_out") != 0 {
			t.Errorf("%v", types)
		}
	}
	if n := k.serve(t); n != 0 {
		t.Errorf("%d more commands", n)
	}
	h.agree(t)
	if n := k.await(t, h, time.Hour+game.Grace*time.Millisecond); n != games/2 {
		t.Errorf("%d commands in the next hour", n)
	}
	h.agree(t)
}

// What comes first after an outage is the player's move: its time is not charged with the outage either.
func TestAMoveAfterAnOutageIsNotCharged(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k0 := h.keeper()
	id := h.start(t, open5, game.Clock{Kind: game.Bank, Initial: 7200, Increment: 5, Max: 7200, MaxTimeouts: 3})
	began := h.Now()
	h.pass(10 * time.Second)
	k0.serve(t)
	h.pass(90 * time.Minute)
	k := h.keeper()
	if err := k.beat.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.pass(4 * time.Second) // and ten seconds of thought before the outage
	outages, err := k.beat.Outages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seat, _ := deadline(t, h.state(t, id))
	s := h.must(t, id, game.AfterOutages{Outages: outages, Command: game.PlaceBid{Seat: seat}})
	if want := int64(7200_000 - 14_000 + 5_000); s.Banks[seat] != want {
		t.Errorf("the bank is %d, not %d; began %v", s.Banks[seat], want, began)
	}
	if n := k.serve(t); n != 0 {
		t.Errorf("%d more commands", n)
	}
	_, err = decide(t.Context(), h.games, id, func(game.State) game.Command {
		return game.AfterOutages{Outages: []game.Outage{{From: h.ms.Load(), To: h.ms.Load() + 1}}, Command: game.PlaceBid{Seat: seat}}
	})
	var refused *game.Error
	if after := h.state(t, id); !errors.As(err, &refused) || *after != *s {
		t.Errorf("a refused command changed the game: %v", err)
	}
}

// hanging is a store whose next read takes long.
type hanging struct {
	eventstore.Store
	during func()
}

func (s *hanging) Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]eventstore.Record, error) {
	if s.during != nil {
		s.during()
		s.during = nil
	}
	return s.Store.Read(ctx, stream, after, limit)
}

// A database that hangs while a clock is looked at ends no turn: that was an outage.
func TestNoTurnEndsByAHang(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k := h.keeper()
	id := h.start(t, open5, perTurn(time.Hour))
	k.serve(t)
	_, end := deadline(t, h.state(t, id))
	k.Games = projections.NewGames(&hanging{Store: h.store, during: func() { h.pass(2 * time.Hour) }}, eventstore.Options{Now: h.Now})
	if n, err := k.Tend(t.Context(), id); n != 0 || err != nil {
		t.Errorf("%d commands, %v", n, err)
	}
	k.serve(t)
	if _, after := deadline(t, h.state(t, id)); !after.Equal(end.Add(2 * time.Hour)) {
		t.Errorf("the deadline has gone from %v to %v", end, after)
	}
}

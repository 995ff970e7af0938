package projections_test

import (
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// soak returns the small count of a test, or the large one where there is time.
func soak(small, large int) int {
	if os.Getenv("MAGO_SOAK") == "1" {
		return large
	}
	return small
}

// A late move and the timeout, of two servers at once: exactly one of them is in the stream, and the player is told which.
func TestALateMoveAgainstTheTimeout(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	server, player := h.sweeper(), h.sweeper()
	moved, timedOut := 0, 0
	for range soak(50, 1000) {
		id := h.start(t, open5, perTurn(time.Minute))
		s := *h.state(t, id)
		seat, end := deadline(t, &s)
		h.passTo(end.Add(game.Grace * time.Millisecond))
		var wg sync.WaitGroup
		var refused error
		wg.Go(func() {
			if _, err := server.Tend(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			_, refused = decide(t.Context(), player.Games, id, func(game.State) game.Command {
				return game.PlaceBid{Seat: seat, Tricks: 1, Meant: game.Meant{Round: 1}}
			})
		})
		wg.Wait()
		types, _ := h.types(t, id)
		var e *game.Error
		switch out := count(types, "turn_timed_out"); {
		case count(types, "bid_placed") != 1 || out > 1:
			t.Fatalf("%v", types)
		case out == 0 && refused == nil:
			moved++
		case out == 1 && errors.As(refused, &e) && e.Code == game.AlreadyBid:
			timedOut++
		default:
			t.Fatalf("the player was told %v: %v", refused, types)
		}
	}
	t.Logf("the move came first %d times, the timeout %d times", moved, timedOut)
}

// Servers that look for due games all the time while games begin end no turn before its time, and no lobby that has just become a game.
func TestSweepersRaceTheStart(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	var starts, sweeps sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		k := h.sweeper()
		sweeps.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, err := k.Sweep(t.Context())
				_, expired := projections.ExpireLobbies(t.Context(), k.Lists, k.Games, h.Now())
				if err = errors.Join(err, expired); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var mu sync.Mutex
	var ids []uuid.UUID
	for range 2 {
		starts.Go(func() {
			for range soak(10, 100) {
				id := h.lobby(t, open5, perTurn(5*time.Second))
				h.must(t, id, game.JoinGame{User: userID(1, 1), Seat: game.NoSeat})
				mu.Lock()
				h.pass(time.Second)
				ids = append(ids, id)
				mu.Unlock()
				h.must(t, id, game.JoinGame{User: userID(1, 2), Seat: game.NoSeat})
			}
		})
	}
	starts.Wait()
	close(stop)
	sweeps.Wait()
	early := 0
	for _, id := range ids {
		types, at := h.types(t, id)
		if !slices.Contains(types, "game_started") { // those that go on so long that they are abandoned have begun
			t.Errorf("%v", types)
		}
		for i, name := range types {
			if name == "turn_timed_out" && at[i]-at[i-1] < 5000+game.Grace {
				early++
			}
		}
	}
	if early > 0 {
		t.Errorf("%d turns ended before their time", early)
	}
}

// The first move has as long as any other, and a game that waits for it is no lobby that nobody touches.
func TestTheFirstMoveHasItsTime(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k := h.sweeper()
	clock := perTurn(30 * 24 * time.Hour)
	waits, lobby := h.start(t, open5, clock), h.lobby(t, open5, clock)
	seat, end := deadline(t, h.state(t, waits))
	h.passTo(end.Add(-time.Second))
	if n, err := projections.ExpireLobbies(t.Context(), k.Lists, k.Games, h.Now()); n != 1 || err != nil {
		t.Errorf("%d lobbies expired: %v", n, err)
	}
	if n, err := k.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d commands: %v", n, err)
	}
	if h.state(t, lobby).Status != game.Cancelled {
		t.Error("the lobby stands")
	}
	if s := h.must(t, waits, game.PlaceBid{Seat: seat}); s.Turn().Has(seat) {
		t.Error("the first move was not taken")
	}
}

// A server that has just come up knows of a game what its stream says: in a bidding of all at once it ends the turn of the seat whose time is up, no other's.
func TestTheRightPlayerTimesOutAfterARestart(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	rules := game.Rules{Players: 3, Bidding: game.HiddenBidding, Length: game.Five}
	id := h.start(t, rules, game.Clock{Kind: game.Bank, Initial: 3600, Increment: 5, Max: 3600, MaxTimeouts: 3})
	for seat := range game.Seat(3) { // who bids later has less left
		h.pass(time.Duration(seat) * 10 * time.Minute)
		h.must(t, id, game.PlaceBid{Seat: seat})
	}
	for h.state(t, id).Round.Number == 1 {
		s := h.state(t, id)
		seat := s.Turn().All()[0]
		h.must(t, id, game.PlayCard{Seat: seat, Card: s.View(seat).You.Can.Play[0]})
	}
	for s := h.state(t, id); s.Round.Phase == game.ChooseTrump; s = h.state(t, id) {
		h.must(t, id, game.NameTrump{Seat: s.Round.Dealer, Suit: 1})
	}
	ends := h.state(t, id).View(game.Spectator).Turn.Deadlines
	for _, seat := range []game.Seat{2, 1, 0} {
		h.passTo(time.UnixMilli(ends[seat] + game.Grace))
		k := h.sweeper()
		if n, err := k.Sweep(t.Context()); n != 1 || err != nil {
			t.Errorf("%d commands: %v", n, err)
		}
		if s := h.state(t, id); s.Timeouts[seat] != 1 || s.Turn().Has(seat) && s.Round.Phase == game.PlaceBids {
			t.Errorf("at the deadline of seat %d: timeouts %v", seat, s.Timeouts)
		}
	}
}

// A game that can't be read is at a stand, is reported once and stops no other clock.
func TestAnUnreadableGameStopsNoOtherClock(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k := h.sweeper()
	spoiled := h.start(t, open5, perTurn(time.Minute))
	h.pass(time.Millisecond)
	whole := h.start(t, open5, perTurn(time.Minute))
	h.spoil(t, spoiled)
	h.pass(2 * time.Minute)
	var corrupt *eventstore.CorruptError
	if n, err := k.Sweep(t.Context()); n != 1 || !errors.As(err, &corrupt) || corrupt.Stream != spoiled {
		t.Errorf("%d commands: %v", n, err)
	}
	if n, err := k.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("again: %d commands: %v", n, err)
	}
	if types, _ := h.types(t, whole); count(types, "turn_timed_out") != 1 {
		t.Errorf("%v", types)
	}
}

// The check for stuck games finds one whose row says that nothing will ever happen to it.
func TestStuckGamesAreFound(t *testing.T) {
	t.Parallel()
	h := newTower(t)
	k := h.sweeper()
	look := func(want ...uuid.UUID) {
		t.Helper()
		ids, err := k.Lists.Stuck(t.Context())
		w, failed := k.Lists.Watch(t.Context())
		if err = errors.Join(err, failed); err != nil || !slices.Equal(ids, want) || w.Stuck != len(want) {
			t.Errorf("stuck: %v, %d, %v", ids, w.Stuck, err)
		}
	}
	untimed, paused := h.start(t, open5, game.Clock{}), h.start(t, open5, perTurn(time.Minute))
	for seat := range game.Seat(3) {
		h.must(t, paused, game.VotePause{Seat: seat, Agree: true})
	}
	resting := h.start(t, open5, perTurn(48*time.Hour))
	for seat := range game.Seat(3) {
		h.must(t, resting, game.TakeVacation{Seat: seat})
	}
	first, _ := deadline(t, h.state(t, resting))
	h.must(t, resting, game.PlaceBid{Seat: first})
	look()
	h.exec(t, `UPDATE games SET due_at = 0 WHERE game_id = '`+resting.String()+`'`)
	look(resting)
	h.must(t, paused, game.Resume{Seat: 0})
	for seat := range game.Seat(3) { // all leave: nothing is left to wait for
		h.must(t, untimed, game.Resign{Seat: seat})
	}
	look(resting)
	if _, err := projections.Rebuild(t.Context(), h.store.Writer(), h.games); err != nil {
		t.Fatal(err)
	}
	look()
}

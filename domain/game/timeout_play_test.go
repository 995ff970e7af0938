package game

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestTimeoutsChangeNothingButWhoMoves plays whole games of all options twice with the same moves: in one their players make them, in the other turns are timed out
// and seats taken over and reclaimed in every phase. The order of turns, the rounds and what each viewer may know are the same.
func TestTimeoutsChangeNothingButWhoMoves(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			seen := map[string]int{}
			for n := range soak(3, 10) {
				playTimed(t, r, n, uint64(1000*n+i), seen)
			}
			for _, want := range []string{"bid", "play", "taken over", "reclaimed"} {
				if seen[want] == 0 {
					t.Errorf("%s never happened: %v", want, seen)
				}
			}
		})
	}
}

func playTimed(t *testing.T, r Rules, n int, seed uint64, seen map[string]int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(13, seed))
	plain := newTable(t, r, secrets(seed))
	timed := &table{tb: t, now: plain.now}
	timed.must(CreateGame{
		ID: testID, Host: user(0), Rules: r, AutoStart: true, Secrets: secrets(seed), Clock: Clock{Kind: PerTurn, Seconds: 5, MaxTimeouts: 1 + n%2},
	})
	for i := 1; i < r.Players; i++ {
		timed.must(JoinGame{User: user(i), Seat: NoSeat, ClientSeed: "seed-" + user(i)[34:]})
	}
	for plain.state.Status == Playing {
		moves := plain.moves()
		move := moves[rng.IntN(len(moves))]
		want := plain.must(move)
		seat, _ := as(move, NotAuto)
		var got []Event
		switch _, by := as(move, AutoBot); {
		case timed.state.BotAt(seat) != NoBot:
			got = timed.must(BotMove{Move: by, Engine: "1"})
		case seat != 0 && rng.IntN(2) == 0: // somebody is always left
			end, _ := timed.state.Deadline(seat)
			timed.now = max(timed.now, end+Grace-1000)
			_, late := as(move, AutoTimeout)
			got = timed.must(TimeOut{Seat: seat, Now: end + Grace, Move: late, Engine: "1"})
			if out, ok := got[0].(TurnTimedOut); !ok || out.Seat != seat {
				t.Fatalf("%+v", got)
			}
			seen[actions[got[0].(TurnTimedOut).Action]]++
		default:
			got = timed.must(move)
		}
		sameForAll(t, plain, timed, want, got, seen)
		if away := Seat(rng.IntN(r.Players)); timed.state.Status == Playing && timed.state.Away[away] == TakenOver && rng.IntN(3) == 0 {
			timed.must(Reclaim{Seat: away})
			seen["reclaimed"]++
		}
	}
	if timed.state.Status != Finished {
		t.Errorf("ended as %v", timed.state.Status)
	}
}

// as is a move for another reason, and whose it is.
func as(c Command, auto Auto) (Seat, Command) {
	switch c := c.(type) {
	case NameTrump:
		c.Auto = auto
		return c.Seat, c
	case PlaceBid:
		c.Auto = auto
		return c.Seat, c
	case PlayCard:
		c.Auto = auto
		return c.Seat, c
	default:
		return NoSeat, c
	}
}

// sameForAll compares the two games, and what each viewer sees of the last moves.
func sameForAll(t *testing.T, plain, timed *table, want, got []Event, seen map[string]int) {
	t.Helper()
	a, b := &plain.state, &timed.state
	if a.Round != b.Round || a.Scores != b.Scores || a.Status != b.Status || a.Turn() != b.Turn() {
		t.Fatalf("%+v\nis not %+v", b.Round, a.Round)
	}
	var moves []Event
	for _, e := range got {
		switch e.(type) {
		case SeatTakenOver:
			seen["taken over"]++
		case TurnTimedOut, EngineSet:
		default:
			moves = append(moves, e)
		}
	}
	if len(moves) != len(want) {
		t.Fatalf("%+v is not %+v", moves, want)
	}
	for viewer := Spectator; int(viewer) < a.Rules.Players; viewer++ {
		for i := range want {
			x, wholeX := a.Redact(want[i], viewer)
			y, wholeY := b.Redact(moves[i], viewer)
			if _, ends := y.(GameFinished); !ends && (wholeX != wholeY || !reflect.DeepEqual(x, byPlayer(y))) {
				t.Fatalf("seat %d sees %+v, whole %t, not %+v", viewer, y, wholeY, x)
			}
		}
		if x, y := a.View(viewer), b.View(viewer); !reflect.DeepEqual(x.You, y.You) || !reflect.DeepEqual(x.Others, y.Others) || !reflect.DeepEqual(x.Trick, y.Trick) {
			t.Fatalf("seat %d sees %+v, not %+v", viewer, y, x)
		}
	}
}

// byPlayer is an event without the reason why the player didn't make the move.
func byPlayer(e Event) Event {
	switch e := e.(type) {
	case TrumpSet:
		e.Auto = NotAuto
		return e
	case BidPlaced:
		e.Auto = NotAuto
		return e
	case CardPlayed:
		e.Auto = NotAuto
		return e
	default:
		return e
	}
}

package api

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/audit"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// weeks is a game of six that is played by people who look at it a few times a day.
type weeks struct {
	*running
	t      *testing.T
	now    *calendar
	table  *apitest.Table
	rng    *rand.Rand
	clocks *projections.Clocks
	bots   *projections.Bots
	own    [6]int // moves made by hand
	left   [6]int // premoves left
	back   bool   // seat 2
	away   bool   // seat 4 has taken its vacation
	stood  bool   // and its clock has stood
}

// What the players of the seats do: 0 and 5 play, 5 by premoves where it can; 1 is silent from the start, 2 from the second round until a bot has their seat and
// the fourth round has begun; 3 resigns in the second round; 4 goes on vacation in it for five days, and plays.
const (
	silent, returns, resigns, rests, ahead = 1, 2, 3, 4, 5
)

// A whole game of six over weeks, in which two fall silent, one of them comes back, one resigns and one goes on vacation, runs itself to its end, and its stream
// alone explains every move.
func TestAGameOverWeeks(t *testing.T) {
	t.Parallel()
	now := newCalendar()
	r := startWith(t, now, testdb.New(t))
	w := &weeks{
		running: r, t: t, now: now, rng: rand.New(rand.NewPCG(8, 8)),
		clocks: &projections.Clocks{Lists: r.Lists, Games: r.Games, Time: &projections.Time{Machine: now.Now}},
		bots:   &projections.Bots{Lists: r.Lists, Games: r.Games, Log: slog.New(slog.DiscardHandler)},
	}
	u := registerAll(t, r, 6)
	length := "five"
	if soak() {
		length = "full"
	}
	var g apitest.Game
	u[0].Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{
		"rules": map[string]any{"players": 6, "length": length, "auto_play_forced": true},
		"clock": map[string]any{"kind": "per_turn", "seconds": 86_400, "vacation": true},
	}, &g)
	for _, c := range u[1:] {
		c.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/players", nil, nil)
	}
	w.table = &apitest.Table{ID: g.ID, Players: u}
	began := now.Now()
	for w.work(); w.state(t, w.table).Status == game.Playing; w.work() {
		w.script()
		w.turn()
	}
	w.ended(now.Now().Sub(began))
	w.explained()
}

// work does what a server does by itself, until there is nothing more to do.
func (w *weeks) work() {
	w.t.Helper()
	for done := -1; done != 0; {
		done = 0
		for _, job := range []func() (int, error){
			func() (int, error) { return w.Vacations.Settle(w.t.Context()) },
			func() (int, error) { return w.clocks.Sweep(w.t.Context()) },
			func() (int, error) { return w.Premoves.PlayAll(w.t.Context()) },
			func() (int, error) { return w.bots.MoveAll(w.t.Context()) },
		} {
			n, err := job()
			if err != nil {
				w.t.Fatal(err)
			}
			done += n
		}
	}
}

// script lets the players do what they do beside moving.
func (w *weeks) script() {
	w.t.Helper()
	s, p := w.state(w.t, w.table), w.table.Players
	if s.Round.Number >= 2 && s.Away[resigns] == game.Present {
		p[resigns].Must(w.t, http.StatusOK, "POST", w.table.Path("/resign"), nil, nil)
	}
	if s.Round.Number >= 2 && !w.away {
		takeVacation(w.t, p[rests], 5)
		w.away = true
	}
	if s.Round.Number >= 4 && s.Away[returns] == game.TakenOver {
		p[returns].Must(w.t, http.StatusOK, "POST", w.table.Path("/seats/2/reclaim"), nil, nil)
		w.back = true
	}
	if w.rng.IntN(2) == 0 && !s.Turn().Has(ahead) && w.left[ahead] < 20 {
		hand := w.table.View(w.t, ahead).You.Hand
		if a := p[ahead].Do(w.t, "PUT", w.table.Path("/premove"), map[string]any{"cards": hand}); a.Status == http.StatusOK {
			w.left[ahead]++
		}
	}
}

// turn lets time pass until who is on turn moves, or the server has something to do.
func (w *weeks) turn() {
	w.t.Helper()
	s := w.state(w.t, w.table)
	if s.Status != game.Playing {
		return
	}
	seat := s.Turn().All()[0]
	_, stands := s.Standing(seat)
	switch {
	case s.BotAt(seat) != game.NoBot:
		return
	case stands: // on vacation
		w.stood = true
		w.now.forward(7 * time.Hour)
	case seat == silent, seat == returns && s.Round.Number >= 2 && !w.back:
		if s.Due() <= w.now.at.Load() {
			w.t.Fatalf("seat %d is silent, and nothing is due", seat)
		}
		w.now.at.Store(s.Due())
	default:
		w.now.forward(time.Duration(w.rng.IntN(8*60)) * time.Minute)
		g := w.table.View(w.t, int(seat))
		moves := g.Moves()
		m := moves[w.rng.IntN(len(moves))]
		w.table.Players[seat].Must(w.t, http.StatusOK, "POST", w.table.Path(m.Path), m.Body, nil)
		w.own[seat]++
	}
}

// ended looks at the result.
func (w *weeks) ended(took time.Duration) {
	w.t.Helper()
	g := w.table.View(w.t, 0)
	if g.Status != "finished" || took < 14*24*time.Hour || !w.stood {
		w.t.Fatalf("%s after %v; the vacation stopped a clock: %v", g.Status, took, w.stood)
	}
	for seat, place := range g.Result.Places {
		if gone := seat == silent || seat == resigns; gone != (place >= 5) {
			w.t.Errorf("seat %d is placed %d: %v", seat, place, g.Result.Places)
		}
	}
	w.t.Logf("%d events over %v", g.Version, took)
}

// explained goes through the stream as it is stored, with nothing else to go by but what the players say they did.
func (w *weeks) explained() {
	w.t.Helper()
	id := uuid.MustParse(w.table.ID)
	records, err := w.store.Read(w.t.Context(), id, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := eventstore.VerifyChain(id, eventstore.Tip{}, records); err != nil {
		w.t.Fatal(err)
	}
	x := explanation{t: w.t, own: w.own, left: w.left, timedOut: game.NoSeat, count: map[string]int{}}
	events := make([]game.Event, len(records))
	for i, record := range records {
		if events[i], err = projections.Decode(record); err != nil {
			w.t.Fatal(err)
		}
		x.event(events[i], record.At)
	}
	if x.own != [6]int{} {
		w.t.Errorf("moves of the players' own that are not in the stream: %v", x.own)
	}
	if got := *w.state(w.t, w.table); x.state != got {
		w.t.Error("the stream makes another game")
	}
	for what, n := range map[string]int{"player_resigned": 1, "seat_taken_over": 2, "seat_reclaimed": 1, "turn_timed_out": 6, "clock_paused": 1, "clock_resumed": 1} {
		if x.count[what] != n {
			w.t.Errorf("%d of %s, not %d", x.count[what], what, n)
		}
	}
	for auto, n := range map[string]int{"timeout": 6, "bot": 10, "forced": 10, "premove": 1, "": 20} {
		if x.count["auto "+auto] < n {
			w.t.Errorf("only %d moves by %q", x.count["auto "+auto], auto)
		}
	}
	moves, err := audit.Bots(events)
	if err != nil || len(moves) != x.count["auto bot"]+x.count["auto timeout"] {
		w.t.Errorf("%d moves of bots chosen again: %v", len(moves), err)
	}
	for _, m := range moves {
		if m.Verdict != audit.Same {
			w.t.Errorf("a bot would have chosen otherwise: %+v", m)
		}
	}
}

// explanation is what has been found out so far.
type explanation struct {
	t         *testing.T
	state     game.State
	own, left [6]int
	gone      [6]bool // resigned or taken over
	owed      [6]bool // the bot still makes the move it was at
	timeouts  [6]int  // in a row
	timedOut  game.Seat
	count     map[string]int
}

func (x *explanation) event(e game.Event, at int64) {
	x.t.Helper()
	s := &x.state
	x.count[game.TypeOf(e)]++
	switch e := e.(type) {
	case game.TurnTimedOut:
		deadline, runs := s.Deadline(e.Seat)
		if !runs || at != deadline+game.Grace {
			x.t.Errorf("seat %d timed out at %d; its deadline was %d (%v)", e.Seat, at, deadline, runs)
		}
		x.timeouts[e.Seat]++
		x.timedOut = e.Seat
	case game.SeatTakenOver:
		if x.timeouts[e.Seat] != s.Clock.MaxTimeouts {
			x.t.Errorf("seat %d was taken over after %d timeouts", e.Seat, x.timeouts[e.Seat])
		}
		x.gone[e.Seat] = true
	case game.PlayerResigned:
		x.gone[e.Seat] = true
	case game.SeatReclaimed:
		x.gone[e.Seat], x.owed[e.Seat], x.timeouts[e.Seat] = false, s.Turn().Has(e.Seat), 0
	case game.TrumpSet:
		if e.Seat != game.NoSeat {
			x.move(e.Seat, e.Auto, s.Round.Legal(e.Seat).Trump)
		}
	case game.BidPlaced:
		x.move(e.Seat, e.Auto, s.Round.Legal(e.Seat).Bids.Has(e.Tricks))
	case game.CardPlayed:
		x.move(e.Seat, e.Auto, s.Round.Legal(e.Seat).Plays.Has(e.Card))
	}
	x.state = game.Evolve(x.state, e, at)
}

// move needs a cause for a move: the player, or what stands in the stream before it. Of a premove that is the player too.
func (x *explanation) move(seat game.Seat, auto game.Auto, legal bool) {
	x.t.Helper()
	x.count["auto "+auto.String()]++
	version := x.state.Version + 1
	if !legal || !x.state.Turn().Has(seat) {
		x.t.Errorf("version %d: seat %d was not on turn, or could not do that", version, seat)
	}
	because := false
	switch auto {
	case game.NotAuto:
		because = !x.gone[seat] && x.own[seat] > 0
		x.own[seat]--
		x.timeouts[seat] = 0
	case game.AutoPremove:
		because = !x.gone[seat] && x.left[seat] > 0
		x.left[seat]--
		x.timeouts[seat] = 0
	case game.AutoTimeout:
		because = x.timedOut == seat
	case game.AutoBot:
		because = x.gone[seat] || x.owed[seat]
		x.owed[seat] = false
	case game.AutoForced:
		forced, _, _, ok := x.state.Round.Forced()
		because = x.state.Rules.AutoPlayForced && ok && forced == seat
	}
	if !because {
		x.t.Errorf("version %d: nothing explains a move by %q on seat %d", version, auto, seat)
	}
	x.timedOut = game.NoSeat
}

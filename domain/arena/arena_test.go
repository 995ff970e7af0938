package arena_test

import (
	"reflect"
	"testing"
	"time"

	"mago/domain/arena"
	"mago/domain/bot"
	"mago/domain/game"
)

func played(t *testing.T, tr *arena.Tournament, deal int) arena.Block {
	t.Helper()
	b, err := tr.Play(deal)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestATournamentFollowsFromItsSeed(t *testing.T) {
	t.Parallel()
	five := game.Rules{Length: game.Five}
	players := []arena.Player{arena.Fair(game.StandardBot, 20), arena.Fair(game.EasyBot, 0), arena.Fair(game.EasyBot, 0)}
	one := &arena.Tournament{Rules: five, Players: players, Seed: 1}
	other := &arena.Tournament{Rules: five, Players: players, Seed: 2}
	b := played(t, one, 3)
	if again := played(t, one, 3); !reflect.DeepEqual(b, again) {
		t.Errorf("first %+v, then %+v", b, again)
	}
	if reflect.DeepEqual(b.Results, played(t, other, 3).Results) || reflect.DeepEqual(b.Results, played(t, one, 4).Results) {
		t.Error("another seed or deal gives the same results")
	}
	for _, r := range b.Results {
		if r.Games != 3 || r.Bids != 15 || len(r.CPU) != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// Every player has every seat once with the same deals, so that players who are the same come out the same.
func TestNobodyIsLucky(t *testing.T) {
	t.Parallel()
	for players := game.MinPlayers; players <= game.MaxPlayers; players++ {
		tr := &arena.Tournament{Rules: game.Rules{Bidding: game.HiddenBidding}, Seed: 7}
		for range players {
			tr.Players = append(tr.Players, arena.Fair(game.EasyBot, 0))
		}
		b := played(t, tr, 0)
		wins := 0.0
		for _, r := range b.Results {
			wins += r.Wins
			if !reflect.DeepEqual(r, b.Results[0]) {
				t.Errorf("%d players: %+v and %+v", players, r, b.Results[0])
			}
		}
		if wins < float64(players)-1e-9 || wins > float64(players)+1e-9 {
			t.Errorf("%d wins in %d games", int(wins), players)
		}
	}
}

func TestStandings(t *testing.T) {
	t.Parallel()
	tr := &arena.Tournament{Players: []arena.Player{{Name: "a"}, {Name: "b"}, {Name: "b"}}}
	ms := time.Millisecond
	got := tr.Summarize([]arena.Block{
		{Results: []arena.Result{
			{Games: 3, Score: 300, Wins: 3, Bids: 10, Met: 8, CPU: []time.Duration{ms, 3 * ms}},
			{Games: 3, Score: 90, Bids: 10, Met: 5},
			{Games: 3, Score: 30, Bids: 10, Met: 4},
		}},
		{Results: []arena.Result{
			{Games: 3, Score: 180, Wins: 1.5, Bids: 10, Met: 6, CPU: []time.Duration{2 * ms, 2 * ms}},
			{Games: 3, Score: 180, Wins: 1.5, Bids: 10, Met: 6},
			{Games: 3, Score: 60, Bids: 10, Met: 5},
		}},
	})
	want := []arena.Standing{
		{
			Name: "a", Seats: 1, Score: arena.Estimate{Mean: 80, StdErr: 20}, Margin: arena.Estimate{Mean: 50, StdErr: 30},
			Met: arena.Estimate{Mean: .7, StdErr: .1}, Wins: arena.Estimate{Mean: .75, StdErr: .25}, Choices: 4, CPUMean: .002, CPU99: .003, CPUMost: .003,
		},
		{
			Name: "b", Seats: 2, Score: arena.Estimate{Mean: 30, StdErr: 10}, Margin: arena.Estimate{Mean: -50, StdErr: 30},
			Met: arena.Estimate{Mean: .5, StdErr: .05}, Wins: arena.Estimate{Mean: .125, StdErr: .125},
		},
	}
	if len(got) != 2 || !near(got[0], want[0]) || !near(got[1], want[1]) {
		t.Errorf("got %+v", got)
	}
}

// near compares standings but for the last bits.
func near(a, b arena.Standing) bool {
	round := func(s arena.Standing) arena.Standing {
		v := reflect.ValueOf(&s).Elem()
		for i := range v.NumField() {
			f := v.Field(i)
			if f.Kind() == reflect.Struct {
				for j := range f.NumField() {
					f.Field(j).SetFloat(float64(int(f.Field(j).Float()*1e6+.5)) / 1e6)
				}
			} else if f.CanFloat() {
				f.SetFloat(float64(int(f.Float()*1e6 + .5)))
			}
		}
		return s
	}
	for _, s := range []*arena.Standing{&a, &b} {
		s.Margin.Mean += 1000 // so that halves are rounded one way
	}
	return round(a) == round(b)
}

func TestAPlayerWithoutAMoveEndsTheTournament(t *testing.T) {
	t.Parallel()
	none := arena.Player{Name: "none", Choose: func(*game.State, game.Seat) (bot.Choice, bool) { return bot.Choice{}, false }}
	bad := arena.Player{Name: "bad", Choose: func(_ *game.State, seat game.Seat) (bot.Choice, bool) {
		return bot.Choice{Seat: seat, Phase: game.PlaceBids, Bid: 20}, true
	}}
	for _, p := range []arena.Player{none, bad} {
		tr := &arena.Tournament{Players: []arena.Player{p, p, p}}
		if _, err := tr.Play(0); err == nil {
			t.Errorf("%s played", p.Name)
		}
	}
}

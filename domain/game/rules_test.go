package game

import (
	"slices"
	"testing"
	"unsafe"
)

func TestSchedules(t *testing.T) {
	t.Parallel()
	oneTo := func(n int) (out []int) {
		for i := range n {
			out = append(out, i+1)
		}
		return out
	}
	for _, test := range []struct {
		length  Length
		players int
		want    []int
	}{
		{Full, 3, oneTo(20)},
		{Full, 4, oneTo(15)},
		{Full, 5, oneTo(12)},
		{Full, 6, oneTo(10)},
		{Five, 3, oneTo(5)},
		{Five, 4, oneTo(5)},
		{Five, 5, oneTo(5)},
		{Five, 6, oneTo(5)},
		{Tournament, 3, []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
		{Tournament, 4, []int{1, 3, 5, 7, 9, 11, 12, 13, 14, 15}},
		{Tournament, 5, []int{2, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{Tournament, 6, oneTo(10)},
	} {
		r := Rules{Players: test.players, Length: test.length}
		var got []int
		for round := 1; round <= r.Rounds(); round++ {
			got = append(got, r.CardsEach(round))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v with %d players: %v", test.length, test.players, got)
		}
		if r.Rounds() > MaxRounds || slices.Max(got) > MaxCards {
			t.Errorf("%v with %d players is beyond the bounds", test.length, test.players)
		}
	}
}

func TestForesightIsEffectiveWhereTheFirstRoundHasOneCard(t *testing.T) {
	t.Parallel()
	for _, r := range allRules() {
		two := r.Length == Tournament && (r.Players == 3 || r.Players == 5)
		if r.ForesightEffective() != (r.Foresight && !two) {
			t.Errorf("%+v: %t", r, r.ForesightEffective())
		}
		for round := 1; round <= r.Rounds(); round++ {
			if r.Blind(round) != (round == 1 && r.ForesightEffective()) {
				t.Errorf("%+v in round %d: blind %t", r, round, r.Blind(round))
			}
		}
	}
}

func TestRulesOutOfRange(t *testing.T) {
	t.Parallel()
	for _, r := range allRules() {
		if err := r.Valid(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, r := range []Rules{{}, {Players: 2}, {Players: 7}, {Players: -3}, {Players: 3, Bidding: 4}, {Players: 3, Length: 3}} {
		if r.Valid() == nil {
			t.Errorf("%+v passes", r)
		}
		if _, err := Decide(State{}, CreateGame{Rules: r}); codeOf(err) != Invalid {
			t.Errorf("%+v opens a game: %v", r, err)
		}
	}
	if (Rules{Players: 3, Length: 3}).Rounds() != 0 {
		t.Error("an unknown length has rounds")
	}
}

func TestNamesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"open", "plus_minus_one", "hidden", "secret"} {
		if b, ok := ParseBidding(name); !ok || b != Bidding(i) || b.String() != name {
			t.Errorf("%s: %v", name, b)
		}
	}
	for i, name := range []string{"full", "five", "tournament"} {
		if l, ok := ParseLength(name); !ok || l != Length(i) || l.String() != name {
			t.Errorf("%s: %v", name, l)
		}
	}
	for i, name := range []string{"lobby", "playing", "finished", "cancelled"} {
		if s, ok := ParseStatus(name); !ok || s != Status(i+1) || s.String() != name || s.Over() != (i > 1) {
			t.Errorf("%s: %v", name, s)
		}
	}
	for i, name := range []string{"public", "private"} {
		if v, ok := ParseVisibility(name); !ok || v != Visibility(i) || v.String() != name {
			t.Errorf("%s: %v", name, v)
		}
	}
	if k, ok := ParseClockKind("none"); !ok || k != NoClock || k.String() != "none" {
		t.Errorf("none: %v", k)
	}
	if _, ok := ParseStatus(""); ok {
		t.Error("a game that does not exist has a status")
	}
	if _, ok := ParseBidding("Open"); ok {
		t.Error("names are compared without case")
	}
	written := []string{AutoBot.String(), ByNoCardLeft.String(), ByHost.String(), Expired.String()}
	if !slices.Equal(written, []string{"bot", "no_card_left", "host", "expired"}) {
		t.Errorf("written as %v", written)
	}
}

// TestRoundIsSmall keeps copies of a round cheap: playouts make millions.
func TestRoundIsSmall(t *testing.T) {
	t.Parallel()
	if size := unsafe.Sizeof(Round{}); size > 256 {
		t.Errorf("a round has %d bytes", size)
	}
}

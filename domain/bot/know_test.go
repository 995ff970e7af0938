package bot

import (
	"testing"

	"mago/domain/card"
	"mago/domain/game"
)

// What a trick shows of who lacks the suit to follow.
func TestWhatATrickShows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plays string
		voids [4]card.Set
	}{
		"all follow":                     {"E9 E3 E2 E1", [4]card.Set{}},
		"another suit":                   {"E9 D3 E2 E1", [4]card.Set{1: elves}},
		"a trump is another suit too":    {"E9 G3 E2 G1", [4]card.Set{1: elves, 3: elves}},
		"a wizard or jester shows none":  {"E9 W1 J1 E1", [4]card.Set{}},
		"the duty stays behind a wizard": {"E9 W1 D1 E1", [4]card.Set{2: elves}},
		"a jester led passes it on":      {"J1 E9 D1 E1", [4]card.Set{2: elves}},
		"two jesters led":                {"J1 J2 D1 E1", [4]card.Set{3: dwarves}},
		"a wizard led frees all":         {"W1 E9 D1 G1", [4]card.Set{}},
		"a jester, then a wizard":        {"J1 W1 D1 G1", [4]card.Set{}},
	} {
		k := &knowledge{round: game.Round{Players: 4}, holders: make([]holder, 5)}
		var plays []card.Card
		for rest := c.plays; rest != ""; {
			var code string
			code, rest = rest[:2], rest[min(len(rest), 3):]
			plays = append(plays, cardsOf(code).First())
		}
		if !k.saw(2, plays) {
			t.Fatalf("%s: makes no sense", name)
		}
		for i, want := range c.voids {
			if got := k.holders[(2+i)%4].voids; got != want {
				t.Errorf("%s: play %d shows %v", name, i, got)
			}
		}
	}
}

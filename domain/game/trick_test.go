package game

import (
	"testing"

	"mago/domain/card"
)

// TestWorkedCases are the cases of the rules, in their words.
func TestWorkedCases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		trick  string
		trump  card.Suit
		hand   string
		may    string
		winner int
	}{
		{"W1 E9 D3", card.Giants, "E2 H5", "E2 H5", 0},
		{"J1 J2 E5", card.NoSuit, "E2 D9", "E2", 2},
		{"J1 W1 E5", card.NoSuit, "E2 D9", "D9 E2", 1},
		{"E5 W1", card.NoSuit, "E2 D9 J3", "E2 J3", 1},
		{"J1 J2 J3 J4", card.Dwarves, "E2", "E2", 0},
		{"J1 G2 W1 W2", card.Giants, "", "", 2},
		{"E13 D1 E1", card.Dwarves, "", "", 1},
		{"E13 D1 E1", card.NoSuit, "", "", 0},
	} {
		t.Run(test.trick+" trump "+test.trump.String(), func(t *testing.T) {
			t.Parallel()
			if got := MayPlay(card.SetOf(cards(test.hand)...), cards(test.trick)); got.String() != test.may {
				t.Errorf("may play %v", got)
			}
			if got := Winner(cards(test.trick), test.trump); got != test.winner {
				t.Errorf("winner so far is %d", got)
			}
		})
	}
}

func TestSuitToFollow(t *testing.T) {
	t.Parallel()
	for trick, want := range map[string]card.Suit{
		"":            card.NoSuit,
		"J1":          card.NoSuit,
		"J1 J2 J3":    card.NoSuit,
		"W1":          card.NoSuit,
		"W1 E1":       card.NoSuit,
		"J1 W1 E1":    card.NoSuit,
		"E1":          card.Elves,
		"E1 W1":       card.Elves,
		"E1 D13 G2":   card.Elves,
		"J1 H4 D1":    card.Humans,
		"J1 J2 G3 W4": card.Giants,
	} {
		if got := SuitToFollow(cards(trick)); got != want {
			t.Errorf("%q: %v", trick, got)
		}
	}
}

func TestWhoTakesTheTrick(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, trick string
		trump       card.Suit
		want        int
	}{
		{"the first of two wizards", "D13 W4 W1", card.Dwarves, 1},
		{"a wizard beats the highest trump", "D13 H1 W1", card.Dwarves, 2},
		{"the highest trump", "E13 D1 D9 D4", card.Dwarves, 2},
		{"a trump led", "D5 E13 D6", card.Dwarves, 2},
		{"the highest of the suit to follow", "E5 E13 E9", card.Dwarves, 1},
		{"a card of a third suit never", "E1 H13 G13", card.Dwarves, 0},
		{"a jester never beats a suit card", "E1 J1 J2", card.NoSuit, 0},
		{"a suit card beats jesters before it", "J1 J2 E1", card.Dwarves, 2},
		{"after a jester the third suit neither", "J1 E1 H13", card.Dwarves, 1},
		{"the first of jesters alone", "J4 J1 J3", card.Humans, 0},
		{"one trump after a jester", "J1 E13 D1", card.Dwarves, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Winner(cards(test.trick), test.trump); got != test.want {
				t.Errorf("%s: card %d", test.trick, got)
			}
		})
	}
}

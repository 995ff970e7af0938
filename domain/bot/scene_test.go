package bot_test

import (
	"strings"
	"testing"

	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
)

func cards(codes string) (s card.Set) {
	for _, code := range strings.Fields(codes) {
		c, err := card.Parse(code)
		if err != nil {
			panic(err)
		}
		s = s.With(c)
	}
	return s
}

// deal is a round in which seat 0 deals, and so comes last.
func deal(r game.Rules, turned string, hands ...string) *game.State {
	s := &game.State{Status: game.Playing, Rules: r}
	s.Rules.Players = len(hands)
	var held [game.MaxPlayers]card.Set
	for i, h := range hands {
		held[i] = cards(h)
	}
	s.Round = game.NewRound(s.Rules, held[0].Len(), 0, held, cards(turned).First())
	if suit, by := s.Round.TrumpOf(); by != game.ByDealer {
		s.Round.SetTrump(suit)
	}
	return s
}

func choose(t *testing.T, s *game.State) bot.Choice {
	t.Helper()
	c, ok := bot.Easy(s.View(0))
	if !ok {
		t.Fatal("seat 0 is not on turn")
	}
	return c
}

func TestBids(t *testing.T) {
	t.Parallel()
	blind := game.Rules{Foresight: true}
	for name, c := range map[string]struct {
		rules  game.Rules
		turned string
		hands  []string
		want   int
	}{
		"wizards take tricks":                      {turned: "E2", hands: []string{"W1 W2 W3", "D1 D2 D3", "G1 G2 G3"}, want: 3},
		"jesters take none":                        {turned: "E2", hands: []string{"J1 J2 D1", "D4 D2 D3", "G1 G2 G3"}, want: 0},
		"a wizard and the highest trump":           {turned: "E2", hands: []string{"W1 E13 D2", "D1 D4 D3", "G1 G2 G3"}, want: 2},
		"two, where three is refused":              {rules: game.Rules{Bidding: game.PlusMinusOne}, turned: "E2", hands: []string{"W1 W2 W3", "D1 D2 D3", "G1 G2 G3"}, want: 2},
		"blind behind a wizard":                    {rules: blind, turned: "E2", hands: []string{"E13", "D1", "W1"}, want: 0},
		"blind behind jesters":                     {rules: blind, turned: "J4", hands: []string{"D1", "J1", "J2"}, want: 1},
		"blind with no card that is likely to win": {rules: blind, turned: "E2", hands: []string{"E13", "E12", "D2"}, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := deal(c.rules, c.turned, c.hands...)
			s.Round.PlaceBid(1, 0)
			s.Round.PlaceBid(2, 0)
			if got := choose(t, s); got.Bid != c.want {
				t.Errorf("bid %d, not %d", got.Bid, c.want)
			}
		})
	}
}

func TestTrump(t *testing.T) {
	t.Parallel()
	if c := choose(t, deal(game.Rules{}, "W4", "H9 H11 H12 D2 E3", "D1 D3 D4 D5 D6", "G1 G2 G3 G4 G5")); c.Suit != card.Humans {
		t.Errorf("named %v with three good humans", c.Suit)
	}
	// Blind, and last to play: with elves only 4 of the 57 unseen cards take the trick, and a bid of 0 is worth 18 points; with giants or
	// humans, by which most cards do, no bid is worth 9.
	if c := choose(t, deal(game.Rules{Foresight: true}, "W4", "H9", "D3", "E12")); c.Suit != card.Elves {
		t.Errorf("named %v with a trick that is all but lost by elves", c.Suit)
	}
}

func TestPlays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bid               int
		led, second, hand string
		want              string
	}{
		"wants none: the highest card that loses": {bid: 0, led: "E9", second: "E3", hand: "E2 E8 E12", want: "E8"},
		"wants none: rid of a wizard":             {bid: 0, led: "W1", second: "D2", hand: "W2 E2 E3", want: "W2"},
		"wants all: no wizard where less will do": {bid: 3, led: "E9", second: "E3", hand: "E12 W2 W3", want: "E12"},
		"wants one: the cheapest card that wins":  {bid: 1, led: "E9", second: "E3", hand: "E10 J1 J2", want: "E10"},
		"wants one: keeps the wizard":             {bid: 1, led: "E9", second: "E12", hand: "W1 E3 J2", want: "E3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := deal(game.Rules{}, "G5", c.hand, c.led+" D3 D4", c.second+" H2 H3")
			s.Round.PlaceBid(1, 1)
			s.Round.PlaceBid(2, 1)
			s.Round.PlaceBid(0, c.bid)
			s.Round.PlayCard(1, cards(c.led).First())
			s.Round.PlayCard(2, cards(c.second).First())
			if got := choose(t, s); got.Card.String() != c.want {
				t.Errorf("played %v, not %s", got.Card, c.want)
			}
		})
	}
}

package game

import (
	"slices"
	"testing"

	"mago/domain/card"
)

// Faults of real servers of this kind.

// TestTheWinnerIsBySeatNotByPlay: seat 1 leads, so the second card of the trick is seat 2's.
func TestTheWinnerIsBySeatNotByPlay(t *testing.T) {
	t.Parallel()
	given := playing(Rules{Length: Tournament}, "H9", []int{1, 1, 0}, "E2 D1", "E5 D2", "E9 D3")
	g := &table{tb: t, state: fold(given...)}
	g.must(PlayCard{Seat: 1, Card: cards("E5")[0]})
	g.must(PlayCard{Seat: 2, Card: cards("E9")[0]})
	won := g.must(PlayCard{Seat: 0, Card: cards("E2")[0]})[1]
	if won != (TrickWon{Round: 1, Trick: 1, Seat: 2, Card: cards("E9")[0]}) {
		t.Errorf("%+v", won)
	}
	if g.state.Turn() != 1<<2 || g.state.Round.Leader != 2 {
		t.Errorf("the winner of a trick leads the next, not %v", g.state.Turn().All())
	}
	g.must(PlayCard{Seat: 2, Card: cards("D3")[0]})
	g.must(PlayCard{Seat: 0, Card: cards("D1")[0]})
	events := g.must(PlayCard{Seat: 1, Card: cards("D2")[0]})
	scored := events[2].(RoundScored)
	if !slices.Equal(scored.Tricks, []int{0, 0, 2}) || !slices.Equal(scored.Bids, []int{0, 1, 1}) || !slices.Equal(scored.Points, []int{20, -10, -10}) {
		t.Errorf("%+v", scored)
	}
	if last := g.state.View(Spectator).LastTrick; last.Winner != 2 || last.Leader != 2 || last.Plays[2] != (Play{1, cards("D2")[0]}) || last.Round != 1 || last.Number != 2 {
		t.Errorf("the last trick is shown as %+v", last)
	}
	if d := events[3].(Dealt); d.Dealer != 1 || d.Round != 2 || d.CardsEach != 4 {
		t.Errorf("the deal passes to the left: %+v", d)
	}
}

// TestTwoCardsAtOnce: of two commands made on the same state one is played; the other meets the state after it.
func TestTwoCardsAtOnce(t *testing.T) {
	t.Parallel()
	given := playing(Rules{Length: Tournament}, "H9", []int{1, 1, 0}, "E2 D1", "E5 D2", "E9 D3")
	first, second := PlayCard{Seat: 1, Card: cards("E5")[0]}, PlayCard{Seat: 1, Card: cards("D2")[0]}
	g := &table{tb: t, state: fold(given...)}
	g.must(first)
	before := g.state
	if _, err := g.do(second); codeOf(err) != NotYourTurn {
		t.Errorf("the second card: %v", err)
	}
	if _, err := g.do(first); codeOf(err) != NotYourTurn {
		t.Errorf("the same card again: %v", err)
	}
	if g.state != before {
		t.Error("a refused command changed the game")
	}
}

// TestTheDealPassesOn through a whole game, around the table.
func TestTheDealPassesOn(t *testing.T) {
	t.Parallel()
	g := wholeGame(t, Rules{Players: 4}, 5)
	dealer := Seat(-1)
	for _, e := range decoded(t, g.stream) {
		switch e := e.(type) {
		case GameStarted:
			dealer = e.Dealer
		case Dealt:
			if e.Dealer != (dealer+Seat(e.Round)-1)%4 {
				t.Errorf("seat %d deals round %d after seat %d dealt the first", e.Dealer, e.Round, dealer)
			}
		default:
		}
	}
}

// TestNothingIsHandedOut: what a caller does with an answer changes no game.
func TestNothingIsHandedOut(t *testing.T) {
	t.Parallel()
	g := wholeGame(t, Rules{Players: 3, Length: Five}, 5)
	before := g.state
	v := g.state.View(0)
	v.Rounds[0].Totals[0], v.Result.Places[0], v.LastTrick.Plays[0].Card = 999, 9, card.None
	v.Seats[0].User = "someone else"
	Types()[0] = "renamed"
	if g.state != before || slices.Contains(Types(), "renamed") {
		t.Error("a view is a window into the state")
	}
}

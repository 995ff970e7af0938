package game

import (
	"testing"

	"mago/domain/card"
)

var hands3 = []string{"D1", "D2", "D3"}

func TestTheDealerNamesTheTrump(t *testing.T) {
	t.Parallel()
	given := dealt(Rules{}, "W3", hands3...)
	named := func(s card.Suit) []Event { return []Event{TrumpSet{Round: 1, Suit: s, By: ByDealer, Seat: 0}} }
	play(t, []scene{
		{name: "dwarves", given: given, when: NameTrump{Suit: card.Dwarves}, then: named(card.Dwarves)},
		{name: "elves", given: given, when: NameTrump{Suit: card.Elves}, then: named(card.Elves)},
		{name: "giants", given: given, when: NameTrump{Suit: card.Giants}, then: named(card.Giants)},
		{name: "humans", given: given, when: NameTrump{Suit: card.Humans}, then: named(card.Humans)},
		{name: "none is refused", given: given, when: NameTrump{Suit: card.NoSuit}, refused: Invalid},
		{name: "a fifth suit is refused", given: given, when: NameTrump{Suit: 5}, refused: Invalid},
		{name: "anybody else's choice is refused", given: given, when: NameTrump{Seat: 1, Suit: card.Elves}, refused: NotYourTurn},
		{name: "a seat that is not at the table", given: given, when: NameTrump{Seat: NoSeat, Suit: card.Elves}, refused: NotYourTurn},
		{
			name: "before anybody bids: the dealer's left has to wait", given: given,
			when: PlaceBid{Seat: 1}, refused: WrongPhase,
		},
		{name: "nor may the dealer bid first", given: given, when: PlaceBid{Seat: 0}, refused: WrongPhase},
		{name: "nor may a card be played", given: given, when: PlayCard{Seat: 0, Card: cards("D1")[0]}, refused: WrongPhase},
		{
			name: "only once", given: then(given, named(card.Elves)...),
			when: NameTrump{Suit: card.Giants}, refused: WrongPhase,
		},
		{
			name: "not where a suit card settles it", given: bidding(Rules{}, "E5", hands3...),
			when: NameTrump{Suit: card.Giants}, refused: WrongPhase,
		},
		{
			name: "who decided for the dealer is told", given: given, when: NameTrump{Suit: card.Humans, Auto: AutoTimeout},
			then: []Event{TrumpSet{Round: 1, Suit: card.Humans, By: ByDealer, Auto: AutoTimeout}},
		},
	})
}

// TestTheTurnedCardSettlesTheTrump deals until every kind of card was turned.
func TestTheTurnedCardSettlesTheTrump(t *testing.T) {
	t.Parallel()
	seen := map[TrumpBy]bool{}
	for n := uint64(0); len(seen) < 3; n++ {
		g := newLobby(t, Rules{Players: 3}, secrets(n), true)
		g.must(JoinGame{User: user(1), Seat: NoSeat})
		events := g.must(JoinGame{User: user(2), Seat: NoSeat})
		turned := events[2].(Dealt).Turned
		switch {
		case turned.IsWizard():
			seen[ByDealer] = true
			if len(events) != 3 || g.state.Round.Phase != ChooseTrump || g.state.Turn() != 1<<g.state.Round.Dealer {
				t.Errorf("%v turned: %+v", turned, events)
			}
			continue
		case turned.IsJester():
			seen[ByJester] = true
		default:
			seen[ByTurned] = true
		}
		want := TrumpSet{Round: 1, Suit: turned.Suit(), By: ByTurned, Seat: NoSeat}
		if turned.IsJester() {
			want = TrumpSet{Round: 1, Suit: card.NoSuit, By: ByJester, Seat: NoSeat}
		}
		if events[3] != want || g.state.Round.Phase != PlaceBids {
			t.Errorf("%v turned: %+v", turned, events[3])
		}
	}
}

// TestNoCardLeft plays every length to its last round and looks at what was turned in each.
func TestNoCardLeft(t *testing.T) {
	t.Parallel()
	for players := MinPlayers; players <= MaxPlayers; players++ {
		for l := range lengths {
			r := Rules{Players: players, Length: Length(l)}
			g := wholeGame(t, r, uint64(10*players+l))
			events := decoded(t, g.stream)
			for i, e := range events {
				d, ok := e.(Dealt)
				if !ok {
					continue
				}
				none := r.CardsEach(d.Round)*players == 60
				if (d.Turned == card.None) != none {
					t.Errorf("%+v turned %v in round %d", r, d.Turned, d.Round)
				}
				if r.Length == Five && d.Turned == card.None {
					t.Errorf("%+v turns no card in round %d", r, d.Round)
				}
				want := Event(TrumpSet{Round: d.Round, Suit: card.NoSuit, By: ByNoCardLeft, Seat: NoSeat})
				if none && events[i+1] != want {
					t.Errorf("%+v with no card left: %+v", r, events[i+1])
				}
			}
		}
	}
}

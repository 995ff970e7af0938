package game

import (
	"testing"

	"mago/domain/card"
)

// TestOrderOfRefusals are cases where two reasons or more hold at once: the first of the contract's list is told.
func TestOrderOfRefusals(t *testing.T) {
	t.Parallel()
	two := Rules{Length: Tournament} // two cards in the first round
	blind := Rules{Foresight: true}
	start := bidding(two, "D9", "E2 H5", "E9 D4", "G3 G4")
	placed := then(start, bid(1, 0))
	led := then(playing(two, "D9", []int{0, 0, 0}, "E2 H5", "E9 D4", "G3 G4"), CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: cards("E9")[0]})
	over := then(led, GameCancelled{})
	c := func(code string) card.Card { return cards(code)[0] }
	elsewhere := Meant{Round: 2}
	play(t, []scene{
		{name: "game_over before wrong_phase", given: over, when: PlaceBid{Seat: 1}, refused: GameOver},
		{name: "game_over before all of a play", given: over, when: PlayCard{Seat: 0, Card: c("H5"), Meant: elsewhere}, refused: GameOver},
		{name: "game_over before naming trump", given: over, when: NameTrump{}, refused: GameOver},
		{name: "a lobby is in the wrong phase", given: lobby(Rules{Players: 3}, 3), when: PlaceBid{Seat: 0}, refused: WrongPhase},
		{name: "no game is in the wrong phase", when: PlayCard{}, refused: WrongPhase},
		{name: "wrong_phase before already_bid", given: led, when: PlaceBid{Seat: 1}, refused: WrongPhase},
		{name: "wrong_phase before not_your_turn", given: start, when: PlayCard{Seat: 2, Card: c("E9")}, refused: WrongPhase},
		{name: "another round before already_bid", given: placed, when: PlaceBid{Seat: 1, Meant: elsewhere}, refused: WrongPhase},
		{name: "already_bid before not_your_turn and bid_not_allowed", given: placed, when: PlaceBid{Seat: 1, Tricks: 20}, refused: AlreadyBid},
		{name: "not_your_turn before bid_not_allowed", given: start, when: PlaceBid{Seat: 0, Tricks: 20}, refused: NotYourTurn},
		{name: "not_your_turn before card_not_in_hand", given: led, when: PlayCard{Seat: 0, Card: c("W1")}, refused: NotYourTurn},
		{name: "card_not_in_hand before must_follow_suit", given: then(led, CardPlayed{Seat: 2, Card: c("G3")}), when: PlayCard{Seat: 0, Card: c("G9")}, refused: CardNotInHand},
		{name: "must_follow_suit", given: then(led, CardPlayed{Seat: 2, Card: c("G3")}), when: PlayCard{Seat: 0, Card: c("H5")}, refused: MustFollowSuit},
		{name: "a card played already", given: then(led, CardPlayed{Seat: 2, Card: c("G3")}), when: PlayCard{Seat: 0, Card: c("E9")}, refused: CardNotInHand},
		{name: "?? in a round that is not blind", given: led, when: PlayCard{Seat: 2, Card: card.Hidden}, refused: CardNotInHand},
		{name: "no card", given: led, when: PlayCard{Seat: 2}, refused: CardNotInHand},
		{
			name: "not_your_turn before card_is_hidden", given: playing(blind, "D9", []int{0, 0, 0}, "D1", "D2", "D3"),
			when: PlayCard{Seat: 0, Card: c("D1")}, refused: NotYourTurn,
		},
		{
			name: "card_is_hidden where the card is right", given: playing(blind, "D9", []int{0, 0, 0}, "D1", "D2", "D3"),
			when: PlayCard{Seat: 1, Card: c("D2")}, refused: CardIsHidden,
		},
		{
			name: "card_is_hidden where it is wrong", given: playing(blind, "D9", []int{0, 0, 0}, "D1", "D2", "D3"),
			when: PlayCard{Seat: 1, Card: c("D3")}, refused: CardIsHidden,
		},
		{
			name: "a hidden card is played unseen", given: playing(blind, "D9", []int{0, 0, 0}, "D1", "D2", "D3"),
			when: PlayCard{Seat: 1, Card: card.Hidden}, then: []Event{CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: c("D2")}},
		},
		{
			name: "foresight without effect", given: playing(Rules{Length: Tournament, Foresight: true}, "D9", []int{0, 0, 0}, "E2 H5", "E9 D4", "G3 G4"),
			when: PlayCard{Seat: 1, Card: c("E9")}, then: []Event{CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: c("E9")}},
		},
	})
}

func TestAMoveIsMeantForARoundAndATrick(t *testing.T) {
	t.Parallel()
	start := bidding(Rules{}, "E5", hands3...)
	table := playing(Rules{}, "E5", []int{0, 0, 0}, hands3...)
	d2 := cards("D2")[0]
	played := []Event{CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: d2}}
	play(t, []scene{
		{name: "a bid for this round", given: start, when: PlaceBid{Seat: 1, Meant: Meant{Round: 1}}, then: []Event{bid(1, 0)}},
		{name: "a bid for another", given: start, when: PlaceBid{Seat: 1, Meant: Meant{Round: 2}}, refused: WrongPhase},
		{name: "a play for this trick", given: table, when: PlayCard{Seat: 1, Card: d2, Meant: Meant{Round: 1, Trick: 1}}, then: played},
		{name: "a play for the trick alone", given: table, when: PlayCard{Seat: 1, Card: d2, Meant: Meant{Trick: 1}}, then: played},
		{name: "a play for another trick", given: table, when: PlayCard{Seat: 1, Card: d2, Meant: Meant{Round: 1, Trick: 2}}, refused: WrongPhase},
		{name: "a play for another round", given: table, when: PlayCard{Seat: 1, Card: d2, Meant: Meant{Round: 2, Trick: 1}}, refused: WrongPhase},
		{
			name: "a trump for another round", given: dealt(Rules{}, "W1", hands3...),
			when: NameTrump{Suit: card.Elves, Meant: Meant{Round: 3}}, refused: WrongPhase,
		},
		{
			name: "who decided for the player is told", given: table, when: PlayCard{Seat: 1, Card: d2, Auto: AutoForced},
			then: []Event{CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: d2, Auto: AutoForced}},
		},
	})
}

func TestARefusalIsACodeAndASentence(t *testing.T) {
	t.Parallel()
	_, err := Decide(State{}, StartGame{})
	if err == nil || err.Error() != "not_in_lobby: The game has started." {
		t.Errorf("refusal reads %v", err)
	}
}

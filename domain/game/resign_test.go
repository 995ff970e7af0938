package game

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestResign(t *testing.T) {
	t.Parallel()
	given := bidding(Rules{}, "E5", hands3...)
	gone := then(given, PlayerResigned{Seat: 1}, PlayerResigned{Seat: 0})
	s1 := secrets(1)
	play(t, []scene{
		{name: "whoever is on turn", given: given, when: Resign{Seat: 2}, then: []Event{PlayerResigned{Seat: 2}}},
		{name: "twice", given: gone, when: Resign{Seat: 1}, refused: Forbidden},
		{name: "no seat", given: given, when: Resign{Seat: NoSeat}, refused: NotFound},
		{name: "in the lobby", given: lobby(Rules{Players: 3}, 3), when: Resign{Seat: 1}, refused: WrongPhase},
		{name: "when the game is over", given: then(given, GameCancelled{}), when: Resign{Seat: 1}, refused: GameOver},
		{
			name: "the last: the game is abandoned and its round's seed shown", given: gone, when: Resign{Seat: 2},
			then: []Event{PlayerResigned{Seat: 2}, GameCancelled{Reason: Abandoned, InRound: true, Seed: s1.Seeds[0], BotKey: s1.BotKey}},
		},
		{
			name: "the last, in a later round", given: then(gone, secondRound()...), when: Resign{Seat: 2},
			then: []Event{PlayerResigned{Seat: 2}, GameCancelled{Reason: Abandoned, InRound: true, Seed: s1.Seeds[1], BotKey: s1.BotKey}},
		},
	})
	s := fold(gone...)
	if s.ViewerOf(user(0)) != Spectator || s.ViewerOf(user(2)) != 2 || s.SeatOf(user(0)) != 0 {
		t.Error("who resigned sees what a spectator sees, and keeps the seat")
	}
	if s.Left != [MaxPlayers]int{2, 1} {
		t.Errorf("left in the order %v", s.Left)
	}
}

func TestABotPlaysOnForWhoLeft(t *testing.T) {
	t.Parallel()
	open := then(bidding(Rules{}, "E5", hands3...), PlayerResigned{Seat: 2}, PlayerResigned{Seat: 0})
	hidden := then(bidding(Rules{Bidding: HiddenBidding}, "E5", hands3...), PlayerResigned{Seat: 2}, PlayerResigned{Seat: 0}, bid(0, 1))
	for _, test := range []struct {
		name  string
		given []Event
		want  SeatSet
	}{
		{"who is on turn stayed", open, 0},
		{"who is on turn left", then(open, bid(1, 0)), 1 << 2},
		{"all at once: who left and has not bid", hidden, 1 << 2},
		{"nobody in the lobby", lobby(Rules{Players: 3}, 3), 0},
		{"nobody when the game is over", then(open, bid(1, 0), GameCancelled{}), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := fold(test.given...)
			if got := s.BotTurn(); got != test.want {
				t.Errorf("bots of %v", got.All())
			}
		})
	}
}

// secondRound takes a first round of one card, waiting for bids, to the second.
func secondRound() []Event {
	play := func(seat Seat, code string) Event {
		return CardPlayed{Round: 1, Trick: 1, Seat: seat, Card: cards(code)[0]}
	}
	return []Event{
		bid(1, 0), bid(2, 1), bid(0, 0), play(1, "D2"), play(2, "D3"), play(0, "D1"),
		TrickWon{Round: 1, Trick: 1, Seat: 2, Card: cards("D3")[0]},
		RoundScored{Round: 1, Bids: []int{0, 0, 1}, Tricks: []int{0, 0, 1}, Points: []int{20, 20, 30}, Totals: []int{20, 20, 30}},
		Dealt{Round: 2, CardsEach: 2, Dealer: 1, Hands: make([]Hand, 3), Turned: cards("E5")[0]},
	}
}

// TestLeaversAreLast resigns seats in the middle of whole games: they are behind all who stayed, the later the higher.
func TestLeaversAreLast(t *testing.T) {
	t.Parallel()
	for n := range uint64(20) {
		g := newTable(t, Rules{Players: 5, Length: Five}, secrets(n))
		rng := rand.New(rand.NewPCG(3, n))
		leavers := rng.Perm(5)[:n%5]
		for at := 0; g.step(rng); at++ {
			if i := at / 11; at%11 == 10 && i < len(leavers) {
				g.must(Resign{Seat: Seat(leavers[i])})
			}
		}
		result := g.state.View(Spectator).Result
		for i, seat := range leavers {
			if result.Places[seat] != 5-i || slices.Contains(result.Winners, Seat(seat)) {
				t.Errorf("leaver %d of %v: places %v, winners %v", i, leavers, result.Places, result.Winners)
			}
		}
		if len(result.Winners) == 0 || slices.Min(result.Places) != 1 {
			t.Errorf("nobody won: %+v", result)
		}
	}
}

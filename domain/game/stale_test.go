package game

import "testing"

func TestStale(t *testing.T) {
	t.Parallel()
	hidden, secret, open := Rules{Bidding: HiddenBidding}, Rules{Bidding: SecretBidding}, Rules{}
	start := func(r Rules) []Event { return bidding(r, "E5", hands3...) } // version 7
	all := []Event{bid(1, 0), bid(2, 0), bid(0, 0)}
	const began = 7
	for _, test := range []struct {
		name    string
		given   []Event
		version int
		when    Command
		stale   bool
	}{
		{"the game's own version", start(open), began, PlaceBid{Seat: 1}, false},
		{"an older version", start(open), began - 1, PlaceBid{Seat: 1}, true},
		{"a version yet to come", start(open), began + 1, PlaceBid{Seat: 1}, true},
		{"bids in turn don't commute", then(start(open), bid(1, 0)), began, PlaceBid{Seat: 2}, true},
		{"another's hidden bid since", then(start(hidden), bid(1, 0)), began, PlaceBid{Seat: 2}, false},
		{"another's secret bid since", then(start(secret), bid(1, 0)), began, PlaceBid{Seat: 2}, false},
		{"two of them", then(start(hidden), bid(1, 0), bid(0, 0)), began, PlaceBid{Seat: 2}, false},
		{"one of two was seen", then(start(hidden), bid(1, 0), bid(0, 0)), began + 1, PlaceBid{Seat: 2}, false},
		{"both were seen", then(start(hidden), bid(1, 0), bid(0, 0)), began + 2, PlaceBid{Seat: 2}, false},
		{"one's own bid since", then(start(hidden), bid(1, 0)), began, PlaceBid{Seat: 1}, true},
		{"before the trump was set", then(start(hidden), bid(1, 0)), began - 1, PlaceBid{Seat: 2}, true},
		{"a version yet to come, hidden", then(start(hidden), bid(1, 0)), began + 2, PlaceBid{Seat: 2}, true},
		{"somebody resigned since", then(start(hidden), bid(1, 0), PlayerResigned{Seat: 0}), began, PlaceBid{Seat: 2}, true},
		{"other commands don't commute", then(start(hidden), bid(1, 0)), began, Resign{Seat: 2}, true},
		{"another's bid by the clock since", then(start(hidden), TurnTimedOut{Seat: 1, Action: PlaceBids}, EngineSet{Engine: "1"}, bid(1, 0)), began, PlaceBid{Seat: 2}, false},
		{"and they were taken over", then(start(hidden), TurnTimedOut{Seat: 1, Action: PlaceBids}, bid(1, 0), SeatTakenOver{Seat: 1}), began, PlaceBid{Seat: 2}, false},
		{"taken over later", then(start(hidden), bid(1, 0), EndVoted{Seat: 0}, SeatTakenOver{Seat: 1}), began, PlaceBid{Seat: 2}, true},
		{"a bot's bid since, and a vote", then(start(hidden), EngineSet{Engine: "1"}, bid(1, 0), EndVoted{Seat: 0}), began, PlaceBid{Seat: 2}, true},
		{"a clock was extended since", then(start(hidden), ClockExtended{Seats: []Seat{1}, MS: 1}, bid(1, 0)), began, PlaceBid{Seat: 2}, true},
		{"the bids were shown since", then(then(start(hidden), all...), BidsRevealed{Round: 1}), began + 1, PlaceBid{Seat: 1}, true},
		{"all secret bids since one's own: refused by the game, not stale", then(start(secret), all...), began + 1, PlaceBid{Seat: 1}, false},
		{"a card was played since", then(then(start(secret), all...), CardPlayed{Seat: 1, Card: cards("D2")[0]}), began + 1, PlaceBid{Seat: 1}, true},
		{"the bids of the round before", then(then(start(hidden), secondRound()...), TrumpSet{Round: 2, Suit: 2}), began, PlaceBid{Seat: 1}, true},
		{"its own version in the second round", then(then(start(hidden), secondRound()...), TrumpSet{Round: 2, Suit: 2}, bid(0, 1)), 17, PlaceBid{Seat: 1}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := fold(test.given...)
			if got := s.Stale(test.version, test.when); got != test.stale {
				t.Errorf("at version %d stale is %t", s.Version, got)
			}
		})
	}
}

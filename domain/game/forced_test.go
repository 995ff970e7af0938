package game

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// settled makes the move that a seat on turn always makes in this place of the game, whoever asks.
func settled(s *State, seat Seat) Command {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, s.ID, s.Round.Number, s.Round.Phase, s.Round.Trick, seat)
	pick := int(h.Sum32() >> 4)
	legal := s.Round.Legal(seat)
	switch {
	case legal.Trump:
		return NameTrump{Seat: seat, Suit: 1}
	case legal.Bids != 0:
		bids := legal.Bids.All()
		return PlaceBid{Seat: seat, Tricks: bids[pick%len(bids)]}
	}
	plays := legal.Plays.Cards()
	c := plays[pick%len(plays)]
	if s.Rules.Blind(int(s.Round.Number)) {
		c = cards("??")[0]
	}
	return PlayCard{Seat: seat, Card: c}
}

// playSettled plays the game to its end by settled moves and returns its events and how many moves were asked for.
func (t *table) playSettled() (events []Event, asked int) {
	t.tb.Helper()
	for t.state.Status == Playing {
		turn := t.state.Turn().All()
		events = append(events, t.must(settled(&t.state, turn[0]))...)
		asked++
	}
	return events, asked
}

// TestForcedMovesChangeNothingElse: with every option, the game that plays its forced moves itself is the same game, event by event, but for who made them.
func TestForcedMovesChangeNothingElse(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			by, all := newTable(t, r, secrets(uint64(i))).playSettled()
			r.AutoPlayForced = true
			self, asked := newTable(t, r, secrets(uint64(i))).playSettled()
			ignoreAuto := cmpopts.IgnoreTypes(NotAuto)
			if diff := cmp.Diff(by, self, ignoreAuto); diff != "" {
				t.Errorf("another game (-asked +forced):\n%.2000s", diff)
			}
			forced := 0
			for _, e := range self {
				if auto, ok := autoOf(e); ok && auto == AutoForced {
					forced++
				}
			}
			last := r.Players * r.Rounds() // the last card of each hand
			if asked+forced != all || forced < last || forced > last && r.Bidding != PlusMinusOne {
				t.Errorf("%d moves asked for and %d forced of %d", asked, forced, all)
			}
		})
	}
}

// autoOf returns who decided a move, false for what is no move.
func autoOf(e Event) (Auto, bool) {
	switch e := e.(type) {
	case BidPlaced:
		return e.Auto, true
	case CardPlayed:
		return e.Auto, true
	case TrumpSet:
		return e.Auto, e.Seat != NoSeat
	}
	return NotAuto, false
}

func TestForced(t *testing.T) {
	t.Parallel()
	auto, pm := Rules{AutoPlayForced: true}, Rules{AutoPlayForced: true, Bidding: PlusMinusOne}
	for _, test := range []struct {
		name   string
		given  []Event
		when   Command
		forced int // moves made by the server, in all that follows
	}{
		{"the bid that two bids of 0 leave the dealer is made, and the last cards are played", then(bidding(pm, "E5", hands3...), bid(1, 0)), PlaceBid{Seat: 2}, 4},
		{"a dealer who may choose is asked", then(bidding(pm, "E5", hands3...), bid(1, 1)), PlaceBid{Seat: 2, Tricks: 1}, 0},
		{"open bids are chosen", then(bidding(auto, "E5", hands3...), bid(1, 0)), PlaceBid{Seat: 2}, 0},
		{"the last cards are played", then(bidding(auto, "E5", hands3...), bid(1, 0), bid(2, 0)), PlaceBid{Seat: 0}, 3},
		{"not where the rules don't ask for it", then(bidding(Rules{}, "E5", hands3...), bid(1, 0), bid(2, 0)), PlaceBid{Seat: 0}, 0},
		{"a refused command plays nothing", then(bidding(auto, "E5", hands3...), bid(1, 0), bid(2, 0)), PlaceBid{Seat: 1}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			events, _ := Decide(fold(test.given...), test.when)
			forced := 0
			for _, e := range events {
				if a, ok := autoOf(e); ok && a == AutoForced {
					forced++
				}
			}
			if forced != test.forced {
				t.Errorf("%d forced moves: %+v", forced, events)
			}
		})
	}
}

// The only legal card of several is the player's to play: the server would tell what the hand lacks.
func TestTheOnlyLegalCardIsNotForced(t *testing.T) {
	t.Parallel()
	g := newTable(t, Rules{Players: 3, AutoPlayForced: true}, secrets(3))
	for g.state.Status == Playing {
		turn := g.state.Turn().All()
		r := &g.state.Round
		if r.Phase == PlayTricks && r.Hands[turn[0]].Len() == 1 {
			t.Fatal("a last card is waited for")
		}
		for _, e := range g.must(settled(&g.state, turn[0])) {
			p, ok := e.(CardPlayed)
			if ok && p.Auto == AutoForced && p.Trick != g.state.Rules.CardsEach(p.Round) {
				t.Fatalf("%+v was forced", p)
			}
		}
	}
}

func TestVotes(t *testing.T) {
	t.Parallel()
	given := bidding(Rules{}, "E5", hands3...)
	clocked := then(given)
	created := clocked[0].(GameCreated)
	created.Clock = Clock{Kind: PerTurn, Seconds: 60, MaxTimeouts: 3}
	clocked[0] = created
	s1 := secrets(1)
	ended := GameCancelled{Reason: Agreed, InRound: true, Seed: s1.Seeds[0], BotKey: s1.BotKey}
	play(t, []scene{
		{name: "one of three", given: given, when: VoteEnd{Seat: 1, Agree: true}, then: []Event{EndVoted{Seat: 1, Agree: true}}},
		{name: "once more", given: then(given, EndVoted{Seat: 1, Agree: true}), when: VoteEnd{Seat: 1, Agree: true}},
		{name: "taken back", given: then(given, EndVoted{Seat: 1, Agree: true}), when: VoteEnd{Seat: 1}, then: []Event{EndVoted{Seat: 1}}},
		{
			name: "all of three", given: then(given, EndVoted{Seat: 1, Agree: true}, EndVoted{Seat: 0, Agree: true}), when: VoteEnd{Seat: 2, Agree: true},
			then: []Event{EndVoted{Seat: 2, Agree: true}, ended},
		},
		{
			name: "all who are left", given: then(given, EndVoted{Seat: 1, Agree: true}, EndVoted{Seat: 0, Agree: true}), when: Resign{Seat: 2},
			then: []Event{PlayerResigned{Seat: 2}, ended},
		},
		{
			name: "the vote of who left doesn't count", given: then(given, EndVoted{Seat: 1, Agree: true}, PlayerResigned{Seat: 1}), when: VoteEnd{Seat: 2, Agree: true},
			then: []Event{EndVoted{Seat: 2, Agree: true}},
		},
		{name: "by who left", given: then(given, PlayerResigned{Seat: 1}), when: VoteEnd{Seat: 1, Agree: true}, refused: Forbidden},
		{name: "by whom a bot stands in for", given: then(given, SeatTakenOver{Seat: 1}), when: VoteEnd{Seat: 1, Agree: true}, refused: Forbidden},
		{name: "in the lobby", given: lobby(Rules{Players: 3}, 3), when: VoteEnd{Seat: 1, Agree: true}, refused: WrongPhase},
		{name: "when the game is over", given: then(given, GameCancelled{}), when: VoteEnd{Seat: 1, Agree: true}, refused: GameOver},
		{name: "a pause without a clock", given: given, when: VotePause{Seat: 1, Agree: true}, refused: WrongPhase},
		{
			name: "a pause by all", given: then(clocked, PauseVoted{Seat: 1, Agree: true}, PauseVoted{Seat: 0, Agree: true}), when: VotePause{Seat: 2, Agree: true},
			then: []Event{PauseVoted{Seat: 2, Agree: true}, ClockPaused{Seat: NoSeat, Cause: PausedByAgreement}},
		},
		{name: "a pause of a paused game", given: then(clocked, ClockPaused{Seat: NoSeat}), when: VotePause{Seat: 2, Agree: true}, refused: WrongPhase},
		{name: "one resumes", given: then(clocked, ClockPaused{Seat: NoSeat}), when: Resume{Seat: 2}, then: []Event{ClockResumed{Seat: NoSeat, Cause: ResumedByPlayer}}},
		{name: "what is not paused is not resumed", given: clocked, when: Resume{Seat: 2}},
	})
}

func TestSeatingBots(t *testing.T) {
	t.Parallel()
	given := lobby(Rules{Players: 3}, 2)
	seated := BotSeated{Seat: 2, Level: EasyBot, Engine: "1"}
	s1 := secrets(1)
	play(t, []scene{
		{name: "the lowest free seat", given: given, when: SeatBot{Seat: NoSeat, Level: EasyBot, Engine: "1"}, then: []Event{seated}},
		{name: "by another than the host", given: given, when: SeatBot{By: 1, Seat: 2, Level: EasyBot}, refused: Forbidden},
		{name: "on a person's seat", given: given, when: SeatBot{Seat: 1, Level: EasyBot}, refused: SeatTaken},
		{name: "on no seat of the table", given: given, when: SeatBot{Seat: 3, Level: EasyBot}, refused: Invalid},
		{name: "at a full table", given: then(given, seated), when: SeatBot{Seat: NoSeat, Level: EasyBot}, refused: GameFull},
		{name: "a person on a bot's seat", given: then(given[:2], seated), when: JoinGame{User: user(4), Seat: 2}, refused: SeatTaken},
		{name: "the host removes it", given: then(given, seated), when: LeaveLobby{Seat: 2}, then: []Event{PlayerLeft{Seat: 2, By: ByHost}}},
		{name: "another doesn't", given: then(given, seated), when: LeaveLobby{Seat: 2, By: 1}, refused: Forbidden},
		{name: "a bot is no host", given: then(given[:2], BotSeated{Seat: 1, Level: EasyBot}), when: LeaveLobby{}, then: []Event{
			PlayerLeft{Host: NoSeat}, GameCancelled{Reason: Abandoned, BotKey: s1.BotKey},
		}},
		{name: "the last person of a game", given: then(given, seated, GameStarted{}, PlayerResigned{Seat: 1}), when: Resign{}, then: []Event{
			PlayerResigned{}, GameCancelled{Reason: Abandoned, BotKey: s1.BotKey},
		}},
		{name: "once it has started", given: then(given, seated, GameStarted{}), when: SeatBot{Seat: NoSeat, Level: EasyBot}, refused: NotInLobby},
	})
	full := newLobby(t, Rules{Players: 3}, s1, true)
	full.must(SeatBot{Seat: NoSeat, Level: EasyBot, Engine: "1"})
	full.must(SeatBot{Seat: NoSeat, Level: StandardBot, Engine: "1"})
	if s := full.state; s.Status != Playing || s.BotAt(2) != StandardBot || s.BotAt(0) != NoBot {
		t.Errorf("a full table with bots: %v", s.Status)
	}
}

// Who comes back while on turn is so from the next: this move is still the bot's.
func TestComingBackOnTurn(t *testing.T) {
	t.Parallel()
	given := then(bidding(Rules{}, "E5", hands3...), SeatTakenOver{Seat: 1}, SeatReclaimed{Seat: 1})
	byBot := bid(1, 0)
	byBot.Auto = AutoBot
	play(t, []scene{
		{name: "the person is too early", given: given, when: PlaceBid{Seat: 1}, refused: NotYourTurn},
		{name: "the bot moves", given: given, when: PlaceBid{Seat: 1, Auto: AutoBot}, then: []Event{byBot}},
		{name: "off turn one is back at once", given: then(bidding(Rules{}, "E5", hands3...), SeatTakenOver{Seat: 2}, SeatReclaimed{Seat: 2}, bid(1, 0)), when: PlaceBid{Seat: 2}, then: []Event{bid(2, 0)}},
	})
}

// A move of the server's is preceded by the version of the bots that chose it, where that is not the one recorded last.
func TestTheEngineThatChose(t *testing.T) {
	t.Parallel()
	given := then(bidding(Rules{}, "E5", hands3...), PlayerResigned{Seat: 1})
	byBot := bid(1, 0)
	byBot.Auto = AutoBot
	move := BotMove{Move: PlaceBid{Seat: 1, Auto: AutoBot}, Engine: "2"}
	play(t, []scene{
		{name: "the first", given: given, when: move, then: []Event{EngineSet{Engine: "2"}, byBot}},
		{name: "the same", given: then(given, EngineSet{Engine: "2"}), when: move, then: []Event{byBot}},
		{name: "another", given: then(given, EngineSet{Engine: "1"}), when: move, then: []Event{EngineSet{Engine: "2"}, byBot}},
		{name: "a refused move tells none", given: given, when: BotMove{Move: PlaceBid{Seat: 1, Tricks: 9, Auto: AutoBot}, Engine: "2"}, refused: BidNotAllowed},
	})
}

package game

import (
	"math/rand/v2"
	"testing"

	"mago/domain/card"
	"mago/domain/shuffle"
)

// forger makes events that can be decoded, whether or not they can follow.
type forger struct{ rng *rand.Rand }

func (f forger) seat() Seat { return Seat(f.rng.IntN(MaxPlayers)) }

// near is mostly what is expected next, so that forged games get somewhere.
func (f forger) near(next, least, most int) int {
	if next >= least && next <= most && f.rng.IntN(8) > 0 {
		return next
	}
	return least + f.rng.IntN(most-least+1)
}

func (f forger) numbers(least, most int) []int {
	out := make([]int, f.rng.IntN(MaxPlayers+1))
	for i := range out {
		out[i] = least + f.rng.IntN(most-least+1)
	}
	return out
}

func (f forger) hands(s *State) []Hand {
	hands := make([]Hand, f.near(s.Rules.Players, 0, MaxPlayers))
	for i := range hands {
		for range f.rng.IntN(MaxCards + 1) {
			hands[i].Cards = hands[i].Cards.With(f.card())
		}
	}
	return hands
}

func (f forger) card() card.Card { return card.Card(f.rng.IntN(card.Count + 1)) }

func (f forger) event(s *State) Event {
	r := &s.Round
	number := f.near(s.Scored+1, 1, MaxRounds)
	expected := map[Phase]int{NoRound: 5, ChooseTrump: 6, PlaceBids: 7, PlayTricks: 9, RoundOver: 11}[r.Phase]
	switch {
	case s.Status == Lobby:
		expected = 4
	case r.Phase == PlayTricks && r.TrickComplete():
		expected = 10
	case r.Phase == RoundOver && s.Scored == int(r.Number):
		expected = 5
	case s.Status == NoGame:
		expected = 0
	}
	switch f.near(expected, 0, 25) {
	case 0:
		rules := Rules{
			Players: MinPlayers + f.rng.IntN(4), Bidding: Bidding(f.rng.IntN(4)), Length: Length(f.rng.IntN(3)), Foresight: f.rng.IntN(2) == 0,
		}
		clocks := []Clock{{}, {Kind: PerTurn, Seconds: 86400, MaxTimeouts: 2, Vacation: true}, {Kind: Bank, Initial: 90, Increment: 10, Max: 100, MaxTimeouts: 1}}
		return GameCreated{RulesVersion: RulesVersion, Host: f.seat(), Rules: rules, Clock: clocks[f.rng.IntN(3)], Commitments: make([]shuffle.Commitment, rules.Rounds())}
	case 1:
		return PlayerJoined{Seat: f.seat(), UserID: user(f.rng.IntN(6))}
	case 2:
		return ClientSeedSet{Seat: f.seat(), ClientSeed: "x"}
	case 3:
		return PlayerLeft{Seat: f.seat(), Host: f.seat() - 1}
	case 4:
		return GameStarted{Dealer: f.seat()}
	case 5:
		return Dealt{Round: number, CardsEach: 1 + f.rng.IntN(MaxCards), Dealer: f.seat(), Hands: f.hands(s), Turned: f.card()}
	case 6:
		return TrumpSet{Round: number, Suit: card.Suit(f.rng.IntN(5)), Seat: f.seat() - 1}
	case 7:
		return BidPlaced{Round: number, Seat: f.seat(), Tricks: f.rng.IntN(MaxCards+2) - 1}
	case 8:
		return BidsRevealed{Round: number, Bids: f.numbers(0, MaxCards)}
	case 9:
		return CardPlayed{Round: number, Trick: 1 + f.rng.IntN(MaxCards), Seat: f.seat(), Card: f.card()}
	case 10:
		return TrickWon{Round: number, Trick: 1 + f.rng.IntN(MaxCards), Seat: f.seat(), Card: f.card()}
	case 11:
		return RoundScored{
			Round: number, Bids: f.numbers(0, MaxCards), Tricks: f.numbers(0, MaxCards), Points: f.numbers(-maxPoints, maxPoints), Totals: f.numbers(-maxPoints, maxPoints),
		}
	case 12:
		return GameFinished{Totals: f.numbers(0, 9), Places: f.numbers(1, 6), Winners: []Seat{f.seat()}}
	case 13:
		return PlayerResigned{Seat: f.seat()}
	case 14:
		return InviteCodeRenewed{Seat: f.seat()}
	case 15:
		return EngineSet{Engine: "2"}
	case 16:
		return TurnTimedOut{Seat: f.seat(), Action: Phase(1 + f.rng.IntN(3))}
	case 17:
		return SeatTakenOver{Seat: f.seat()}
	case 18:
		return SeatReclaimed{Seat: f.seat()}
	case 19:
		return EndVoted{Seat: f.seat(), Agree: f.rng.IntN(2) == 0}
	case 20:
		return PauseVoted{Seat: f.seat(), Agree: f.rng.IntN(2) == 0}
	case 21:
		return ClockPaused{Seat: f.seat() - 1, Cause: Cause(f.rng.IntN(2))}
	case 22:
		return ClockResumed{Seat: f.seat() - 1, Cause: Cause(f.rng.IntN(3))}
	case 24:
		return BotSeated{Seat: f.seat(), Level: Level(1 + f.rng.IntN(3)), Engine: "1"}
	case 23:
		return ClockExtended{Seats: []Seat{f.seat()}, MS: int64(f.rng.IntN(1000)), Until: int64(f.rng.IntN(1000))}
	default:
		return GameCancelled{Reason: Reason(f.rng.IntN(4)), InRound: f.rng.IntN(2) == 0}
	}
}

// survives reads the state in every way, and asks it for everything: none of it may panic or hang.
func survives(t *testing.T, s *State, e Event) {
	t.Helper()
	for viewer := Spectator; int(viewer) < s.Rules.Players; viewer++ {
		s.View(viewer)
		s.Redact(e, viewer)
	}
	for _, u := range []string{"", user(0), user(5)} {
		s.ViewerOf(u)
	}
	turn := s.Turn()
	for seat := NoSeat - 1; seat <= MaxPlayers; seat++ {
		if turn.Has(seat) && !s.hasSeat(seat) {
			t.Fatalf("seat %d is on turn at a table of %d", seat, s.Rules.Players)
		}
		for _, c := range []Command{
			JoinGame{User: user(5), Seat: seat},
			SetClientSeed{Seat: seat, ClientSeed: "y"},
			RenewInviteCode{By: seat},
			LeaveLobby{Seat: seat, By: seat},
			StartGame{By: seat},
			CancelGame{By: seat},
			ExpireLobby{Now: 1 << 50},
			NameTrump{Seat: seat, Suit: 255},
			NameTrump{Seat: seat, Suit: card.Elves},
			PlaceBid{Seat: seat, Tricks: 1},
			PlayCard{Seat: seat, Card: 255},
			PlayCard{Seat: seat, Card: card.Hidden},
			Resign{Seat: seat},
			SeatBot{By: seat, Seat: seat, Level: EasyBot},
			SeatBot{By: seat, Seat: NoSeat, Level: EasyBot},
			TimeOut{Seat: seat, Now: 1 << 50, Move: PlaceBid{Seat: seat, Tricks: 1, Auto: AutoTimeout}},
			BotMove{Move: PlayCard{Seat: seat, Card: card.Hidden, Auto: AutoBot}, Engine: "3"},
			Reclaim{Seat: seat},
			VoteEnd{Seat: seat, Agree: true},
			VotePause{Seat: seat, Agree: true},
			Resume{Seat: seat},
			TakeVacation{Seat: seat},
			EndVacation{Seat: seat},
			LimitVacation{Now: 1 << 50},
			ExtendClocks{From: 0, To: 1 << 50},
			CreateGame{Rules: Rules{Players: 3}},
		} {
			_, _ = Decide(*s, c)
			s.Stale(3, c)
		}
		if !turn.Has(seat) {
			continue
		}
		for c := range s.Round.Legal(seat).Plays.All() {
			if _, err := Decide(*s, PlayCard{Seat: seat, Card: c}); codeOf(err) != "" && codeOf(err) != CardIsHidden {
				t.Fatalf("%v is legal and refused: %v", c, err)
			}
		}
	}
}

func forge(t *testing.T, seed1, seed2 uint64) {
	t.Helper()
	f := forger{rand.New(rand.NewPCG(seed1, seed2))}
	var s State
	for range 30 + f.rng.IntN(300) {
		e := f.event(&s)
		data, secret := Encode(e)
		got, err := Decode(TypeOf(e), data, secret)
		if err != nil {
			continue // it can't come from a stream
		}
		version := s.Version
		s = Evolve(s, got, 1)
		if s.Version != version+1 {
			t.Fatalf("version %d after %d", s.Version, version)
		}
		if f.rng.IntN(10) == 0 || s.Status.Over() {
			survives(t, &s, got)
		}
		if s.Status.Over() && f.rng.IntN(5) == 0 {
			return
		}
	}
	survives(t, &s, GameStarted{})
}

// TestForgedStreamsFold: no sequence of events that can be decoded panics, hangs, or makes a state that can't be shown and decided on.
func TestForgedStreamsFold(t *testing.T) {
	t.Parallel()
	for n := range soak(150, 100) {
		forge(t, 11, uint64(n))
	}
}

func FuzzFold(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(forge)
}

// TestEventsThatDontFit are the ones that would loop or break a bound.
func TestEventsThatDontFit(t *testing.T) {
	t.Parallel()
	table := playing(Rules{}, "E5", []int{0, 0, 0}, hands3...)
	d1 := cards("D1")[0]
	for _, test := range []struct {
		name  string
		given []Event
		event Event
	}{
		{"a game created twice", table, GameCreated{Rules: Rules{Players: 6}}},
		{"a bid after the last", table, bid(1, 1)},
		{"a trump after the last bid", table, TrumpSet{Round: 1, Suit: card.Giants}},
		{"a fourth play", then(table, CardPlayed{Card: d1}, CardPlayed{Card: d1}, CardPlayed{Card: d1}), CardPlayed{Card: d1}},
		{"a trick won before its end", then(table, CardPlayed{Card: d1}), TrickWon{}},
		{"a score in the middle", table, RoundScored{Round: 1}},
		{"a deal in the middle", table, Dealt{Round: 1}},
		{"round 20 of ten", then(lobby(Rules{Players: 3, Length: Tournament}, 3), GameStarted{}), Dealt{Round: 20}},
		{"a deal before any game", nil, Dealt{Round: 1}},
		{"a bid of nothing", bidding(Rules{}, "E5", hands3...), BidPlaced{Round: 1, Seat: 1, Tricks: NoBid}},
		{"a seat that is not at the table", table, PlayerResigned{Seat: 5}},
		{"a resignation again", then(table, PlayerResigned{Seat: 1}), PlayerResigned{Seat: 1}},
		{"a score again", then(lobby(Rules{Players: 3}, 3), then([]Event{GameStarted{}, dealt(Rules{}, "E5", hands3...)[5], TrumpSet{}}, secondRound()[:8]...)...), RoundScored{Round: 1}},
		{"anything after the end", then(table, GameCancelled{}), CardPlayed{Card: d1}},
		{"a second end", then(table, GameCancelled{}), GameFinished{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := fold(test.given...)
			got := Evolve(want, test.event, want.UpdatedAt)
			want.Version++
			if got != want {
				t.Errorf("%+v changes the game", test.event)
			}
		})
	}
}

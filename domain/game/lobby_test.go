package game

import (
	"slices"
	"strings"
	"testing"
)

func TestCreateGame(t *testing.T) {
	t.Parallel()
	c := CreateGame{ID: testID, Host: user(3), Rules: Rules{Players: 4, Bidding: SecretBidding, Length: Five}, Visibility: Private, Secrets: secrets(1)}
	events, err := Decide(State{}, c)
	if err != nil || len(events) != 2 {
		t.Fatal(events, err)
	}
	created := events[0].(GameCreated)
	if created.RulesVersion != RulesVersion || created.Rules != c.Rules || created.Visibility != Private || created.AutoStart || len(created.Commitments) != 5 {
		t.Errorf("created %+v", created)
	}
	if created.Secrets.Seeds[4] != c.Secrets.Seeds[4] || created.Secrets.Seeds[5] != [32]byte{} {
		t.Error("the state has other seeds than those of its five rounds")
	}
	if joined := events[1]; joined != (PlayerJoined{Seat: 0, UserID: user(3)}) {
		t.Errorf("the host joins as %+v", joined)
	}
	if _, err := Decide(fold(events...), c); codeOf(err) != NotInLobby {
		t.Errorf("created again: %v", err)
	}
}

func TestJoinGame(t *testing.T) {
	t.Parallel()
	r := Rules{Players: 4}
	one, gap := lobby(r, 1), then(lobby(r, 3), PlayerLeft{Seat: 1})
	full := lobby(r, 4)
	join := func(seat, as int) []Event { return []Event{PlayerJoined{Seat: Seat(seat), UserID: user(as)}} }
	play(t, []scene{
		{name: "the lowest free seat", given: one, when: JoinGame{User: user(1), Seat: NoSeat}, then: join(1, 1)},
		{name: "the lowest free seat is a gap", given: gap, when: JoinGame{User: user(5), Seat: NoSeat}, then: join(1, 5)},
		{name: "a named seat", given: one, when: JoinGame{User: user(1), Seat: 3}, then: join(3, 1)},
		{
			name: "with a client seed", given: one, when: JoinGame{User: user(1), Seat: 2, ClientSeed: "abc"},
			then: []Event{PlayerJoined{Seat: 2, UserID: user(1), ClientSeed: "abc"}},
		},
		{name: "who has a seat", given: one, when: JoinGame{User: user(0), Seat: NoSeat}, refused: AlreadyJoined},
		{name: "who has a seat, on their own", given: one, when: JoinGame{User: user(0), Seat: 0}, refused: AlreadyJoined},
		{name: "a taken seat", given: one, when: JoinGame{User: user(1), Seat: 0}, refused: SeatTaken},
		{name: "a seat that is not at the table", given: one, when: JoinGame{User: user(1), Seat: 4}, refused: Invalid},
		{name: "a seat below the first", given: one, when: JoinGame{User: user(1), Seat: -2}, refused: Invalid},
		{name: "a full table", given: full, when: JoinGame{User: user(5), Seat: NoSeat}, refused: GameFull},
		{name: "a taken seat at a full table", given: full, when: JoinGame{User: user(5), Seat: 2}, refused: GameFull},
		{name: "a full table for who sits there", given: full, when: JoinGame{User: user(2), Seat: NoSeat}, refused: AlreadyJoined},
		{name: "the last seat does not start what a host starts", given: lobby(r, 3), when: JoinGame{User: user(3), Seat: NoSeat}, then: join(3, 3)},
		{name: "a started game", given: then(full, GameStarted{}), when: JoinGame{User: user(5), Seat: NoSeat}, refused: NotInLobby},
		{name: "a cancelled game", given: then(one, GameCancelled{}), when: JoinGame{User: user(5), Seat: NoSeat}, refused: GameOver},
		{name: "no game", when: JoinGame{User: user(5), Seat: NoSeat}, refused: NotInLobby},
	})
}

func TestClientSeeds(t *testing.T) {
	t.Parallel()
	r := Rules{Players: 3}
	two := lobby(r, 2)
	set := ClientSeedSet{Seat: 1, ClientSeed: "new"}
	play(t, []scene{
		{name: "replaces one's own", given: two, when: SetClientSeed{Seat: 1, ClientSeed: "new"}, then: []Event{set}},
		{name: "to nothing", given: then(two, set), when: SetClientSeed{Seat: 1}, then: []Event{ClientSeedSet{Seat: 1}}},
		{name: "what stands already changes nothing", given: then(two, set), when: SetClientSeed{Seat: 1, ClientSeed: "new"}},
		{name: "a free seat has none", given: two, when: SetClientSeed{Seat: 2, ClientSeed: "new"}, refused: NotFound},
		{name: "nor has no seat", given: two, when: SetClientSeed{Seat: NoSeat, ClientSeed: "new"}, refused: NotFound},
		{name: "not in a started game", given: then(lobby(r, 3), GameStarted{}), when: SetClientSeed{Seat: 1, ClientSeed: "x"}, refused: NotInLobby},
		{name: "not in a cancelled game", given: then(two, GameCancelled{}), when: SetClientSeed{Seat: 1, ClientSeed: "x"}, refused: GameOver},
	})
}

func TestRenewingTheInviteCode(t *testing.T) {
	t.Parallel()
	r := Rules{Players: 3}
	public := lobby(r, 2)
	private := slices.Clone(public)
	created := private[0].(GameCreated)
	created.Visibility = Private
	private[0] = created
	play(t, []scene{
		{name: "by the host", given: private, when: RenewInviteCode{By: 0}, then: []Event{InviteCodeRenewed{Seat: 0}}},
		{name: "by who is host now", given: then(private, PlayerLeft{Seat: 0, Host: 1}), when: RenewInviteCode{By: 1}, then: []Event{InviteCodeRenewed{Seat: 1}}},
		{name: "by a guest", given: private, when: RenewInviteCode{By: 1}, refused: Forbidden},
		{name: "by nobody", given: private, when: RenewInviteCode{By: NoSeat}, refused: Forbidden},
		{name: "of a public game", given: public, when: RenewInviteCode{By: 0}, refused: NotFound},
		{name: "of a started game", given: then(private, GameStarted{}), when: RenewInviteCode{By: 0}, refused: NotInLobby},
		{name: "of a cancelled game", given: then(private, GameCancelled{}), when: RenewInviteCode{By: 0}, refused: GameOver},
	})
}

func TestWhatMayBeAClientSeed(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", 64)
	for _, seed := range []string{"", "a", "AZaz09_-", full} {
		if !ValidClientSeed(seed) {
			t.Errorf("%q is refused", seed)
		}
	}
	for _, seed := range []string{full + "x", " ", "a b", "é", "a\n", "a.b", "[", "`", "{", "@", "/", ":"} {
		if ValidClientSeed(seed) {
			t.Errorf("%q passes", seed)
		}
	}
}

// TestWhichClientSeedsCount: those standing at the start, in the order of the seats; not those of leavers.
func TestWhichClientSeedsCount(t *testing.T) {
	t.Parallel()
	g := newLobby(t, Rules{Players: 3}, secrets(1), true)
	g.must(JoinGame{User: user(1), Seat: 2, ClientSeed: "leaver"})
	g.must(LeaveLobby{Seat: 2, By: 2})
	g.must(SetClientSeed{Seat: 0, ClientSeed: "first"})
	g.must(SetClientSeed{Seat: 0, ClientSeed: "second"})
	g.must(JoinGame{User: user(2), Seat: 2, ClientSeed: "two"})
	g.must(JoinGame{User: user(1), Seat: NoSeat})
	plain := newLobby(t, Rules{Players: 3}, secrets(1), true)
	plain.must(SetClientSeed{Seat: 0, ClientSeed: "second"})
	plain.must(JoinGame{User: user(1), Seat: NoSeat})
	plain.must(JoinGame{User: user(2), Seat: NoSeat, ClientSeed: "two"})
	if g.state.Round != plain.state.Round || g.state.Status != Playing {
		t.Errorf("the deal is not that of the seeds standing at the start")
	}
	other := newTable(t, Rules{Players: 3}, secrets(1))
	if other.state.Round == plain.state.Round {
		t.Error("the client seeds change nothing")
	}
}

func TestLeaveLobby(t *testing.T) {
	t.Parallel()
	r := Rules{Players: 4}
	three := lobby(r, 3)
	passed := then(three, PlayerLeft{Seat: 0, Host: 1})
	play(t, []scene{
		{name: "a player", given: three, when: LeaveLobby{Seat: 2, By: 2}, then: []Event{PlayerLeft{Seat: 2, By: ByPlayer}}},
		{name: "removed by the host", given: three, when: LeaveLobby{Seat: 2, By: 0}, then: []Event{PlayerLeft{Seat: 2, By: ByHost}}},
		{name: "removed by another", given: three, when: LeaveLobby{Seat: 2, By: 1}, refused: Forbidden},
		{name: "the host removed by another", given: three, when: LeaveLobby{Seat: 0, By: 1}, refused: Forbidden},
		{name: "removed by who has no seat", given: three, when: LeaveLobby{Seat: 2, By: NoSeat}, refused: Forbidden},
		{name: "a free seat", given: three, when: LeaveLobby{Seat: 3, By: 0}, refused: NotFound},
		{name: "no such seat", given: three, when: LeaveLobby{Seat: 4, By: 0}, refused: NotFound},
		{name: "no seat", given: three, when: LeaveLobby{Seat: NoSeat, By: NoSeat}, refused: NotFound},
		{name: "the host: the lowest is host", given: three, when: LeaveLobby{Seat: 0, By: 0}, then: []Event{PlayerLeft{Seat: 0, Host: 1}}},
		{name: "the next host too", given: passed, when: LeaveLobby{Seat: 1, By: 1}, then: []Event{PlayerLeft{Seat: 1, Host: 2}}},
		{name: "the old host may do nothing", given: passed, when: LeaveLobby{Seat: 2, By: 0}, refused: Forbidden},
		{name: "the new host may remove", given: passed, when: LeaveLobby{Seat: 2, By: 1}, then: []Event{PlayerLeft{Seat: 2, By: ByHost, Host: 1}}},
		{
			name: "a host on a higher seat: the lowest, not the next", given: then(passed, PlayerJoined{Seat: 0, UserID: user(5)}),
			when: LeaveLobby{Seat: 1, By: 1}, then: []Event{PlayerLeft{Seat: 1, Host: 0}},
		},
		{
			name: "nobody left", given: lobby(r, 1), when: LeaveLobby{Seat: 0, By: 0},
			then: []Event{PlayerLeft{Seat: 0, Host: NoSeat}, GameCancelled{Reason: Abandoned, BotKey: secrets(1).BotKey}},
		},
		{name: "a started game", given: then(lobby(r, 4), GameStarted{}), when: LeaveLobby{Seat: 2, By: 2}, refused: NotInLobby},
		{name: "a started game, by another", given: then(lobby(r, 4), GameStarted{}), when: LeaveLobby{Seat: 2, By: 1}, refused: Forbidden},
		{name: "a cancelled game", given: then(three, GameCancelled{}), when: LeaveLobby{Seat: 2, By: 2}, refused: GameOver},
	})
}

func TestStartGame(t *testing.T) {
	t.Parallel()
	r := Rules{Players: 3}
	play(t, []scene{
		{name: "not full", given: lobby(r, 2), when: StartGame{By: 0}, refused: NotFull},
		{name: "not the host", given: lobby(r, 3), when: StartGame{By: 1}, refused: Forbidden},
		{name: "not the host and not full", given: lobby(r, 2), when: StartGame{By: 1}, refused: Forbidden},
		{name: "started already", given: then(lobby(r, 3), GameStarted{}), when: StartGame{By: 0}, refused: NotInLobby},
		{name: "cancelled", given: then(lobby(r, 3), GameCancelled{}), when: StartGame{By: 0}, refused: GameOver},
	})
	byHost := newLobby(t, r, secrets(3), false)
	byHost.must(JoinGame{User: user(1), Seat: NoSeat})
	byHost.must(JoinGame{User: user(2), Seat: NoSeat})
	auto := newLobby(t, r, secrets(3), true)
	auto.must(JoinGame{User: user(1), Seat: NoSeat})
	onJoin := auto.must(JoinGame{User: user(2), Seat: NoSeat})
	if byHost.state.Status != Lobby || auto.state.Status != Playing {
		t.Fatalf("by the host %v, at the last seat %v", byHost.state.Status, auto.state.Status)
	}
	started := byHost.must(StartGame{By: 0})
	if TypeOf(started[0]) != "game_started" || TypeOf(started[1]) != "dealt" || TypeOf(onJoin[0]) != "player_joined" || onJoin[1] != started[0] {
		t.Errorf("start: %v, join: %v", started, onJoin)
	}
	if byHost.state.Round != auto.state.Round {
		t.Error("who starts the game changes the deal")
	}
}

func TestCancelGame(t *testing.T) {
	t.Parallel()
	r := Rules{Players: 3}
	play(t, []scene{
		{name: "the host", given: lobby(r, 2), when: CancelGame{By: 0}, then: []Event{GameCancelled{Reason: CancelledByHost, BotKey: secrets(1).BotKey}}},
		{name: "another", given: lobby(r, 2), when: CancelGame{By: 1}, refused: Forbidden},
		{name: "a started game", given: then(lobby(r, 3), GameStarted{}), when: CancelGame{By: 0}, refused: NotInLobby},
		{name: "twice", given: then(lobby(r, 2), GameCancelled{}), when: CancelGame{By: 0}, refused: GameOver},
	})
}

func TestALobbyExpiresAfterSevenDays(t *testing.T) {
	t.Parallel()
	given := lobby(Rules{Players: 3}, 2) // last touched at 3000
	const week = 604_800_000
	expired := []Event{GameCancelled{Reason: Expired, BotKey: secrets(1).BotKey}}
	play(t, []scene{
		{name: "a millisecond before", given: given, when: ExpireLobby{Now: 3000 + week - 1}},
		{name: "exactly", given: given, when: ExpireLobby{Now: 3000 + week}, then: expired},
		{name: "later", given: given, when: ExpireLobby{Now: 3000 + 9*week}, then: expired},
		{name: "touched since", given: then(given, ClientSeedSet{}), when: ExpireLobby{Now: 3000 + week}},
		{name: "a started game never", given: then(given, GameStarted{}), when: ExpireLobby{Now: 9 * week}},
		{name: "a cancelled one no more", given: then(given, GameCancelled{}), when: ExpireLobby{Now: 9 * week}},
		{name: "no game", when: ExpireLobby{Now: 9 * week}},
	})
}

func TestWhoSitsWhere(t *testing.T) {
	t.Parallel()
	s := fold(then(lobby(Rules{Players: 3}, 2), ClientSeedSet{Seat: 0, ClientSeed: "x"}, PlayerLeft{Seat: 0, Host: 1})...)
	if s.Seats[0] != (Player{}) {
		t.Errorf("a leaver leaves %+v", s.Seats[0])
	}
	if s.SeatOf(user(1)) != 1 || s.SeatOf(user(0)) != NoSeat || s.SeatOf("") != NoSeat {
		t.Error("seats of users")
	}
	if s.ViewerOf(user(1)) != 1 || s.ViewerOf(user(0)) != Spectator || s.FreeSeat() != 0 || s.Full() || s.Host != 1 {
		t.Errorf("viewer %d, free seat %d, host %d", s.ViewerOf(user(1)), s.FreeSeat(), s.Host)
	}
	if s.Turn() != 0 || !slices.Equal(s.View(1).You.Hand, nil) {
		t.Error("somebody may move in a lobby")
	}
}

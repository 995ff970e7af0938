package game

import (
	"mago/domain/shuffle"
)

func (d *decision) create(c CreateGame) error {
	if d.state.Status != NoGame {
		return refuse(NotInLobby, "The game exists already.")
	}
	if err := c.Rules.Valid(); err != nil {
		return refuse(Invalid, err.Error())
	}
	if err := c.Clock.Valid(); err != nil {
		return refuse(Invalid, err.Error())
	}
	if c.Seat < 0 || int(c.Seat) >= c.Rules.Players {
		return refuse(Invalid, "There is no such seat at this table.")
	}
	clear(c.Secrets.Seeds[c.Rules.Rounds():]) // they are not stored, so the state must not have them either
	commitments := make([]shuffle.Commitment, c.Rules.Rounds())
	for i := range commitments {
		commitments[i] = shuffle.Commit(c.Secrets.Seeds[i])
	}
	d.emit(GameCreated{
		ID: c.ID, RulesVersion: RulesVersion, Host: c.Seat, Rules: c.Rules, Visibility: c.Visibility, AutoStart: c.AutoStart, Clock: c.Clock,
		Commitments: commitments, BotCommitment: shuffle.CommitBot(c.Secrets.BotKey), Secrets: c.Secrets,
	})
	d.emit(PlayerJoined{Seat: c.Seat, UserID: c.Host})
	return nil
}

// inLobby refuses what only a lobby allows.
func (d *decision) inLobby() error {
	switch {
	case d.state.Status == Lobby:
		return nil
	case d.state.Status.Over():
		return refuse(GameOver, "The game is over.")
	default:
		return refuse(NotInLobby, "The game has started.")
	}
}

// seated refuses what is asked for a seat that nobody has.
func (d *decision) seated(seat Seat) error {
	if s := &d.state; !s.hasSeat(seat) || s.Seats[seat].Free() {
		return refuse(NotFound, "Nobody sits there.")
	}
	return nil
}

func (d *decision) join(c JoinGame) error {
	if err := d.inLobby(); err != nil {
		return err
	}
	if d.state.SeatOf(c.User) != NoSeat {
		return refuse(AlreadyJoined, "You have a seat in this game.")
	}
	seat, err := d.freeSeat(c.Seat)
	if err != nil {
		return err
	}
	d.emit(PlayerJoined{Seat: seat, UserID: c.User, ClientSeed: c.ClientSeed})
	d.startIfFull()
	return nil
}

func (d *decision) seatBot(c SeatBot) error {
	if c.By != d.state.Host {
		return refuse(Forbidden, "Only the host may seat a bot.")
	}
	if err := d.inLobby(); err != nil {
		return err
	}
	seat, err := d.freeSeat(c.Seat)
	if err != nil {
		return err
	}
	d.emit(BotSeated{Seat: seat, Level: c.Level, Engine: c.Engine})
	d.startIfFull()
	return nil
}

// freeSeat returns the seat that was asked for, the lowest free one for NoSeat, or says why it can't be had.
func (d *decision) freeSeat(asked Seat) (Seat, error) {
	s := &d.state
	switch {
	case asked != NoSeat && !s.hasSeat(asked):
		return NoSeat, refuse(Invalid, "There is no such seat at this table.")
	case s.Full():
		return NoSeat, refuse(GameFull, "Every seat is taken.")
	case asked == NoSeat:
		return s.FreeSeat(), nil
	case !s.Seats[asked].Free():
		return NoSeat, refuse(SeatTaken, "Somebody sits there.")
	}
	return asked, nil
}

func (d *decision) startIfFull() {
	if d.state.Full() && d.state.AutoStart {
		d.start()
	}
}

func (d *decision) setClientSeed(c SetClientSeed) error {
	if err := d.inLobby(); err != nil {
		return err
	}
	if err := d.seated(c.Seat); err != nil {
		return err
	}
	if d.state.Seats[c.Seat].ClientSeed != c.ClientSeed {
		d.emit(ClientSeedSet(c))
	}
	return nil
}

func (d *decision) renewInviteCode(c RenewInviteCode) error {
	switch {
	case d.state.Visibility != Private:
		return refuse(NotFound, "A public game has no invite code.")
	case c.By != d.state.Host:
		return refuse(Forbidden, "Only the host may renew the invite code.")
	}
	if err := d.inLobby(); err != nil {
		return err
	}
	d.emit(InviteCodeRenewed{Seat: c.By})
	return nil
}

func (d *decision) leave(c LeaveLobby) error {
	s := &d.state
	if err := d.seated(c.Seat); err != nil {
		return err
	}
	if c.Seat != c.By && c.By != s.Host {
		return refuse(Forbidden, "Only the host may remove another player.")
	}
	if err := d.inLobby(); err != nil {
		return err
	}
	by, host := ByPlayer, s.Host
	if c.Seat != c.By {
		by = ByHost
	}
	if c.Seat == s.Host {
		host = s.lowestPerson(c.Seat)
	}
	d.emit(PlayerLeft{Seat: c.Seat, By: by, Host: host})
	if host == NoSeat {
		d.cancel(Abandoned)
	}
	return nil
}

func (d *decision) startBy(c StartGame) error {
	if c.By != d.state.Host {
		return refuse(Forbidden, "Only the host may start the game.")
	}
	if err := d.inLobby(); err != nil {
		return err
	}
	if !d.state.Full() {
		return refuse(NotFull, "The game starts when every seat is taken.")
	}
	d.start()
	return nil
}

func (d *decision) cancelBy(c CancelGame) error {
	if c.By != d.state.Host {
		return refuse(Forbidden, "Only the host may cancel the game.")
	}
	if err := d.inLobby(); err != nil {
		return err
	}
	d.cancel(CancelledByHost)
	return nil
}

func (d *decision) expire(c ExpireLobby) error {
	if d.state.Status == Lobby && c.Now-d.state.UpdatedAt >= LobbyLife {
		d.cancel(Expired)
	}
	return nil
}

// cancel ends the game. In a round it reveals the round's seed, so that the stream can be checked to its end.
func (d *decision) cancel(why Reason) {
	s := &d.state
	e := GameCancelled{Reason: why, BotKey: s.Secrets.BotKey}
	if s.Round.Phase != NoRound {
		e.InRound, e.Seed = true, s.Secrets.Seeds[s.Round.Number-1]
	}
	d.emit(e)
}

func (d *decision) start() {
	s := &d.state
	dealer := shuffle.Dealer(s.Secrets.Seeds[0], s.ID, s.entropy(), s.Rules.Players)
	d.emit(GameStarted{Dealer: Seat(dealer)}) //nolint:gosec // below 6
	d.deal(1, Seat(dealer))                   //nolint:gosec // below 6
}

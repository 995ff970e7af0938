package game

// Decide answers a command with the events that follow from it, or refuses it with an *Error and changes nothing. A command that asks
// for what is already so answers with no events. All events of a command are recorded at one time.
//
// Moves are refused in this order: game_over, wrong_phase, already_bid, not_your_turn, card_is_hidden, card_not_in_hand,
// must_follow_suit or bid_not_allowed.
func Decide(s State, c Command) ([]Event, error) {
	d := decision{state: s}
	if err := d.decide(c); err != nil {
		return nil, err
	}
	if len(d.events) > 0 {
		if err := d.playForced(); err != nil {
			return nil, err
		}
	}
	return d.events, nil
}

// DecideAll decides commands one after the other, each on what those before it made; if one is refused, so are all.
func DecideAll(s State, commands ...Command) (all []Event, err error) {
	for _, c := range commands {
		events, err := Decide(s, c)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			s = Evolve(s, e, s.UpdatedAt)
		}
		all = append(all, events...)
	}
	return all, nil
}

// decision collects the events of one command, with the state as it stands after them.
type decision struct {
	state  State
	events []Event
}

func (d *decision) emit(e Event) {
	d.events = append(d.events, e)
	d.state = Evolve(d.state, e, d.state.UpdatedAt)
}

func (d *decision) decide(c Command) error {
	switch c := c.(type) {
	case CreateGame:
		return d.create(c)
	case JoinGame:
		return d.join(c)
	case SetClientSeed:
		return d.setClientSeed(c)
	case RenewInviteCode:
		return d.renewInviteCode(c)
	case LeaveLobby:
		return d.leave(c)
	case StartGame:
		return d.startBy(c)
	case CancelGame:
		return d.cancelBy(c)
	case ExpireLobby:
		return d.expire(c)
	case NameTrump:
		return d.nameTrump(c)
	case PlaceBid:
		return d.placeBid(c)
	case PlayCard:
		return d.playCard(c)
	case Resign:
		return d.resign(c)
	case SeatBot:
		return d.seatBot(c)
	case BotMove:
		return d.botMove(c)
	case TimeOut:
		return d.timeOut(c)
	case Reclaim:
		return d.reclaim(c)
	case VoteEnd:
		return d.voteEnd(c)
	case VotePause:
		return d.votePause(c)
	case Resume:
		return d.resume(c)
	case TakeVacation:
		d.takeVacation(c)
	case EndVacation:
		d.endVacation(c)
	case LimitVacation:
		d.limitVacation(c)
	case ExtendClocks:
		d.extend(c)
	case AfterOutages:
		return d.afterOutages(c)
	}
	return nil
}

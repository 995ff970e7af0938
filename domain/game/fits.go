package game

// fits tells whether the state has room for an event. It is no judgement by the rules, only what keeps every state that can be folded
// within its bounds, so that it can be shown and decided on: streams from outside are folded in order to be audited.
func (s *State) fits(e Event) bool {
	r := &s.Round
	playing := s.Status == Playing
	switch e := e.(type) {
	case GameCreated:
		return s.Status == NoGame
	case PlayerJoined:
		return s.Status == Lobby && s.hasSeat(e.Seat)
	case ClientSeedSet:
		return s.Status == Lobby && s.hasSeat(e.Seat)
	case InviteCodeRenewed:
		return s.Status == Lobby && s.hasSeat(e.Seat)
	case PlayerLeft:
		return s.Status == Lobby && s.hasSeat(e.Seat)
	case GameStarted:
		return s.Status == Lobby
	case Dealt:
		between := r.Phase == NoRound || r.Phase == RoundOver
		return playing && between && s.hasSeat(e.Dealer) && e.Round == s.Scored+1 && e.Round <= s.Rules.Rounds()
	case TrumpSet:
		return playing && r.Phase == ChooseTrump
	case BidPlaced:
		return playing && r.Phase == PlaceBids && s.hasSeat(e.Seat) && r.Bids[e.Seat] == NoBid && e.Tricks != NoBid
	case BidsRevealed:
		return playing
	case CardPlayed:
		return playing && r.Phase == PlayTricks && !r.TrickComplete() && s.hasSeat(e.Seat)
	case TrickWon:
		return playing && r.Phase == PlayTricks && r.TrickComplete() && s.hasSeat(e.Seat)
	case RoundScored:
		return playing && r.Phase == RoundOver && s.Scored < int(r.Number)
	case GameFinished:
		return playing
	case PlayerResigned:
		return playing && s.hasSeat(e.Seat) && s.Seats[e.Seat].User != "" && s.Away[e.Seat] != Resigned
	case GameCancelled:
		return s.Status == Lobby || playing
	case BotSeated:
		return s.Status == Lobby && s.hasSeat(e.Seat) && e.Level != NoBot
	case EngineSet:
		return playing
	case TurnTimedOut:
		return playing && s.present(e.Seat)
	case SeatTakenOver:
		return playing && s.present(e.Seat)
	case SeatReclaimed:
		return playing && s.hasSeat(e.Seat) && s.Away[e.Seat] == TakenOver
	case EndVoted:
		return playing && s.stays(e.Seat)
	case PauseVoted:
		return playing && s.stays(e.Seat)
	case ClockPaused:
		return playing && (e.Seat == NoSeat || s.stays(e.Seat))
	case ClockResumed:
		return playing && (e.Seat == NoSeat || s.hasSeat(e.Seat))
	case ClockExtended:
		return playing && e.MS >= 0
	}
	return false
}

func (s *State) hasSeat(seat Seat) bool { return seat >= 0 && int(seat) < s.Rules.Players }

package game

import "mago/domain/card"

// Evolve applies an event to a game; at is the time of its record in Unix milliseconds. It holds no rule and never fails: events carry
// results. An event that doesn't fit, as only a forged stream has one, counts in the version and changes nothing else.
func Evolve(s State, e Event, at int64) State {
	s.Version++
	s.UpdatedAt = at
	prelude := s.Prelude
	s.Prelude = 0
	if !s.fits(e) {
		return s
	}
	switch e := e.(type) {
	case GameCreated:
		s.created(e, at)
	case PlayerJoined:
		s.Seats[e.Seat] = Player{User: e.UserID, ClientSeed: e.ClientSeed}
	case ClientSeedSet:
		s.Seats[e.Seat].ClientSeed = e.ClientSeed
	case InviteCodeRenewed: // the code is no part of the state
	case PlayerLeft:
		s.Seats[e.Seat] = Player{}
		s.Host = e.Host
	case BotSeated:
		s.Seats[e.Seat] = Player{Bot: e.Level}
		s.Engine = e.Engine
	case GameStarted:
		s.Status = Playing
		s.fillBanks()
	case Dealt:
		s.dealt(e)
	case TrumpSet:
		s.Round.SetTrump(e.Suit)
		if s.hasSeat(e.Seat) {
			s.moved(e.Seat, e.Auto, at)
		}
	case BidPlaced:
		s.Round.PlaceBid(e.Seat, e.Tricks)
		s.BidAt[e.Seat], s.BidWith[e.Seat] = s.Version, prelude+1
		s.moved(e.Seat, e.Auto, at)
	case BidsRevealed:
		s.Round.Revealed = true
	case CardPlayed:
		s.Round.PlayCard(e.Seat, e.Card)
		s.moved(e.Seat, e.Auto, at)
	case TrickWon:
		s.LastTrick = Trick{Round: e.Round, Number: e.Trick, Leader: s.Round.Leader, Plays: s.Round.Plays, Winner: e.Seat}
		s.Past.Add(&s.Round)
		s.Round.TakeTrick(e.Seat)
	case RoundScored:
		s.scored(e)
	case GameFinished:
		s.Status, s.Round, s.Past = Finished, Round{}, PastTricks{}
		copy(s.Places[:], e.Places)
	case PlayerResigned:
		s.leave(e.Seat, Resigned)
	case GameCancelled:
		s.Status = Cancelled
	case EngineSet:
		s.Engine, s.Prelude = e.Engine, prelude+1
	case TurnTimedOut:
		s.Prelude = prelude + 1
		s.Timeouts[e.Seat]++
	case SeatTakenOver:
		if s.BidAt[e.Seat] == s.Version-1 {
			s.BidWith[e.Seat]++
		}
		s.leave(e.Seat, TakenOver)
	case SeatReclaimed:
		s.reclaim(e.Seat)
	case EndVoted:
		s.EndVotes = s.EndVotes.With(e.Seat, e.Agree)
	case PauseVoted:
		s.PauseVotes = s.PauseVotes.With(e.Seat, e.Agree)
	case ClockPaused:
		s.pauseClocks(e.Seat, at)
	case ClockResumed:
		s.resumeClocks(e.Seat, at)
	case ClockExtended:
		s.extendClocks(e.Seats, e.MS, e.Until)
	}
	s.keepTime(at)
	return s
}

func (s *State) created(e GameCreated, at int64) {
	s.ID, s.RulesVersion, s.Status, s.Host = e.ID, e.RulesVersion, Lobby, e.Host
	s.Rules, s.Visibility, s.AutoStart, s.Clock = e.Rules, e.Visibility, e.AutoStart, e.Clock
	s.Secrets, s.CreatedAt = e.Secrets, at
}

func (s *State) dealt(e Dealt) {
	var hands [MaxPlayers]card.Set
	for i, h := range e.Hands {
		hands[i] = h.Cards
	}
	s.Round = NewRound(s.Rules, e.Round, e.Dealer, hands, e.Turned)
	s.Past = PastTricks{}
}

func (s *State) scored(e RoundScored) {
	score := Score{CardsEach: int(s.Round.CardsEach), Dealer: s.Round.Dealer, Trump: s.Round.Trump}
	copy(score.Bids[:], e.Bids)
	copy(score.Tricks[:], e.Tricks)
	copy(score.Points[:], e.Points)
	copy(score.Totals[:], e.Totals)
	s.Scores[s.Scored] = score
	s.Scored++
	s.Totals = score.Totals
}

func (s *State) leavers() (n int) {
	for _, l := range s.Left {
		n = max(n, l)
	}
	return n
}

package game

// Redact returns an event of this game as the viewer, a seat or Spectator, may know it with the game standing as it does now, and whether that is all of it.
// A deal is whole for everyone from its round's scoring, hidden bids from their showing, everything from the game's end. Secrets are no part of
// what an event shows: none has them, and a seed is seen in the event that reveals it.
func (s *State) Redact(e Event, viewer Seat) (seen Event, whole bool) {
	switch e := e.(type) {
	case GameCreated:
		e.Secrets = Secrets{}
		return e, true
	case Dealt:
		if !s.Status.Over() && e.Round > s.Scored {
			return s.redactDeal(e, viewer), false
		}
	case BidPlaced:
		if e.Round > s.Scored && !s.mayKnowBid(viewer, e.Seat) {
			e.Tricks = NoBid
			return e, false
		}
	case PlayerJoined, ClientSeedSet, InviteCodeRenewed, PlayerLeft, GameStarted, TrumpSet, BidsRevealed, CardPlayed, TrickWon,
		RoundScored, GameFinished, PlayerResigned, GameCancelled, BotSeated, EngineSet, TurnTimedOut, SeatTakenOver, SeatReclaimed,
		EndVoted, PauseVoted, ClockPaused, ClockResumed, ClockExtended:
	}
	return e, true
}

func (s *State) redactDeal(e Dealt, viewer Seat) Dealt {
	hands := make([]Hand, len(e.Hands))
	for i, h := range e.Hands {
		hands[i] = h
		if !s.mayKnowHand(viewer, Seat(i), e.Round) {
			hands[i] = Hand{Hidden: h.Cards.Len()}
		}
	}
	e.Hands = hands
	return e
}

// mayKnowBid tells whether a viewer may know the bid of a seat in the round in play.
func (s *State) mayKnowBid(viewer, of Seat) bool {
	return s.Status.Over() || !s.Rules.Bidding.Simultaneous() || s.Round.Revealed || viewer == of
}

// mayKnowHand tells whether a viewer may know the hand dealt to a seat in a round that is not scored: their own and no other, in a blind round every other and not their own.
func (s *State) mayKnowHand(viewer, of Seat, round int) bool {
	return viewer != Spectator && (viewer == of) != s.Rules.Blind(round)
}

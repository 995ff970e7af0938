package game

import "mago/domain/card"

// Premove is a move that a player leaves with the server, to be made as soon as it is their turn: a bid, a trump or a card. It is for one round, a card for one trick of it.
// It is no part of a State: no event tells of it before it is played, and nobody but its player may know of it.
type Premove struct {
	Seat  Seat
	Round int         // 0: the one in play
	Trick int         // of a card; 0: the next that the seat plays to
	Bid   int         // NoBid for another kind of move
	Suit  card.Suit   // NoSuit for another kind of move
	Cards []card.Card // in order of preference: the first that is legal is played; of another kind of move none
}

// Prepare returns the premove with its round and trick named, or refuses it with an *Error that tells nothing but what its player may know. One that could be made at once, as
// it is the seat's turn already, must be legal. In a blind round a named card is refused before anything else.
func (s *State) Prepare(p Premove) (Premove, error) {
	r := &s.Round
	blind := s.Status == Playing && s.Rules.Blind(int(r.Number))
	for _, c := range p.Cards {
		if blind && c != card.Hidden {
			return p, refuse(CardIsHidden, "You don't know your card in this round: play it as ??.")
		}
	}
	switch {
	case s.Status.Over():
		return p, refuse(GameOver, "The game is over.")
	case s.Status != Playing:
		return p, refuse(WrongPhase, "The game has not started.")
	case p.Round != 0 && p.Round != int(r.Number):
		return p, refuse(WrongPhase, "The game is in another round.")
	}
	p.Round = int(r.Number)
	var err error
	switch {
	case p.Cards != nil:
		err = s.prepareCards(&p, blind)
	case p.Bid != NoBid:
		err = s.prepareBid(&p)
	default:
		err = s.prepareTrump(&p)
	}
	if err != nil {
		return p, err
	}
	if c, waits := s.Premoved(p); c == nil && !waits {
		if p.Cards != nil {
			return p, refuse(MustFollowSuit, "You must follow suit.")
		}
		return p, refuse(BidNotAllowed, "That bid is not allowed now.")
	}
	return p, nil
}

func (s *State) prepareCards(p *Premove, blind bool) error {
	r := &s.Round
	next := 1
	if r.Phase == PlayTricks {
		next = int(r.Trick)
		if s.hasPlayed(p.Seat) {
			next++
		}
	}
	switch {
	case next > int(r.CardsEach):
		return refuse(WrongPhase, "You have played your last card of this round.")
	case p.Trick == 0:
		p.Trick = next
	case p.Trick < next || p.Trick > int(r.CardsEach):
		return refuse(WrongPhase, "You don't play to that trick any more, or it is none of this round.")
	}
	for _, c := range p.Cards {
		if !blind && (!c.Valid() || !r.Hands[p.Seat].Has(c)) {
			return refuse(CardNotInHand, "You don't hold that card.")
		}
	}
	return nil
}

func (s *State) prepareBid(p *Premove) error {
	r := &s.Round
	switch {
	case r.Phase != ChooseTrump && r.Phase != PlaceBids:
		return refuse(WrongPhase, "The round is not in that phase.")
	case r.Bids[p.Seat] != NoBid:
		return refuse(AlreadyBid, "You have bid; a bid can't be changed.")
	case p.Bid > int(r.CardsEach):
		return refuse(BidNotAllowed, "That bid is above the cards of this round.")
	}
	return nil
}

func (s *State) prepareTrump(p *Premove) error {
	if s.Round.Phase != ChooseTrump {
		return refuse(WrongPhase, "The round is not in that phase.")
	}
	if !s.Turn().Has(p.Seat) {
		return refuse(NotYourTurn, "The dealer names the trump.")
	}
	return nil
}

// hasPlayed tells whether a seat has played to the trick in play.
func (s *State) hasPlayed(seat Seat) bool {
	n := int(s.Round.Players)
	return (int(seat)-int(s.Round.Leader)+n)%n < int(s.Round.Played)
}

// Premoved returns the command that a prepared premove makes now. It is nil if there is none to make: then waits says whether the premove's time may still come.
func (s *State) Premoved(p Premove) (c Command, waits bool) {
	r := &s.Round
	if s.Status != Playing || p.Round != int(r.Number) || !s.stays(p.Seat) || s.passed(p) {
		return nil, false
	}
	if !s.Turn().Has(p.Seat) || s.BotAt(p.Seat) != NoBot {
		return nil, true
	}
	meant, legal := Meant{Round: p.Round, Trick: p.Trick}, r.Legal(p.Seat)
	switch {
	case p.Cards != nil:
		if r.Phase != PlayTricks || int(r.Trick) < p.Trick {
			return nil, true
		}
		for _, k := range p.Cards {
			if k == card.Hidden && s.Rules.Blind(p.Round) || k.Valid() && legal.Plays.Has(k) {
				return PlayCard{Seat: p.Seat, Card: k, Auto: AutoPremove, Meant: meant}, false
			}
		}
	case p.Bid != NoBid:
		if r.Phase != PlaceBids {
			return nil, true
		}
		if legal.Bids.Has(p.Bid) {
			return PlaceBid{Seat: p.Seat, Tricks: p.Bid, Auto: AutoPremove, Meant: meant}, false
		}
	default:
		return NameTrump{Seat: p.Seat, Suit: p.Suit, Auto: AutoPremove, Meant: meant}, false
	}
	return nil, false
}

// passed tells whether the turn that a premove of the round in play is for is over.
func (s *State) passed(p Premove) bool {
	r := &s.Round
	switch {
	case p.Cards != nil:
		return r.Phase == PlayTricks && (int(r.Trick) > p.Trick || int(r.Trick) == p.Trick && s.hasPlayed(p.Seat)) || r.Phase == RoundOver
	case p.Bid != NoBid:
		return r.Bids[p.Seat] != NoBid
	}
	return r.Phase != ChooseTrump
}

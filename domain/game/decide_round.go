package game

import (
	"mago/domain/card"
	"mago/domain/shuffle"
)

// deal begins a round. Where the turned card settles the trump, that is part of it.
func (d *decision) deal(number int, dealer Seat) {
	s := &d.state
	each := s.Rules.CardsEach(number)
	deck := shuffle.Deck(s.Secrets.Seeds[number-1], s.ID, number, s.entropy())
	dealt, turned := Deal(&deck, s.Rules.Players, each)
	hands := make([]Hand, s.Rules.Players)
	for i := range hands {
		hands[i].Cards = dealt[i]
	}
	d.emit(Dealt{Round: number, CardsEach: each, Dealer: dealer, Hands: hands, Turned: turned})
	if suit, by := d.state.Round.TrumpOf(); by != ByDealer {
		d.emit(TrumpSet{Round: number, Suit: suit, By: by, Seat: NoSeat})
	}
}

// inPhase refuses a move that the game is not waiting for, or that was meant for another round or trick.
func (d *decision) inPhase(p Phase, m Meant) error {
	s := &d.state
	switch {
	case s.Status.Over():
		return refuse(GameOver, "The game is over.")
	case s.Status != Playing:
		return refuse(WrongPhase, "The game has not started.")
	case s.Round.Phase != p:
		return refuse(WrongPhase, "The round is not in that phase.")
	case m.Round != 0 && m.Round != int(s.Round.Number):
		return refuse(WrongPhase, "The game is in another round.")
	case m.Trick != 0 && m.Trick != int(s.Round.Trick):
		return refuse(WrongPhase, "The round is at another trick.")
	}
	return nil
}

// onTurn refuses who is not on turn. Who has just come back is from their next turn: the bot still makes this move.
func (d *decision) onTurn(seat Seat, auto Auto) error {
	switch {
	case !d.state.Turn().Has(seat):
		return refuse(NotYourTurn, "It is not your turn.")
	case d.state.Away[seat] == Returning && (auto == NotAuto || auto == AutoPremove):
		return refuse(NotYourTurn, "A bot makes this move for you; the next turn is yours.")
	}
	return nil
}

func (d *decision) nameTrump(c NameTrump) error {
	if err := d.inPhase(ChooseTrump, c.Meant); err != nil {
		return err
	}
	if err := d.onTurn(c.Seat, c.Auto); err != nil {
		return err
	}
	if c.Suit == card.NoSuit || c.Suit > card.Humans {
		return refuse(Invalid, "The dealer must name one of the four suits.")
	}
	d.emit(TrumpSet{Round: int(d.state.Round.Number), Suit: c.Suit, By: ByDealer, Seat: c.Seat, Auto: c.Auto})
	return nil
}

func (d *decision) placeBid(c PlaceBid) error {
	if err := d.inPhase(PlaceBids, c.Meant); err != nil {
		return err
	}
	if err := d.seated(c.Seat); err != nil {
		return err
	}
	r := &d.state.Round
	if r.Bids[c.Seat] != NoBid {
		return refuse(AlreadyBid, "You have bid; a bid can't be changed.")
	}
	if err := d.onTurn(c.Seat, c.Auto); err != nil {
		return err
	}
	if !r.Legal(c.Seat).Bids.Has(c.Tricks) {
		return refuse(BidNotAllowed, "That bid is not allowed now.")
	}
	d.emit(BidPlaced{Round: int(r.Number), Seat: c.Seat, Tricks: c.Tricks, Auto: c.Auto})
	if d.state.Round.Phase == PlayTricks && d.state.Rules.Bidding == HiddenBidding {
		d.revealBids()
	}
	return nil
}

func (d *decision) revealBids() {
	r := &d.state.Round
	d.emit(BidsRevealed{Round: int(r.Number), Bids: seats(r.Bids, r.Players)})
}

func (d *decision) playCard(c PlayCard) error {
	if err := d.inPhase(PlayTricks, c.Meant); err != nil {
		return err
	}
	if err := d.onTurn(c.Seat, c.Auto); err != nil {
		return err
	}
	r := &d.state.Round
	if d.state.Rules.Blind(int(r.Number)) {
		if c.Card != card.Hidden {
			return refuse(CardIsHidden, "You don't know your card in this round: play it as ??.")
		}
		c.Card = r.Hands[c.Seat].First()
	}
	if !c.Card.Valid() || !r.Hands[c.Seat].Has(c.Card) {
		return refuse(CardNotInHand, "You don't hold that card.")
	}
	if !r.Legal(c.Seat).Plays.Has(c.Card) {
		return refuse(MustFollowSuit, "You must follow suit.")
	}
	d.emit(CardPlayed{Round: int(r.Number), Trick: int(r.Trick), Seat: c.Seat, Card: c.Card, Auto: c.Auto})
	if d.state.Round.TrickComplete() {
		d.endTrick()
	}
	return nil
}

func (d *decision) endTrick() {
	r := &d.state.Round
	i := Winner(r.InTrick(), r.Trump)
	d.emit(TrickWon{Round: int(r.Number), Trick: int(r.Trick), Seat: r.SeatOfPlay(i), Card: r.Plays[i]})
	if d.state.Round.Phase == RoundOver {
		d.endRound()
	}
}

func (d *decision) endRound() {
	if d.state.Rules.Bidding == SecretBidding {
		d.revealBids()
	}
	s := &d.state
	r := s.Round
	points, totals := make([]int, r.Players), make([]int, r.Players)
	for i := range points {
		points[i] = Points(int(r.Bids[i]), int(r.Tricks[i]))
		totals[i] = s.Totals[i] + points[i]
	}
	d.emit(RoundScored{
		Round: int(r.Number), Bids: seats(r.Bids, r.Players), Tricks: seats(r.Tricks, r.Players),
		Points: points, Totals: totals, Seed: s.Secrets.Seeds[r.Number-1],
	})
	if int(r.Number) < s.Rules.Rounds() {
		d.deal(int(r.Number)+1, r.Next(r.Dealer))
		return
	}
	d.finish(totals)
}

func (d *decision) finish(totals []int) {
	s := &d.state
	left := s.Left[:s.Rules.Players]
	places := Places(totals, left)
	d.emit(GameFinished{Totals: totals, Places: places, Winners: Winners(places, left), BotKey: s.Secrets.BotKey})
}

// seats returns the values of the seats that exist.
func seats(by [MaxPlayers]int8, players int8) []int {
	out := make([]int, players)
	for i := range out {
		out[i] = int(by[i])
	}
	return out
}

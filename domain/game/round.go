package game

import "mago/domain/card"

// Seat is a place at the table, numbered from 0 in table order.
type Seat int8

// NoSeat stands where no seat is meant.
const NoSeat Seat = -1

// NoBid stands where a seat has not bid, or where the viewer may not know what.
const NoBid = -1

// Phase says what a round waits for.
type Phase uint8

// The phases of a round, in order.
const (
	NoRound     Phase = iota // no round is in play
	ChooseTrump              // the dealer names the trump, or it is about to be set by the turned card
	PlaceBids
	PlayTricks
	RoundOver // all cards are played
)

// Round is the round in play: a small value with the rules as functions. Games, bots and playouts use the same.
//
// Invariant: while tricks are played, the cards in the hands, in the trick and in the tricks taken add up to Players × CardsEach.
type Round struct {
	Hands     [MaxPlayers]card.Set
	Bids      [MaxPlayers]int8 // NoBid until made
	Tricks    [MaxPlayers]int8 // taken so far
	Plays     [MaxPlayers]card.Card
	Played    int8 // how many of Plays lie in the trick, the leader's first
	Trick     int8 // number of the trick in play, from 1
	Players   int8
	Number    int8 // of the round in the game, from 1
	CardsEach int8
	Dealer    Seat
	Leader    Seat // of the trick in play
	Turned    card.Card
	Trump     card.Suit // NoSuit for none, or while the dealer chooses
	Bidding   Bidding
	Phase     Phase
	Revealed  bool // hidden and secret bids have been shown
}

// NewRound returns a round with its hands dealt, waiting for the trump.
func NewRound(r Rules, number int, dealer Seat, hands [MaxPlayers]card.Set, turned card.Card) Round {
	out := Round{
		Hands: hands, Turned: turned, Dealer: dealer, Bidding: r.Bidding, Phase: ChooseTrump,
		Players: int8(r.Players), Number: int8(number), CardsEach: int8(r.CardsEach(number)), //nolint:gosec // all at most 20
	}
	for s := range out.Bids {
		out.Bids[s] = NoBid
	}
	return out
}

// Deal returns the hands and the turned card of a shuffled deck: seat s gets the cards s·k … s·k+k−1, the next is turned.
func Deal(deck *[card.Count]card.Card, players, each int) (hands [MaxPlayers]card.Set, turned card.Card) {
	for s := range players {
		hands[s] = card.SetOf(deck[s*each : (s+1)*each]...)
	}
	if players*each < card.Count {
		turned = deck[players*each]
	}
	return hands, turned
}

// Next returns the seat to the left.
func (r *Round) Next(s Seat) Seat {
	if s++; s < Seat(r.Players) {
		return s
	}
	return 0
}

// TrumpOf returns the trump that the turned card gives. It is not settled by the card where a wizard is turned: the dealer must choose.
func (r *Round) TrumpOf() (suit card.Suit, by TrumpBy) {
	switch {
	case r.Turned == card.None:
		return card.NoSuit, ByNoCardLeft
	case r.Turned.IsWizard():
		return card.NoSuit, ByDealer
	case r.Turned.IsJester():
		return card.NoSuit, ByJester
	default:
		return r.Turned.Suit(), ByTurned
	}
}

// SetTrump settles the trump; bidding begins.
func (r *Round) SetTrump(suit card.Suit) {
	r.Trump, r.Phase = suit, PlaceBids
}

// PlaceBid records a bid. After the last one the dealer's left leads the first trick.
func (r *Round) PlaceBid(s Seat, tricks int) {
	r.Bids[s] = int8(tricks) //nolint:gosec // at most 20
	if r.bidsMade() == int(r.Players) {
		r.Phase, r.Trick, r.Leader = PlayTricks, 1, r.Next(r.Dealer)
	}
}

// PlayCard moves a card from a hand to the trick.
func (r *Round) PlayCard(s Seat, c card.Card) {
	r.Hands[s] = r.Hands[s].Without(c)
	r.Plays[r.Played] = c
	r.Played++
}

// TrickComplete tells whether everybody has played to the trick.
func (r *Round) TrickComplete() bool { return r.Played == r.Players }

// TakeTrick gives the trick to its winner, who leads the next. After the last trick the round is over.
func (r *Round) TakeTrick(winner Seat) {
	r.Tricks[winner]++
	r.Played, r.Leader = 0, winner
	if r.Trick++; r.Trick > r.CardsEach {
		r.Phase = RoundOver
	}
}

// SeatOfPlay returns the seat that played the i-th card of the trick, i from 0.
func (r *Round) SeatOfPlay(i int) Seat {
	return Seat((int(r.Leader) + i) % int(r.Players)) //nolint:gosec // below 6
}

// InTrick returns the cards of the trick in the order played.
func (r *Round) InTrick() []card.Card { return r.Plays[:r.Played] }

func (r *Round) bidsMade() (n int) {
	for _, b := range r.Bids[:r.Players] {
		if b != NoBid {
			n++
		}
	}
	return n
}

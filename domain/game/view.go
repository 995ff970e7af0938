package game

import "mago/domain/card"

// Spectator is the viewer who has no seat.
const Spectator = NoSeat

// View is what one viewer may see of a game: the one redaction of a state. It holds no pointer into the state.
type View struct {
	ID         string
	Version    int
	Status     Status
	Visibility Visibility
	CreatedAt  int64 // Unix milliseconds
	UpdatedAt  int64
	Host       Seat
	Rules      Rules
	Clock      Clock
	Paused     bool   // all clocks stand by agreement
	EndVotes   []Seat // who wants to end the game
	PauseVotes []Seat // who wants to stop all clocks
	Seats      []SeatView
	Round      *RoundView // nil outside of a round
	Trick      *TrickView // nil unless tricks are played
	Past       PastTricks // of the round in play; for bots: clients remember, or read the events
	LastTrick  *TrickView // nil before the first
	Turn       *TurnView  // nil when nobody may act
	You        *You       // nil for a spectator
	Others     []OtherHand
	Rounds     []Score
	Result     *Result // nil until finished
}

// SeatView is one seat.
type SeatView struct {
	Seat     Seat
	User     string // user id, "" for a free seat
	Cards    int    // in the hand
	HasBid   bool
	Bid      int   // NoBid where there is none, or where the viewer may not know it
	Tricks   int   // taken in this round
	Total    int   // of the scored rounds
	Bot      Level // of the bot that plays there, NoBot where a person does or nobody
	Left     bool  // a person sits there who resigned, or for whom a bot stands in
	Bank     int64 // milliseconds beside the turn in play; a game with a bank alone
	Vacation bool  // the player is on vacation, and has not used it up in this game
}

// RoundView is the public part of a round.
type RoundView struct {
	Number    int
	CardsEach int
	Dealer    Seat
	Turned    card.Card
	Trump     card.Suit
	Phase     Phase
}

// TrickView is a trick: in play, or the last one complete.
type TrickView struct {
	Round, Number int
	Leader        Seat
	SuitToFollow  card.Suit
	Plays         []Play
	Winner        Seat // NoSeat in play
}

// Play is a card in a trick.
type Play struct {
	Seat Seat
	Card card.Card
}

// TurnView says who may act, and how.
type TurnView struct {
	Seats []Seat
	Phase Phase // ChooseTrump, PlaceBids or PlayTricks
	// By seat, 0 where the clock does not run: when the turn ends in Unix milliseconds.
	Deadlines [MaxPlayers]int64
	Stands    SeatSet           // seats on turn whose clock stands
	Standing  [MaxPlayers]int64 // milliseconds that are left to those
}

// You is the viewer's own seat. In a blind round the hand is card.Hidden, until the game is over.
type You struct {
	Seat Seat
	Hand []card.Card
	Can  Can
}

// Can lists what the viewer may do now; all lists are empty when it is not their turn.
type Can struct {
	Trump []card.Suit
	Bid   []int
	Play  []card.Card
}

// OtherHand is a hand that is seen in a blind round.
type OtherHand struct {
	Seat Seat
	Hand []card.Card
}

// Result is the end of a game.
type Result struct {
	Places  []int
	Winners []Seat
}

// View returns what the viewer, a seat or Spectator, may see.
func (s *State) View(viewer Seat) View {
	v := View{
		ID: s.ID, Version: s.Version, Status: s.Status, Visibility: s.Visibility, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Host: s.Host, Rules: s.Rules, Clock: s.Clock, Past: s.Past,
		Paused: s.Paused, EndVotes: s.EndVotes.All(), PauseVotes: s.PauseVotes.All(),
		Seats: s.viewSeats(viewer), Rounds: append([]Score{}, s.Scores[:s.Scored]...),
	}
	if s.Round.Phase != NoRound {
		v.Round, v.Trick = s.viewRound()
	}
	if s.LastTrick.Number > 0 {
		v.LastTrick = s.viewLastTrick()
	}
	if turn := s.Turn(); turn != 0 {
		v.Turn = s.viewTurn(turn)
	}
	if viewer != Spectator {
		v.You = s.viewYou(viewer)
		v.Others = s.viewOthers(viewer)
	}
	if s.Status == Finished {
		places := s.Places[:s.Rules.Players]
		v.Result = &Result{Places: append([]int{}, places...), Winners: Winners(places, s.Left[:])}
	}
	return v
}

func (s *State) viewTurn(turn SeatSet) *TurnView {
	v := &TurnView{Seats: turn.All(), Phase: s.Round.Phase}
	for _, seat := range v.Seats {
		v.Deadlines[seat], _ = s.Deadline(seat)
		left, stands := s.Standing(seat)
		v.Standing[seat], v.Stands = left, v.Stands.With(seat, stands)
	}
	return v
}

func (s *State) viewSeats(viewer Seat) []SeatView {
	out := make([]SeatView, s.Rules.Players)
	for i := range out {
		seat := Seat(i)
		out[i] = SeatView{
			Seat: seat, User: s.Seats[i].User, Bid: NoBid, Total: s.Totals[i], Bot: s.BotAt(seat),
			Left: s.Left[i] != 0, Bank: s.Banks[i], Vacation: s.OnVacation().Has(seat) && s.Rested[i] < VacationLimit,
		}
		if s.Round.Phase == NoRound {
			continue
		}
		out[i].Cards, out[i].Tricks = s.Round.Hands[i].Len(), int(s.Round.Tricks[i])
		out[i].HasBid = s.Round.Bids[i] != NoBid
		if s.mayKnowBid(viewer, seat) {
			out[i].Bid = int(s.Round.Bids[i])
		}
	}
	return out
}

func (s *State) viewRound() (*RoundView, *TrickView) {
	r := &s.Round
	v := &RoundView{
		Number: int(r.Number), CardsEach: int(r.CardsEach), Dealer: r.Dealer, Turned: r.Turned, Trump: r.Trump, Phase: r.Phase,
	}
	if r.Phase != PlayTricks {
		return v, nil
	}
	return v, &TrickView{
		Round: int(r.Number), Number: int(r.Trick), Leader: r.Leader, SuitToFollow: SuitToFollow(r.InTrick()),
		Plays: plays(r.Leader, r.InTrick(), s.Rules.Players), Winner: NoSeat,
	}
}

func (s *State) viewLastTrick() *TrickView {
	t := &s.LastTrick
	cards := t.Plays[:s.Rules.Players]
	return &TrickView{
		Round: t.Round, Number: t.Number, Leader: t.Leader, SuitToFollow: SuitToFollow(cards),
		Plays: plays(t.Leader, cards, s.Rules.Players), Winner: t.Winner,
	}
}

func plays(leader Seat, cards []card.Card, players int) []Play {
	out := make([]Play, len(cards))
	for i, c := range cards {
		out[i] = Play{Seat: Seat((int(leader) + i) % players), Card: c} //nolint:gosec // below 6
	}
	return out
}

func (s *State) viewYou(viewer Seat) *You {
	can := Can{Trump: []card.Suit{}, Bid: []int{}, Play: []card.Card{}}
	if s.Status == Playing {
		legal := s.Round.Legal(viewer)
		if legal.Trump {
			can.Trump = append(can.Trump, card.Suits[:]...)
		}
		can.Bid, can.Play = legal.Bids.All(), legal.Plays.Cards()
	}
	you := &You{Seat: viewer, Hand: s.Round.Hands[viewer].Cards(), Can: can}
	if !s.Status.Over() && !s.mayKnowHand(viewer, viewer, int(s.Round.Number)) {
		hide(you.Hand)
		hide(you.Can.Play)
	}
	return you
}

// viewOthers returns the hands that a player sees in a blind round, nil in any other.
func (s *State) viewOthers(viewer Seat) (out []OtherHand) {
	for seat := range Seat(s.Rules.Players) { //nolint:gosec // at most 6
		if seat != viewer && s.mayKnowHand(viewer, seat, int(s.Round.Number)) {
			out = append(out, OtherHand{Seat: seat, Hand: s.Round.Hands[seat].Cards()})
		}
	}
	return out
}

func hide(cards []card.Card) {
	for i := range cards {
		cards[i] = card.Hidden
	}
}

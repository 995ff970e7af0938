package game

import (
	"mago/domain/card"
	"mago/domain/shuffle"
)

// Status says where a game stands in its life.
type Status uint8

// The statuses of a game. The zero Status is a game that does not exist yet.
const (
	NoGame Status = iota
	Lobby
	Playing
	Finished
	Cancelled
)

var statuses = [...]string{"", "lobby", "playing", "finished", "cancelled"}

func (s Status) String() string { return statuses[s] }

// Over tells whether the game has ended: nothing more can happen in it, and all of it is public to its viewers.
func (s Status) Over() bool { return s == Finished || s == Cancelled }

// ParseStatus is the inverse of String for games that exist.
func ParseStatus(name string) (Status, bool) {
	s, ok := parseName[Status](statuses[:], name)
	return s, ok && s != NoGame
}

// Visibility says who may see a game.
type Visibility uint8

// Public games are seen by everyone, private ones by their players.
const (
	Public Visibility = iota
	Private
)

var visibilities = [...]string{"public", "private"}

func (v Visibility) String() string { return visibilities[v] }

// ParseVisibility is the inverse of String.
func ParseVisibility(name string) (Visibility, bool) {
	return parseName[Visibility](visibilities[:], name)
}

// Player is who sits on a seat, a person or a bot; the zero Player is a free seat.
type Player struct {
	User       string // user id, "" for a bot
	ClientSeed string
	Bot        Level
}

// Free tells whether nobody sits there.
func (p Player) Free() bool { return p == Player{} }

// Trick is a complete trick.
type Trick struct {
	Round, Number int
	Leader        Seat
	Plays         [MaxPlayers]card.Card // in the order played, the leader's first
	Winner        Seat
}

// Score is a round that was scored, by seat.
type Score struct {
	CardsEach                    int
	Dealer                       Seat
	Trump                        card.Suit
	Bids, Tricks, Points, Totals [MaxPlayers]int
}

// State is a whole game as a plain value: a copy is a snapshot, and == compares games. It is never shown to anyone as it is: see View.
type State struct {
	ID           string
	Version      int // number of events applied
	RulesVersion int
	Status       Status
	Visibility   Visibility
	AutoStart    bool
	Rules        Rules
	Clock        Clock
	Host         Seat
	Seats        [MaxPlayers]Player
	CreatedAt    int64 // Unix milliseconds
	UpdatedAt    int64 // of the newest event

	Round     Round
	BidAt     [MaxPlayers]int // version of each seat's newest bid
	BidWith   [MaxPlayers]int // events that belong to it: those that tell why the server made it, itself, and the seat's being taken over
	Prelude   int             // events right behind each other that tell why the server makes the move that follows
	Past      PastTricks      // of the round in play
	LastTrick Trick           // Number 0: none yet
	Scores    [MaxRounds]Score
	Scored    int             // how many of Scores there are
	Totals    [MaxPlayers]int // of the scored rounds
	Left      [MaxPlayers]int // 0: stayed; else a number that is higher for who left later
	Places    [MaxPlayers]int // once finished

	Away       [MaxPlayers]Away
	Engine     string // version of the bots that chose last, "" before the first
	EndVotes   SeatSet
	PauseVotes SeatSet

	Timers      [MaxPlayers]Timer
	Banks       [MaxPlayers]int64 // milliseconds that a seat has beside the turn it is at; Bank alone
	Timeouts    [MaxPlayers]int   // in a row
	Paused      bool              // by agreement of all
	Vacations   SeatSet           // seats on vacation
	Rested      [MaxPlayers]int64 // milliseconds that a seat's clock stood for vacations, up to the turn it is at
	ServedUntil int64             // end of the outage that was made up for last, Unix milliseconds

	Secrets Secrets
}

// SeatOf returns the seat of a user, NoSeat if the user has none.
func (s *State) SeatOf(user string) Seat {
	for i, p := range s.Seats[:s.Rules.Players] {
		if user != "" && p.User == user {
			return Seat(i)
		}
	}
	return NoSeat
}

// ViewerOf returns the seat through whose eyes a user sees the game: their own, or Spectator. Who resigned sees what a spectator sees;
// whom a bot stands in for goes on seeing their seat, as they may come back to it.
func (s *State) ViewerOf(user string) Seat {
	if seat := s.SeatOf(user); seat != NoSeat && s.Away[seat] != Resigned {
		return seat
	}
	return Spectator
}

// Full tells whether every seat is taken.
func (s *State) Full() bool { return s.FreeSeat() == NoSeat }

// FreeSeat returns the lowest free seat, NoSeat if there is none.
func (s *State) FreeSeat() Seat {
	for i, p := range s.Seats[:s.Rules.Players] {
		if p.Free() {
			return Seat(i)
		}
	}
	return NoSeat
}

// lowestPerson returns the lowest seated person other than the one on a seat.
func (s *State) lowestPerson(except Seat) Seat {
	for i, p := range s.Seats[:s.Rules.Players] {
		if seat := Seat(i); seat != except && p.User != "" {
			return seat
		}
	}
	return NoSeat
}

func (s *State) entropy() shuffle.Entropy {
	seeds := make([]string, s.Rules.Players)
	for i := range seeds {
		seeds[i] = s.Seats[i].ClientSeed
	}
	return shuffle.Mix(seeds)
}

// Turn returns the seats that may act now.
func (s *State) Turn() SeatSet {
	if s.Status != Playing {
		return 0
	}
	return s.Round.Turn()
}

package game

import (
	"mago/domain/card"
)

// Command is something that is asked of a game.
//
//sumtype:decl
type Command interface{ command() }

// Meant names the round, and for a play the trick, that a move is meant for; 0 means whichever is in play. A delayed move never lands in the next round.
type Meant struct{ Round, Trick int }

// The commands. Seat is the acting player's unless said otherwise.
type (
	// CreateGame opens a lobby with its host on Seat.
	CreateGame struct {
		ID         string // UUIDv7 in its canonical text
		Host       string // user id
		Seat       Seat
		Rules      Rules
		Visibility Visibility
		AutoStart  bool // start as soon as the last seat is taken
		Clock      Clock
		Secrets    Secrets // fresh random bytes
	}
	// JoinGame seats a person on Seat, or on the lowest free seat for NoSeat.
	JoinGame struct {
		User       string
		Seat       Seat
		ClientSeed string
	}
	// SetClientSeed replaces one's own client seed in the lobby. Setting what stands already changes nothing.
	SetClientSeed struct {
		Seat       Seat
		ClientSeed string
	}
	// RenewInviteCode makes the code of a private game in its lobby useless, for another; By must be the host.
	RenewInviteCode struct{ By Seat }
	// LeaveLobby frees Seat; By is the seat that asks for it: the same, or the host's.
	LeaveLobby struct{ Seat, By Seat }
	// StartGame starts a full lobby; By must be the host.
	StartGame struct{ By Seat }
	// CancelGame ends a game that has not started; By must be the host.
	CancelGame struct{ By Seat }
	// ExpireLobby ends a lobby that was last touched LobbyLife or longer before Now (Unix milliseconds). A lobby younger than that is left alone.
	ExpireLobby struct{ Now int64 }
	// NameTrump is the dealer's choice where a wizard was turned.
	NameTrump struct {
		Seat  Seat
		Suit  card.Suit
		Auto  Auto
		Meant Meant
	}
	// PlaceBid bids a number of tricks.
	PlaceBid struct {
		Seat   Seat
		Tricks int
		Auto   Auto
		Meant  Meant
	}
	// PlayCard plays a card to the trick; card.Hidden in a blind round.
	PlayCard struct {
		Seat  Seat
		Card  card.Card
		Auto  Auto
		Meant Meant
	}
	// SeatBot gives Seat, or the lowest free seat for NoSeat, to a bot; By must be the host. Engine is the version of the bots that decides.
	SeatBot struct {
		By     Seat
		Seat   Seat
		Level  Level
		Engine string
	}
	// BotMove is a move that the server chose for a seat, by the bots of the version Engine. Move names the seat and says by its Auto why.
	BotMove struct {
		Move   Command
		Engine string
	}
	// TimeOut ends Seat's turn if its deadline lies Grace or longer before Now (Unix milliseconds), and makes Move instead, which the bots of the
	// version Engine chose. If there is nothing to end it does nothing.
	TimeOut struct {
		Seat   Seat
		Now    int64
		Move   Command
		Engine string
	}
	// Reclaim takes one's seat back from the bot that took it over.
	Reclaim struct{ Seat Seat }
	// VoteEnd says whether one wants to end the game. It happens when all who are left want it.
	VoteEnd struct {
		Seat  Seat
		Agree bool
	}
	// VotePause says whether one wants all clocks to stop. They do when all who are left want it.
	VotePause struct {
		Seat  Seat
		Agree bool
	}
	// Resume lets the clocks of a paused game run again.
	Resume struct{ Seat Seat }
	// TakeVacation begins a vacation of a seat's player; games that have no vacations or where nothing changes do nothing.
	TakeVacation struct{ Seat Seat }
	// EndVacation ends one likewise.
	EndVacation struct{ Seat Seat }
	// LimitVacation ends vacations whose clocks have stood for VacationLimit at Now (Unix milliseconds).
	LimitVacation struct{ Now int64 }
	// ExtendClocks gives the running clocks the time back that nobody was serving, From to To in Unix milliseconds. An outage that ended no later than the one made up
	// for last does nothing.
	ExtendClocks struct{ From, To int64 }
	// AfterOutages makes up for outages, the older first, before Command, if there is one, is decided: what a player does then is not charged with them. A
	// refusal makes up for nothing.
	AfterOutages struct {
		Outages []Outage
		Command Command
	}
	// Resign gives up one's seat in a running game: a bot plays on. With no person left the game is cancelled.
	Resign struct{ Seat Seat }
)

// Outage is a time in which nobody was serving, in Unix milliseconds.
type Outage struct{ From, To int64 }

// LobbyLife is how long an untouched lobby stands, in milliseconds.
const LobbyLife = 7 * 24 * 60 * 60 * 1000

func (CreateGame) command()      {}
func (JoinGame) command()        {}
func (SetClientSeed) command()   {}
func (RenewInviteCode) command() {}
func (LeaveLobby) command()      {}
func (StartGame) command()       {}
func (CancelGame) command()      {}
func (ExpireLobby) command()     {}
func (NameTrump) command()       {}
func (PlaceBid) command()        {}
func (PlayCard) command()        {}
func (Resign) command()          {}
func (SeatBot) command()         {}
func (BotMove) command()         {}
func (TimeOut) command()         {}
func (Reclaim) command()         {}
func (VoteEnd) command()         {}
func (VotePause) command()       {}
func (Resume) command()          {}
func (TakeVacation) command()    {}
func (EndVacation) command()     {}
func (LimitVacation) command()   {}
func (ExtendClocks) command()    {}
func (AfterOutages) command()    {}

// MaxClientSeed is how many characters a client seed may have.
const MaxClientSeed = 64

// ValidClientSeed tells whether a text may be a client seed: at most 64 characters of A-Z, a-z, 0-9, _ and -. The empty one stands for none.
func ValidClientSeed(seed string) bool {
	for _, b := range []byte(seed) {
		if (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '_' && b != '-' {
			return false
		}
	}
	return len(seed) <= MaxClientSeed
}

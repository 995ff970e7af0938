package game

import (
	"mago/domain/card"
	"mago/domain/shuffle"
)

// Event is something that happened in a game. Events carry results: who took the trick, what the round scored.
//
//sumtype:decl
type Event interface {
	// name is the stored name of the type, for ever. Fields may be added to a type, never renamed.
	name() string
}

// TypeOf returns the stored name of an event's type.
func TypeOf(e Event) string { return e.name() }

// Auto says who decided a move that the player didn't make.
type Auto uint8

// Why a move was made; NotAuto is a move of the player's own.
const (
	NotAuto Auto = iota
	AutoTimeout
	AutoForced
	AutoPremove
	AutoBot
)

var autos = [...]string{"", "timeout", "forced", "premove", "bot"}

func (a Auto) String() string { return autos[a] }

// TrumpBy says what settled a round's trump.
type TrumpBy uint8

// What settles the trump.
const (
	ByTurned TrumpBy = iota
	ByJester
	ByDealer
	ByNoCardLeft
)

var trumpBys = [...]string{"turned", "jester", "dealer", "no_card_left"}

func (b TrumpBy) String() string { return trumpBys[b] }

// LeftBy says who took a player from the lobby.
type LeftBy uint8

// Who takes a player from the lobby.
const (
	ByPlayer LeftBy = iota
	ByHost
)

var leftBys = [...]string{"player", "host"}

func (b LeftBy) String() string { return leftBys[b] }

// Reason says why a game stopped before its end.
type Reason uint8

// Why a game is cancelled.
const (
	CancelledByHost Reason = iota
	Abandoned              // nobody is left
	Agreed                 // all players agreed
	Expired                // the lobby was not touched for LobbyLife
)

var reasons = [...]string{"host", "abandoned", "agreed", "expired"}

func (r Reason) String() string { return reasons[r] }

// Cause says what stopped, started or extended a clock.
type Cause uint8

// Why clocks are paused.
const (
	PausedByAgreement Cause = iota // of all players, for all
	PausedByVacation               // of the seat's player
)

// Why clocks go on.
const (
	ResumedByPlayer   Cause = iota // one of the players, for all
	ResumedByVacation              // its end
	ResumedByLimit                 // the seat's clock has stood for vacations as long as it may
)

// ExtendedByOutage is the one reason why clocks are extended: nobody was serving.
const ExtendedByOutage Cause = 0

var (
	pauseCauses  = [...]string{"agreed", "vacation"}
	resumeCauses = [...]string{"player", "vacation", "limit"}
	extendCauses = [...]string{"outage"}
)

// The events. A hidden card, bid or hand in one of them means that it was redacted; what is stored is whole.
type (
	// GameCreated is a game's first event. ID is the stream's and no part of the event's data; Secrets is stored apart and never shown
	// before it is revealed.
	GameCreated struct {
		ID            string
		RulesVersion  int
		Host          Seat
		Rules         Rules
		Visibility    Visibility
		AutoStart     bool
		Clock         Clock
		Commitments   []shuffle.Commitment // one a round
		BotCommitment shuffle.Commitment
		Secrets       Secrets
	}
	// PlayerJoined seats a person.
	PlayerJoined struct {
		Seat       Seat
		UserID     string
		ClientSeed string
	}
	// ClientSeedSet replaces a person's client seed.
	ClientSeedSet struct {
		Seat       Seat
		ClientSeed string
	}
	// InviteCodeRenewed tells that the host gave a private game another invite code, which no event carries.
	InviteCodeRenewed struct{ Seat Seat } // the host's
	// BotSeated gives a seat in the lobby to a bot.
	BotSeated struct {
		Seat   Seat
		Level  Level
		Engine string // version of the bots that decides
	}
	// PlayerLeft frees a seat in the lobby.
	PlayerLeft struct {
		Seat Seat
		By   LeftBy
		Host Seat // after it; NoSeat if nobody is left
	}
	// GameStarted ends the lobby.
	GameStarted struct{ Dealer Seat }
	// Dealt begins a round.
	Dealt struct {
		Round     int
		CardsEach int
		Dealer    Seat
		Hands     []Hand
		Turned    card.Card // None if the deal used up all cards
	}
	// TrumpSet settles the trump of a round.
	TrumpSet struct {
		Round int
		Suit  card.Suit // NoSuit for no trump
		By    TrumpBy
		Seat  Seat // of the dealer who chose, else NoSeat
		Auto  Auto
	}
	// BidPlaced is a seat's bid; Tricks is NoBid where it is hidden from the viewer.
	BidPlaced struct {
		Round  int
		Seat   Seat
		Tricks int
		Auto   Auto
	}
	// BidsRevealed shows the bids of a hidden or secret round.
	BidsRevealed struct {
		Round int
		Bids  []int
	}
	// CardPlayed is a card played to a trick.
	CardPlayed struct {
		Round, Trick int
		Seat         Seat
		Card         card.Card
		Auto         Auto
	}
	// TrickWon records who took the trick just completed and so leads the next.
	TrickWon struct {
		Round, Trick int
		Seat         Seat
		Card         card.Card
	}
	// RoundScored ends a round and reveals the seed it was dealt from.
	RoundScored struct {
		Round                        int
		Bids, Tricks, Points, Totals []int
		Seed                         shuffle.Seed
	}
	// GameFinished ends a game that was played to its end.
	GameFinished struct {
		Totals, Places []int
		Winners        []Seat
		BotKey         shuffle.Seed
	}
	// PlayerResigned marks a seat as left: it is played on by a bot and placed behind all who stayed.
	PlayerResigned struct{ Seat Seat }
	// GameCancelled ends a game before its end.
	GameCancelled struct {
		Reason  Reason
		InRound bool         // a round was in play, and Seed is its seed
		Seed    shuffle.Seed // of the round in play
		BotKey  shuffle.Seed
	}
	// EngineSet tells the version of the bots that makes the server's choices from here on.
	EngineSet struct{ Engine string }
	// TurnTimedOut tells that a seat's turn ended by the clock; the move that the server makes instead follows.
	TurnTimedOut struct {
		Seat   Seat
		Action Phase // what was to be done: ChooseTrump, PlaceBids or PlayTricks
	}
	// SeatTakenOver gives a seat to a bot after too many timeouts in a row; its player may come back.
	SeatTakenOver struct{ Seat Seat }
	// SeatReclaimed gives a seat back to its player, from their next turn.
	SeatReclaimed struct{ Seat Seat }
	// EndVoted says whether a player wants to end the game; it is cancelled when all who are left do.
	EndVoted struct {
		Seat  Seat
		Agree bool
	}
	// PauseVoted says whether a player wants all clocks to stop; they do when all who are left do.
	PauseVoted struct {
		Seat  Seat
		Agree bool
	}
	// ClockPaused stops all clocks, or from its next turn that of one seat.
	ClockPaused struct {
		Seat  Seat // NoSeat for all
		Cause Cause
	}
	// ClockResumed ends what ClockPaused began.
	ClockResumed struct {
		Seat  Seat
		Cause Cause
	}
	// ClockExtended gives running clocks time back.
	ClockExtended struct {
		Seats []Seat
		MS    int64
		Cause Cause
		Until int64 // end of the outage, Unix milliseconds
	}
)

// Hand is a hand as far as the viewer may know it: Cards, and Hidden more cards.
type Hand struct {
	Cards  card.Set
	Hidden int
}

// Secrets is what a game's randomness is drawn from. Nobody may see a round's seed before the round is scored, or the bot key before the end.
type Secrets struct {
	Seeds  [MaxRounds]shuffle.Seed
	BotKey shuffle.Seed
}

func (GameCreated) name() string       { return "game_created" }
func (PlayerJoined) name() string      { return "player_joined" }
func (ClientSeedSet) name() string     { return "client_seed_set" }
func (InviteCodeRenewed) name() string { return "invite_code_renewed" }
func (PlayerLeft) name() string        { return "player_left" }
func (GameStarted) name() string       { return "game_started" }
func (Dealt) name() string             { return "dealt" }
func (TrumpSet) name() string          { return "trump_set" }
func (BidPlaced) name() string         { return "bid_placed" }
func (BidsRevealed) name() string      { return "bids_revealed" }
func (CardPlayed) name() string        { return "card_played" }
func (TrickWon) name() string          { return "trick_won" }
func (RoundScored) name() string       { return "round_scored" }
func (GameFinished) name() string      { return "game_finished" }
func (PlayerResigned) name() string    { return "player_resigned" }
func (GameCancelled) name() string     { return "game_cancelled" }
func (BotSeated) name() string         { return "bot_seated" }
func (EngineSet) name() string         { return "engine_set" }
func (TurnTimedOut) name() string      { return "turn_timed_out" }
func (SeatTakenOver) name() string     { return "seat_taken_over" }
func (SeatReclaimed) name() string     { return "seat_reclaimed" }
func (EndVoted) name() string          { return "end_voted" }
func (PauseVoted) name() string        { return "pause_voted" }
func (ClockPaused) name() string       { return "clock_paused" }
func (ClockResumed) name() string      { return "clock_resumed" }
func (ClockExtended) name() string     { return "clock_extended" }

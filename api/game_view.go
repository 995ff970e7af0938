package api

// The JSON of a game as one viewer sees it; game_view_of.go makes it.

// gameCommon is what lists and the view show of a game.
type gameCommon struct {
	ID         string      `json:"id" validate:"required" format:"uuid"`
	Version    int         `json:"version" validate:"required" example:"57"` // number of events
	Name       *string     `json:"name" validate:"required" extensions:"x-nullable"`
	Status     string      `json:"status" validate:"required" enums:"lobby,playing,finished,cancelled"`
	Visibility string      `json:"visibility" validate:"required" enums:"public,private"`
	InviteCode *string     `json:"invite_code" validate:"required" extensions:"x-nullable"` // of a private game, to its players
	CreatedAt  string      `json:"created_at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
	UpdatedAt  string      `json:"updated_at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
	Host       *int        `json:"host" validate:"required" extensions:"x-nullable"` // seat
	Rules      rulesView   `json:"rules" validate:"required"`
	Clock      clockView   `json:"clock" validate:"required"`
	Paused     bool        `json:"paused" validate:"required"`                             // all clocks stand by agreement
	Seats      []seatView  `json:"seats" validate:"required"`                              // all of them, in order
	Round      *roundView  `json:"round" validate:"required" extensions:"x-nullable"`      // null outside of a round
	LastTrick  *lastTrick  `json:"last_trick" validate:"required" extensions:"x-nullable"` // the trick completed last, maybe in the round before
	Turn       *turnView   `json:"turn" validate:"required" extensions:"x-nullable"`       // null when nobody may act
	Votes      votesView   `json:"votes" validate:"required"`
	Result     *resultView `json:"result" validate:"required" extensions:"x-nullable"` // null until finished
}

// gameItem is a game in a list: the view without head, hands, trick and rounds.
type gameItem struct {
	gameCommon
	You *youInList `json:"you" validate:"required" extensions:"x-nullable"` // null for who has no seat
} // @name GameItem

// gameView is a game as the caller may see it.
type gameView struct {
	gameCommon
	Head   string       `json:"head" validate:"required"` // hash of the newest event, hex
	Trick  *trickView   `json:"trick" validate:"required" extensions:"x-nullable"`
	You    *youView     `json:"you" validate:"required" extensions:"x-nullable"` // null for a spectator
	Others []handView   `json:"others,omitzero"`                                 // the hands seen in a foresight round, only then
	Rounds []scoredView `json:"rounds" validate:"required"`                      // the scored rounds
} // @name Game

// rulesView is every option of a game, resolved.
type rulesView struct {
	Players            int    `json:"players" validate:"required" minimum:"3" maximum:"6"`
	Bidding            string `json:"bidding" validate:"required" enums:"open,plus_minus_one,hidden,secret"`
	Length             string `json:"length" validate:"required" enums:"full,five,tournament"`
	Foresight          bool   `json:"foresight" validate:"required"`
	ForesightEffective bool   `json:"foresight_effective" validate:"required"` // false where the first round has two cards
	Rounds             int    `json:"rounds" validate:"required" example:"15"`
	AutoPlayForced     bool   `json:"auto_play_forced" validate:"required"` // the server plays the last card of a hand, and a bid that the others' bids leave alone
} // @name Rules

type seatView struct {
	Seat   int      `json:"seat" validate:"required"`
	User   *user    `json:"user" validate:"required" extensions:"x-nullable"` // null for a free seat
	Bot    *seatBot `json:"bot" validate:"required" extensions:"x-nullable"`  // who has the seat, or plays for a player who is away
	Cards  int      `json:"cards" validate:"required"`                        // in the hand
	HasBid bool     `json:"has_bid" validate:"required"`
	Bid    *int     `json:"bid" validate:"required" extensions:"x-nullable"`     // null where there is none, or where you may not know it
	Tricks int      `json:"tricks" validate:"required"`                          // taken in this round
	Total  int      `json:"total" validate:"required"`                           // of the scored rounds
	BankMS *int64   `json:"bank_ms" validate:"required" extensions:"x-nullable"` // milliseconds beside the turn in play; null without a bank

	Vacation bool `json:"vacation" validate:"required"` // the player is away: from their next turn on their clock stands
} // @name Seat

// votesView has the seats of those who agree; what they vote on happens when all who are left do.
type votesView struct {
	End   []int `json:"end" validate:"required"`   // to cancel the game
	Pause []int `json:"pause" validate:"required"` // to stop all clocks
} // @name Votes

type seatBot struct {
	Level string `json:"level" validate:"required" enums:"easy,standard"`
} // @name SeatBot

type roundView struct {
	Number    int     `json:"number" validate:"required"`
	CardsEach int     `json:"cards_each" validate:"required"`
	Dealer    int     `json:"dealer" validate:"required"`
	Turned    *string `json:"turned" validate:"required" extensions:"x-nullable" example:"E5"`   // null where the deal used up all cards
	Trump     *string `json:"trump" validate:"required" extensions:"x-nullable" example:"elves"` // null for no trump, and while the dealer chooses
	Phase     string  `json:"phase" validate:"required" enums:"choose_trump,bidding,playing"`
} // @name Round

type playView struct {
	Seat int    `json:"seat" validate:"required"`
	Card string `json:"card" validate:"required" example:"G4"`
} // @name Play

type trickView struct {
	Number       int        `json:"number" validate:"required"`
	Leader       int        `json:"leader" validate:"required"`
	SuitToFollow *string    `json:"suit_to_follow" validate:"required" extensions:"x-nullable" example:"giants"`
	Plays        []playView `json:"plays" validate:"required"` // in the order played
} // @name Trick

type lastTrick struct {
	Round  int        `json:"round" validate:"required"`
	Number int        `json:"number" validate:"required"`
	Plays  []playView `json:"plays" validate:"required"`
	Winner int        `json:"winner" validate:"required"`
} // @name LastTrick

type turnView struct {
	Seats       []int     `json:"seats" validate:"required"` // who may act
	Action      string    `json:"action" validate:"required" enums:"choose_trump,bid,play"`
	Deadlines   []*string `json:"deadlines" validate:"required" extensions:"x-nullable-items"`    // by seat, null for who is not on turn or whose clock does not run
	RemainingMS []*int64  `json:"remaining_ms" validate:"required" extensions:"x-nullable-items"` // by seat, null for who is not on turn or has no clock; what is left of a clock that stands; not covered by the ETag, null with as_of
} // @name Turn

type canView struct {
	Trump []string `json:"trump" validate:"required"`
	Bid   []int    `json:"bid" validate:"required"`
	Play  []string `json:"play" validate:"required"`
} // @name Can

type youView struct {
	Seat int      `json:"seat" validate:"required"`
	Hand []string `json:"hand" validate:"required" example:"G2,W1,H9"` // ?? for a card that you may not know
	Can  canView  `json:"can" validate:"required"`                     // what you may do now; empty when it is not your turn
} // @name You

type youInList struct {
	Seat int     `json:"seat" validate:"required"`
	Can  canView `json:"can" validate:"required"`
} // @name YouInList

type handView struct {
	Seat int      `json:"seat" validate:"required"`
	Hand []string `json:"hand" validate:"required"`
} // @name Hand

type scoredView struct {
	Number    int     `json:"number" validate:"required"`
	CardsEach int     `json:"cards_each" validate:"required"`
	Dealer    int     `json:"dealer" validate:"required"`
	Trump     *string `json:"trump" validate:"required" extensions:"x-nullable"`
	Bids      []int   `json:"bids" validate:"required"` // by seat, like all that follow
	Tricks    []int   `json:"tricks" validate:"required"`
	Points    []int   `json:"points" validate:"required"`
	Totals    []int   `json:"totals" validate:"required"`
} // @name ScoredRound

type resultView struct {
	Places  []int `json:"places" validate:"required" example:"1,3,1,4"` // by seat; ties share a place
	Winners []int `json:"winners" validate:"required" example:"0,2"`    // seats
} // @name Result

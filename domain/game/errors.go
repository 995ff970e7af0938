package game

// Code says for machines why a command was refused.
type Code string

// The codes of refusals.
const (
	NotYourTurn    Code = "not_your_turn"
	WrongPhase     Code = "wrong_phase"
	MustFollowSuit Code = "must_follow_suit"
	CardNotInHand  Code = "card_not_in_hand"
	BidNotAllowed  Code = "bid_not_allowed"
	AlreadyBid     Code = "already_bid"
	CardIsHidden   Code = "card_is_hidden"
	SeatTaken      Code = "seat_taken"
	GameFull       Code = "game_full"
	NotFull        Code = "not_full"
	AlreadyJoined  Code = "already_joined"
	NotInLobby     Code = "not_in_lobby"
	GameOver       Code = "game_over"
	Forbidden      Code = "forbidden" // it is not this seat's to do
	NotFound       Code = "not_found" // nobody sits there
	Invalid        Code = "invalid"   // out of range in this game
)

// Error is a refusal: a code for machines and a sentence for people. It tells nothing that the acting player may not know.
type Error struct {
	Code   Code
	Detail string
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Detail }

func refuse(code Code, detail string) error { return &Error{code, detail} }

package api

import (
	"net/http"
	"slices"
)

// Code says to a program why a request was refused. Codes are for ever: they are added, never renamed.
type Code string // @name Code

// The codes of all problem documents.
const (
	CodeMalformedJSON        Code = "malformed_json"
	CodeBodyTooLarge         Code = "body_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeInvalid              Code = "invalid"
	CodeBadRequest           Code = "bad_request"

	CodeUnauthenticated Code = "unauthenticated"
	CodeBadCredentials  Code = "bad_credentials"
	CodeRefreshReused   Code = "refresh_reused"
	CodeUsernameTaken   Code = "username_taken"

	CodeForbidden        Code = "forbidden"
	CodeNotFound         Code = "not_found"
	CodeMethodNotAllowed Code = "method_not_allowed"
	CodeNotAcceptable    Code = "not_acceptable"
	CodeStale            Code = "stale"
	CodeRateLimited      Code = "rate_limited"

	CodeIdempotencyInProgress Code = "idempotency_in_progress"
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"

	CodeNotYourTurn    Code = "not_your_turn"
	CodeWrongPhase     Code = "wrong_phase"
	CodeMustFollowSuit Code = "must_follow_suit"
	CodeCardNotInHand  Code = "card_not_in_hand"
	CodeBidNotAllowed  Code = "bid_not_allowed"
	CodeAlreadyBid     Code = "already_bid"
	CodeCardIsHidden   Code = "card_is_hidden"
	CodeSeatTaken      Code = "seat_taken"
	CodeGameFull       Code = "game_full"
	CodeNotFull        Code = "not_full"
	CodeAlreadyJoined  Code = "already_joined"
	CodeNotInLobby     Code = "not_in_lobby"
	CodeGameOver       Code = "game_over"
	CodeNoVacationLeft Code = "no_vacation_left"

	CodeResync Code = "resync"

	CodeUnavailable Code = "unavailable"
	CodeInternal    Code = "internal"
)

// Kind is what all problems of one code have in common.
type Kind struct {
	Code   Code   `json:"code"`
	Status int    `json:"status"`
	Title  string `json:"title"`
}

// Kinds lists every code the API gives.
func Kinds() []Kind { return slices.Clone(kinds) }

// kinds lists every code the API gives, in the order in which the page of problems shows them.
var kinds = []Kind{
	{CodeMalformedJSON, http.StatusBadRequest, "The body is not well-formed JSON"},
	{CodeBodyTooLarge, http.StatusRequestEntityTooLarge, "The body is too large"},
	{CodeUnsupportedMediaType, http.StatusUnsupportedMediaType, "The body must be application/json in UTF-8"},
	{CodeInvalid, http.StatusUnprocessableEntity, "The request is not valid"},
	{CodeBadRequest, http.StatusBadRequest, "The request can't be understood"},
	{CodeUnauthenticated, http.StatusUnauthorized, "Sign in first"},
	{CodeBadCredentials, http.StatusUnauthorized, "Username or password is wrong"},
	{CodeRefreshReused, http.StatusUnauthorized, "The refresh token was used before; its session has been ended"},
	{CodeUsernameTaken, http.StatusConflict, "The username is taken"},
	{CodeForbidden, http.StatusForbidden, "This is not yours to do"},
	{CodeNotFound, http.StatusNotFound, "There is nothing here"},
	{CodeMethodNotAllowed, http.StatusMethodNotAllowed, "The method is not allowed here"},
	{CodeNotAcceptable, http.StatusNotAcceptable, "There is no form of this that the Accept header allows"},
	{CodeStale, http.StatusPreconditionFailed, "The game has moved on"},
	{CodeRateLimited, http.StatusTooManyRequests, "Too many requests"},
	{CodeIdempotencyInProgress, http.StatusConflict, "The same request is being answered"},
	{CodeIdempotencyKeyReused, http.StatusUnprocessableEntity, "The idempotency key was used for another request"},
	{CodeNotYourTurn, http.StatusConflict, "It is not your turn"},
	{CodeWrongPhase, http.StatusConflict, "The game is in another phase, round or trick"},
	{CodeMustFollowSuit, http.StatusConflict, "The suit must be followed"},
	{CodeCardNotInHand, http.StatusConflict, "The card is not in your hand"},
	{CodeBidNotAllowed, http.StatusConflict, "The bid is not allowed"},
	{CodeAlreadyBid, http.StatusConflict, "You have already bid"},
	{CodeCardIsHidden, http.StatusConflict, "The card is hidden from you: play it as ??"},
	{CodeSeatTaken, http.StatusConflict, "The seat is taken"},
	{CodeGameFull, http.StatusConflict, "The game is full"},
	{CodeNotFull, http.StatusConflict, "The game is not full yet"},
	{CodeAlreadyJoined, http.StatusConflict, "You have already joined"},
	{CodeNotInLobby, http.StatusConflict, "The game is not in its lobby"},
	{CodeGameOver, http.StatusConflict, "The game is over"},
	{CodeNoVacationLeft, http.StatusConflict, "So many days of vacation are not left this year"},
	{CodeResync, http.StatusGone, "What has changed since then can't be told any more"},
	{CodeUnavailable, http.StatusServiceUnavailable, "The service can't answer now; try again"},
	{CodeInternal, http.StatusInternalServerError, "Something went wrong here"},
}

// kindOf returns what is common to the problems of a code; an unknown code is an internal error.
func kindOf(code Code) Kind {
	for _, k := range kinds {
		if k.Code == code {
			return k
		}
	}
	return Kind{CodeInternal, http.StatusInternalServerError, "Something went wrong here"}
}

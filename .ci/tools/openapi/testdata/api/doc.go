// Package api is a small annotated API.
//
//	@title						Fixture
//	@version					1
//	@BasePath					/
//	@securityDefinitions.apikey	bearer
//	@in							header
//	@name						Authorization
//	@description				An access token.
package api

import "mago/tools/openapi/testdata/domain/table"

// Problem is an error.
type Problem struct {
	Code string `json:"code" validate:"required"`
} // @name Problem

// Trump is a choice.
type Trump struct {
	Suit  table.Suit `json:"suit" validate:"required"`
	Bid   *int       `json:"bid" validate:"required" extensions:"x-nullable"`
	By    *string    `json:"by" enums:"dealer,jester" validate:"required" extensions:"x-nullable"`
	Seed  string     `json:"seed" validate:"required" extensions:"x-pattern=^[a-z]*$"`
	Times []*string  `json:"times" validate:"required" extensions:"x-nullable-items"`
	Other *Problem   `json:"other" validate:"required" extensions:"x-nullable"`
	Fast  *bool      `json:"fast" default:"true"` // no thinking
	Seat  *Seat      `json:"seat" validate:"required" extensions:"x-nullable"`
} // @name Trump

// Event is what happened.
type Event struct {
	Type string `json:"type" validate:"required"`
	Data any    `json:"data" validate:"required"`
} // @name Event

// Seat is a place.
type Seat struct {
	Number int `json:"number" validate:"required" example:"3"`
} // @name Seat

// Choose names the trump.
//
//	@ID			chooseTrump
//	@Summary	Name the trump
//	@Security	bearer
//	@Accept		json
//	@Produce	json
//	@Param		id		path		string	true	"the game"
//	@Param		body	body		Trump	true	"the suit"
//	@Success	200		{array}		Event
//	@Success	204
//	@Failure	404,409	{object}	Problem
//	@Failure	503		{object}	Problem
//	@Header		409		{string}	ETag	"the version"
//	@Description	For the dealer. 409: game_over, not_your_turn (in the order of the seats).
//	@Param		Idempotency-Key	header	string	false	"to repeat it without fear"
//	@Router		/v1/games/{id}/trump [post]
func Choose() {}

// Page is a part of a stream.
type Page struct {
	Items []Event `json:"items" validate:"required"`
} // @name Page

// Events shows a stream.
//
//	@ID			events
//	@Summary	Show the events
//	@Produce	json
//	@Produce	application/x-ndjson
//	@Produce	text/event-stream
//	@Success	200	{object}	Page
//	@Failure	401	{object}	Problem	"bad_credentials, for either mistake"
//	@Failure	404	{object}	Problem
//	@Router		/v1/events [get]
func Events() {}

// Rules shows the rules.
//
//	@ID			rules
//	@Summary	Show the rules
//	@Produce	json
//	@Success	200	{object}	Trump
//	@Router		/v1/rules [get]
func Rules() {}

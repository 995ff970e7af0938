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
} // @name Trump

// Event is what happened.
type Event struct {
	Type string `json:"type" validate:"required"`
} // @name Event

// Dealt is an event.
type Dealt struct {
	Type string `json:"type" enums:"dealt" validate:"required"`
} // @name Dealt

// BidPlaced is an event.
type BidPlaced struct {
	Type string `json:"type" enums:"bid_placed" validate:"required"`
} // @name BidPlaced

type all struct {
	Dealt     Dealt     `json:"dealt"`
	BidPlaced BidPlaced `json:"bid_placed"`
} // @name All

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
//	@Success	201		{object}	all
//	@Success	204
//	@Failure	404,409	{object}	Problem
//	@Header		409		{string}	ETag	"the version"
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
//	@Success	200	{object}	Page
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

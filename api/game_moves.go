package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/card"
	"mago/domain/game"
)

type trumpRequest struct {
	Suit  string `json:"suit" validate:"required" enums:"dwarves,elves,giants,humans"`
	Round *int   `json:"round" minimum:"1" maximum:"20"` // the round it is meant for
	suit  card.Suit
} // @name TrumpRequest

func (r *trumpRequest) check(v *validator) {
	var err error
	if r.suit, err = card.ParseSuit(r.Suit); err != nil {
		v.invalid("/suit", "must be one of dwarves, elves, giants, humans")
	}
	checkMeant(v, r.Round, nil)
}

// nameTrump is the dealer's choice of the trump.
//
// @ID nameTrump
// @Summary Name the trump
// @Description For the dealer, where a wizard was turned. 409: game_over, wrong_phase, not_your_turn.
// @Tags moves
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body trumpRequest true "one of the four suits"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/trump [post]
func (s *Server) nameTrump(c echo.Context) error {
	var req trumpRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command {
		return game.NameTrump{Seat: seat, Suit: req.suit, Meant: meant(req.Round, nil)}
	})
}

type bidRequest struct {
	Tricks int  `json:"tricks" validate:"required" minimum:"0" maximum:"20"`
	Round  *int `json:"round" minimum:"1" maximum:"20"` // the round it is meant for
} // @name BidRequest

func (r *bidRequest) check(v *validator) {
	v.between("/tricks", r.Tricks, 0, game.MaxCards)
	checkMeant(v, r.Round, nil)
}

// placeBid bids a number of tricks.
//
// @ID placeBid
// @Summary Bid
// @Description A bid can't be changed. 409: game_over, wrong_phase, already_bid, not_your_turn, bid_not_allowed. In a hidden or secret round the other seats' bids don't make If-Match stale.
// @Tags moves
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body bidRequest true "how many tricks you will take"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/bids [post]
func (s *Server) placeBid(c echo.Context) error {
	var req bidRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command {
		return game.PlaceBid{Seat: seat, Tricks: req.Tricks, Meant: meant(req.Round, nil)}
	})
}

type playRequest struct {
	Card  string `json:"card" validate:"required" example:"E5"` // ?? in a foresight round
	Round *int   `json:"round" minimum:"1" maximum:"20"`        // the round it is meant for
	Trick *int   `json:"trick" minimum:"1" maximum:"20"`        // the trick it is meant for
	card  card.Card
} // @name PlayRequest

func (r *playRequest) check(v *validator) {
	var err error
	if r.card, err = card.Parse(r.Card); err != nil {
		v.invalid("/card", "must be a card: D1 to D13, E1 to E13, G1 to G13, H1 to H13, W1 to W4, J1 to J4, or ??")
	}
	checkMeant(v, r.Round, r.Trick)
}

// playCard plays a card to the trick.
//
// @ID playCard
// @Summary Play a card
// @Description 409: game_over, wrong_phase, not_your_turn, card_is_hidden (a foresight round: play ??), card_not_in_hand, must_follow_suit.
// @Tags moves
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body playRequest true "a card of your hand"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/plays [post]
func (s *Server) playCard(c echo.Context) error {
	var req playRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command {
		return game.PlayCard{Seat: seat, Card: req.card, Meant: meant(req.Round, req.Trick)}
	})
}

func checkMeant(v *validator, round, trick *int) {
	if round != nil {
		v.between("/round", *round, 1, game.MaxRounds)
	}
	if trick != nil {
		v.between("/trick", *trick, 1, game.MaxCards)
	}
}

func meant(round, trick *int) (m game.Meant) {
	if round != nil {
		m.Round = *round
	}
	if trick != nil {
		m.Trick = *trick
	}
	return m
}

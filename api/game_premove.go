package api

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/domain/card"
	"mago/domain/game"
	"mago/projections"
)

// premoveView is what the caller has left with the server.
type premoveView struct {
	Round  int      `json:"round" validate:"required"` // it is played in this round or never
	Trick  *int     `json:"trick" validate:"required" extensions:"x-nullable"`
	Tricks *int     `json:"tricks" validate:"required" extensions:"x-nullable"` // of a bid, else null
	Suit   *string  `json:"suit" validate:"required" extensions:"x-nullable" enums:"dwarves,elves,giants,humans"`
	Cards  []string `json:"cards" validate:"required" example:"E5,E2"` // in order of preference; empty for a bid or a trump
} // @name Premove

// premoveState is what waits for the caller's turn.
type premoveState struct {
	Version int          `json:"version" validate:"required" example:"57"`            // of the game
	Premove *premoveView `json:"premove" validate:"required" extensions:"x-nullable"` // null: nothing waits; it may have been played
} // @name PremoveState

func premoveStateOf(g *projections.Game, p game.Premove, waits bool) premoveState {
	out := premoveState{Version: g.Version}
	if !waits {
		return out
	}
	out.Premove = &premoveView{Round: p.Round}
	switch v := out.Premove; {
	case p.Cards != nil:
		v.Trick, v.Cards = &p.Trick, codesOf(p.Cards)
	case p.Bid != game.NoBid:
		v.Tricks = &p.Bid
	default:
		v.Suit = suitOf(p.Suit)
	}
	return out
}

type premoveRequest struct {
	Tricks *int     `json:"tricks" minimum:"0" maximum:"20"`                  // a bid
	Suit   *string  `json:"suit" enums:"dwarves,elves,giants,humans"`         // or the trump
	Cards  []string `json:"cards" minItems:"1" maxItems:"20" example:"E5,E2"` // or a card: the first of these that is legal; ?? in a foresight round
	Round  *int     `json:"round" minimum:"1" maximum:"20"`                   // the round it is meant for; the one in play without it
	Trick  *int     `json:"trick" minimum:"1" maximum:"20"`                   // the trick a card is meant for; the next that you play to without it
	move   game.Premove
} // @name PremoveRequest

func (r *premoveRequest) check(v *validator) {
	r.move = game.Premove{Bid: game.NoBid}
	kinds := 0
	if r.Tricks != nil {
		kinds++
		v.between("/tricks", *r.Tricks, 0, game.MaxCards)
		r.move.Bid = *r.Tricks
	}
	if r.Suit != nil {
		kinds++
		var err error
		if r.move.Suit, err = card.ParseSuit(*r.Suit); err != nil {
			v.invalid("/suit", "must be one of dwarves, elves, giants, humans")
		}
	}
	if r.Cards != nil {
		kinds++
		r.checkCards(v)
	}
	if kinds != 1 {
		v.invalid("", "must have one of tricks, suit and cards")
	}
	if r.Trick != nil && r.Cards == nil {
		v.invalid("/trick", "is for cards alone")
	}
	checkMeant(v, r.Round, r.Trick)
	m := meant(r.Round, r.Trick)
	r.move.Round, r.move.Trick = m.Round, m.Trick
}

func (r *premoveRequest) checkCards(v *validator) {
	if n := len(r.Cards); n < 1 || n > game.MaxCards {
		v.invalid("/cards", "must be 1 to %d cards", game.MaxCards)
		return
	}
	known := map[card.Card]bool{}
	for _, code := range r.Cards {
		c, err := card.Parse(code)
		if err != nil || known[c] {
			v.invalid("/cards", "must be cards, each once: D1 to D13, E1 to E13, G1 to G13, H1 to H13, W1 to W4, J1 to J4, or ??")
			return
		}
		known[c] = true
		r.move.Cards = append(r.move.Cards, c)
	}
}

// setPremove leaves a move with the server.
//
// @ID setPremove
// @Summary Leave a move for your next turn
// @Description A bid, the trump, or cards in order of preference, of which the first that is legal is played. The server plays it as soon as it is your turn, at once if it is, and marks it in the stream with auto premove. It is for one round, and a card for one trick of it; if none of it is legal then, it is dropped, and so it is when that turn passes in another way. Nobody but you sees it, and it changes no version. 409: card_is_hidden (a foresight round: leave ??), game_over, wrong_phase, already_bid, not_your_turn (the trump), card_not_in_hand, must_follow_suit, bid_not_allowed.
// @Tags moves
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param request body premoveRequest true "what to play"
// @Success 200 {object} premoveState
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/premove [put]
func (s *Server) setPremove(c echo.Context) error {
	var req premoveRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	version, bound, err := ifMatch(c)
	if err != nil {
		return err
	}
	g, seat, err := s.ownGame(c)
	if err != nil {
		return err
	}
	if bound && version != g.Version {
		return stale(g.Version)
	}
	req.move.Seat = seat
	p, err := g.State.Prepare(req.move)
	if err != nil {
		return refusal(err, g.Version)
	}
	ctx, id := c.Request().Context(), uuid.MustParse(g.State.ID)
	if err := s.Premoves.Set(ctx, id, p); err != nil {
		return err
	}
	// Also where it was not the caller's turn: it may have come meanwhile, and who looks for premoves may not have seen this one.
	played, err := s.Premoves.Play(ctx, id, seat)
	if err != nil { // it is stored, and who looks for premoves tries again
		s.log.ErrorContext(ctx, "a premove was not played at once", "game", id, "request_id", c.Get(keyRequestID), "error", err)
		return c.JSON(http.StatusOK, premoveStateOf(&g, p, true))
	}
	_, waits := played.State.Premoved(p)
	return c.JSON(http.StatusOK, premoveStateOf(&played, p, waits))
}

// getPremove shows what waits.
//
// @ID getPremove
// @Summary The move you have left for your next turn
// @Tags moves
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Success 200 {object} premoveState
// @Failure 401,403,404,503 {object} Problem
// @Router /v1/games/{id}/premove [get]
func (s *Server) getPremove(c echo.Context) error {
	g, seat, err := s.ownGame(c)
	if err != nil {
		return err
	}
	p, waits, err := s.Premoves.Of(c.Request().Context(), &g, seat)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, premoveStateOf(&g, p, waits))
}

// dropPremove takes it back.
//
// @ID dropPremove
// @Summary Take back the move you have left
// @Description Without one nothing happens. Once answered it is not played any more.
// @Tags moves
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Success 204
// @Failure 400,401,403,404,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/premove [delete]
func (s *Server) dropPremove(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	g, seat, err := s.ownGame(c)
	if err != nil {
		return err
	}
	if err := s.Premoves.Drop(c.Request().Context(), uuid.MustParse(g.State.ID), seat); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// ownGame loads the game in the path and the caller's seat in it.
func (s *Server) ownGame(c echo.Context) (projections.Game, game.Seat, error) {
	g, err := s.visibleGame(c)
	if err != nil {
		return g, game.NoSeat, err
	}
	seat, err := seated(c, &g)
	return g, seat, err
}

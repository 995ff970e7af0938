package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/projections"
)

// resign gives up the caller's seat for good.
//
// @ID resign
// @Summary Resign
// @Description A bot plays on for you, your place is behind all who stay, and from now on you see what a spectator sees. With nobody left the game is cancelled. 409: game_over, wrong_phase (in the lobby).
// @Tags leaving
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/resign [post]
func (s *Server) resign(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	return s.commandWith(c, http.StatusOK, func(_ context.Context, g *projections.Game) (game.Command, projections.Decision, error) {
		seat, err := holder(c, g)
		var p *Problem
		if errors.As(err, &p) && seat != game.NoSeat {
			err = p.afterItself()
		}
		return game.Resign{Seat: seat}, projections.Decision{}, err
	})
}

// reclaimSeat takes a seat back from the bot that took it over.
//
// @ID reclaimSeat
// @Summary Take your seat back
// @Description After too many timeouts a bot took your seat over: with this it is yours again from your next turn. For a seat that is yours it does nothing. 409: game_over, wrong_phase (in the lobby).
// @Tags leaving
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param seat path int true "your seat" minimum(0) maximum(5)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/seats/{seat}/reclaim [post]
func (s *Server) reclaimSeat(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	if _, _, err := ifMatch(c); err != nil {
		return err // a fault of the request comes before a path that names nothing
	}
	named, err := pathSeat(c)
	if err != nil {
		return err
	}
	return s.commandWith(c, http.StatusOK, func(_ context.Context, g *projections.Game) (game.Command, projections.Decision, error) {
		own, err := holder(c, g)
		switch {
		case err != nil:
		case int(named) >= g.State.Rules.Players:
			err = notFound()
		case own != named:
			err = problem(CodeForbidden, "That seat is not yours.")
		}
		return game.Reclaim{Seat: own}, projections.Decision{}, err
	})
}

type voteRequest struct {
	Agree bool `json:"agree" validate:"required"` // false takes one's vote back
} // @name VoteRequest

// voteEnd says whether the caller wants to end the game.
//
// @ID voteEnd
// @Summary Vote to end the game
// @Description When all people who are still in the game agree, it is cancelled: nobody wins. 409: game_over, wrong_phase (in the lobby).
// @Tags leaving
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param request body voteRequest true "agree, or take it back"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/end-vote [post]
func (s *Server) voteEnd(c echo.Context) error {
	var req voteRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command { return game.VoteEnd{Seat: seat, Agree: req.Agree} })
}

// votePause says whether the caller wants all clocks to stop.
//
// @ID votePause
// @Summary Vote to pause the clocks
// @Description When all people who are still in the game agree, every clock stops until one of them resumes. Moves can be made meanwhile. 409: game_over, wrong_phase (in the lobby, without a clock, or paused already).
// @Tags leaving
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param request body voteRequest true "agree, or take it back"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/pause-vote [post]
func (s *Server) votePause(c echo.Context) error {
	var req voteRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command { return game.VotePause{Seat: seat, Agree: req.Agree} })
}

// resume lets the clocks of a paused game run again.
//
// @ID resumeGame
// @Summary Resume the clocks
// @Description Any player may end a pause. A game that is not paused stays as it is. 409: game_over, wrong_phase (in the lobby).
// @Tags leaving
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/resume [post]
func (s *Server) resume(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command { return game.Resume{Seat: seat} })
}

// pathSeat returns the seat in the path; what no table has is not found.
func pathSeat(c echo.Context) (game.Seat, error) {
	n, err := strconv.Atoi(c.Param("seat"))
	if err != nil || strconv.Itoa(n) != c.Param("seat") || n < 0 || n >= game.MaxPlayers {
		return game.NoSeat, notFound()
	}
	return game.Seat(n), nil
}

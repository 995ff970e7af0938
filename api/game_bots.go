package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/bot"
	"mago/domain/game"
)

type botRequest struct {
	Seat  *int    `json:"seat" minimum:"0" maximum:"5"`                   // the lowest free one where none is named
	Level *string `json:"level" enums:"easy,standard" default:"standard"` // how well it plays
	level game.Level
} // @name BotRequest

func (r *botRequest) check(v *validator) {
	if r.Seat != nil {
		v.between("/seat", *r.Seat, 0, game.MaxPlayers-1)
	}
	r.level = game.StandardBot
	if r.Level != nil {
		r.level = choice(v, "/level", r.Level, offered)
	}
}

// offered are the levels that a host may ask for; a stronger one is still an experiment of the arena.
func offered(name string) (game.Level, bool) {
	l, ok := game.ParseLevel(name)
	return l, ok && l <= game.StandardBot
}

// seatBot gives a seat in the lobby to a bot.
//
// @ID seatBot
// @Summary Seat a bot
// @Description For the host. A bot sees what a player on its seat sees and nothing else, and moves by itself. 409: not_in_lobby, game_over, game_full, seat_taken.
// @Tags lobby
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param request body botRequest false "where, and how good"
// @Success 201 {object} gameView
// @Success 204
// @Header 201,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/bots [post]
func (s *Server) seatBot(c echo.Context) error {
	var req botRequest
	if err := bindOptional(c, &req); err != nil {
		return err
	}
	seat := game.NoSeat
	if req.Seat != nil {
		seat = game.Seat(*req.Seat) //nolint:gosec // checked to be below 6
	}
	return s.command(c, http.StatusCreated, func(own game.Seat) game.Command {
		return game.SeatBot{By: own, Seat: seat, Level: req.level, Engine: bot.Engine}
	})
}

package api

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/projections"
)

type invitedRequest struct {
	InviteCode string  `json:"invite_code" validate:"required"`
	Seat       *int    `json:"seat" minimum:"0" maximum:"5"`                                       // the lowest free one where none is named
	ClientSeed *string `json:"client_seed" maxLength:"64" extensions:"x-pattern=^[A-Za-z0-9_-]*$"` // your part in the shuffles
} // @name InvitedRequest

func (r *invitedRequest) check(v *validator) {
	(&joinRequest{Seat: r.Seat, ClientSeed: r.ClientSeed}).check(v)
}

// joinByCode takes a seat in the lobby that an invite code opens.
//
// @ID joinByCode
// @Summary Take a seat by invite code alone
// @Description For links: a private game's code is enough to join it. A wrong code is 404. 409, with the game's id: not_in_lobby, game_over, already_joined, game_full, seat_taken.
// @Tags lobby
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body invitedRequest true "the code, where to sit, and with which client seed"
// @Success 201 {object} gameView
// @Success 204
// @Header 201,204 {string} Location "the game's address"
// @Header 201,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/join [post]
func (s *Server) joinByCode(c echo.Context) error {
	var req invitedRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	if _, _, err := ifMatch(c); err != nil {
		return err // a fault of the request comes before a code that opens nothing
	}
	if _, err := keyOf(c); err != nil {
		return err
	}
	id, err := s.invited(c, req.InviteCode)
	switch {
	case err != nil:
		return err
	case id == "":
		return notFound()
	}
	// From here on it is as if the game had been named. The code is looked at again when the command is decided: it may be renewed meanwhile.
	c.SetParamNames("id")
	c.SetParamValues(id)
	c.Response().Header().Set(echo.HeaderLocation, "/v1/games/"+id)
	err = s.join(c, joining(c, req.Seat, req.ClientSeed), &req.InviteCode)
	if err != nil {
		c.Response().Header().Del(echo.HeaderLocation)
	}
	var refused *Problem
	if errors.As(err, &refused) && refused.Version != nil {
		refused.GameID = id
	}
	return err
}

// invited returns the id of the game that a code opens. A request that was answered before finds its game though the code has been renewed since.
func (s *Server) invited(c echo.Context, code string) (string, error) {
	id, err := s.Lists.Invited(c.Request().Context(), code)
	if err != nil || id != "" {
		return id, err
	}
	key, err := keyOf(c)
	if key == nil || err != nil {
		return "", err
	}
	answered, err := s.Keys.Find(c.Request().Context(), key)
	if answered == nil || err != nil {
		return "", err
	}
	return answered.Subject, nil
}

// renewInviteCode gives a private game another invite code.
//
// @ID renewInviteCode
// @Summary Renew the invite code
// @Description For the host of a private game, in the lobby. The code before is useless at once. 409: not_in_lobby, game_over.
// @Tags lobby
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Success 200 {object} gameView
// @Success 204
// @Header 200,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/invite-code [post]
func (s *Server) renewInviteCode(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	return s.commandWith(c, http.StatusOK, func(_ context.Context, g *projections.Game) (game.Command, projections.Decision, error) {
		seat, err := seated(c, g)
		return game.RenewInviteCode{By: seat}, projections.Decision{
			With: []projections.Statement{projections.RenewInviteCode(g.State.ID, newInviteCode())},
		}, err
	})
}

// newInviteCode returns 128 random bits as text.
func newInviteCode() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

package api

import (
	"context"
	"crypto/subtle"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/projections"
)

type joinRequest struct {
	Seat       *int    `json:"seat" minimum:"0" maximum:"5"`                                       // the lowest free one where none is named
	InviteCode *string `json:"invite_code"`                                                        // of a private game
	ClientSeed *string `json:"client_seed" maxLength:"64" extensions:"x-pattern=^[A-Za-z0-9_-]*$"` // your part in the shuffles
} // @name JoinRequest

func (r *joinRequest) check(v *validator) {
	if r.Seat != nil {
		v.between("/seat", *r.Seat, 0, game.MaxPlayers-1)
	}
	if r.ClientSeed != nil {
		checkClientSeed(v, *r.ClientSeed)
	}
}

// joinGame takes a seat in a lobby.
//
// @ID joinGame
// @Summary Take a seat
// @Description A private game needs its invite code: with a wrong one it is 404. Where somebody sits who has blocked you it is 403. 409: not_in_lobby, game_over, already_joined, game_full, seat_taken.
// @Tags lobby
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body joinRequest false "where, and with which client seed"
// @Success 201 {object} gameView
// @Success 204
// @Header 201,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/players [post]
func (s *Server) joinGame(c echo.Context) error {
	var req joinRequest
	if err := bindOptional(c, &req); err != nil {
		return err
	}
	return s.join(c, joining(c, req.Seat, req.ClientSeed), req.InviteCode)
}

// joining is the command by which the caller takes a seat, or the lowest free one where none is named.
func joining(c echo.Context, seat *int, clientSeed *string) game.JoinGame {
	cmd := game.JoinGame{User: caller(c).UserID, Seat: game.NoSeat}
	if seat != nil {
		cmd.Seat = game.Seat(*seat) //nolint:gosec // checked to be below 6
	}
	if clientSeed != nil {
		cmd.ClientSeed = *clientSeed
	}
	return cmd
}

// join seats the caller in the game in the path, which they may see or have the code of.
func (s *Server) join(c echo.Context, cmd game.JoinGame, code *string) error {
	return s.joinAs(c, cmd, func(ctx context.Context, g *projections.Game) error { return s.mayJoin(ctx, g, cmd.User, code) })
}

// joinAs seats the caller in the game in the path, if may lets them in and the statements don't fail that are run first with the event.
func (s *Server) joinAs(c echo.Context, cmd game.JoinGame, may func(ctx context.Context, g *projections.Game) error, first ...projections.Statement) error {
	return s.commandWith(c, http.StatusCreated, func(ctx context.Context, g *projections.Game) (game.Command, projections.Decision, error) {
		if err := may(ctx, g); err != nil {
			return nil, projections.Decision{}, err
		}
		if err := seatAtTable(cmd.Seat, g.State.Rules.Players); err != nil {
			return nil, projections.Decision{}, err
		}
		return cmd, projections.Decision{First: first}, s.welcome(ctx, g, cmd.User)
	})
}

// welcome refuses who may not sit down in a lobby, whatever its seats: who is blocked there, and who sits in too many. What else there is to refuse, the game says.
func (s *Server) welcome(ctx context.Context, g *projections.Game, user string) error {
	if g.State.Status != game.Lobby || g.State.SeatOf(user) != game.NoSeat {
		return nil
	}
	blocked, err := s.Company.Blocked(ctx, g.State.ID, user)
	switch {
	case err != nil:
		return err
	case blocked:
		return problem(CodeForbidden, "You can't join this game.")
	}
	return s.roomForAnother(ctx, user)
}

// seatAtTable refuses a seat that a table of so many players lacks: a fault of the request, which comes before the game's own refusals.
func seatAtTable(seat game.Seat, players int) error {
	var v validator
	if seat != game.NoSeat {
		v.between("/seat", int(seat), 0, players-1)
	}
	return v.err()
}

// mayJoin lets everyone into public games, and into private ones who sits there or has the code. The code is read each time the
// command is decided: one that is renewed is renewed together with an event, so that an old one never gets in.
func (s *Server) mayJoin(ctx context.Context, g *projections.Game, userID string, code *string) error {
	if maySee(&g.State, g.State.SeatOf(userID)) {
		return nil
	}
	if g.State.Status == game.NoGame || code == nil {
		return notFound()
	}
	settings, err := s.Lists.SettingsOf(ctx, g.State.ID)
	if err != nil {
		return err
	}
	if settings.InviteCode == nil || subtle.ConstantTimeCompare([]byte(*settings.InviteCode), []byte(*code)) == 0 {
		return notFound()
	}
	return nil
}

type clientSeedRequest struct {
	ClientSeed string `json:"client_seed" validate:"required" maxLength:"64" extensions:"x-pattern=^[A-Za-z0-9_-]*$"`
} // @name ClientSeedRequest

func (r *clientSeedRequest) check(v *validator) { checkClientSeed(v, r.ClientSeed) }

// setClientSeed replaces the caller's client seed.
//
// @ID setClientSeed
// @Summary Replace your client seed
// @Description In the lobby. The seed standing at the start counts: it makes the shuffles yours too. 409: not_in_lobby, game_over.
// @Tags lobby
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param request body clientSeedRequest true "letters, digits, _ and -; empty for none"
// @Success 200 {object} gameView
// @Success 204
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/client-seed [put]
func (s *Server) setClientSeed(c echo.Context) error {
	var req clientSeedRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command {
		return game.SetClientSeed{Seat: seat, ClientSeed: req.ClientSeed}
	})
}

func checkClientSeed(v *validator, seed string) {
	if !game.ValidClientSeed(seed) {
		v.invalid("/client_seed", "must have at most 64 characters of A-Z a-z 0-9 _ -")
	}
}

// leaveGame takes a player out of a lobby.
//
// @ID leaveGame
// @Summary Leave the lobby, or remove a player from it
// @Description One's own seat, or any seat for the host. Removing somebody renews a private game's invite code. If the host leaves, the lowest seated person is host; with nobody left the game is cancelled. 409: not_in_lobby, game_over.
// @Tags lobby
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param seat path int true "the seat to free" minimum(0) maximum(5)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Success 200 {object} gameView
// @Success 204
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/players/{seat} [delete]
func (s *Server) leaveGame(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	if _, _, err := ifMatch(c); err != nil {
		return err // a fault of the request comes before a path that names nothing
	}
	seat, err := pathSeat(c)
	if err != nil {
		return err
	}
	return s.commandWith(c, http.StatusOK, func(_ context.Context, g *projections.Game) (game.Command, projections.Decision, error) {
		own, err := seated(c, g)
		if err != nil {
			return nil, projections.Decision{}, err
		}
		d := projections.Decision{}
		if own != seat && g.State.Visibility == game.Private {
			d.With = append(d.With, projections.RenewInviteCode(g.State.ID, newInviteCode()))
		}
		return game.LeaveLobby{Seat: seat, By: own}, d, nil
	})
}

// startGame starts a full lobby.
//
// @ID startGame
// @Summary Start the game
// @Description For the host, only needed with auto_start false. 409: not_in_lobby, game_over, not_full.
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
// @Router /v1/games/{id}/start [post]
func (s *Server) startGame(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command { return game.StartGame{By: seat} })
}

// cancelGame cancels a game that has not started.
//
// @ID cancelGame
// @Summary Cancel the game
// @Description For the host, in the lobby. 409: not_in_lobby, game_over.
// @Tags lobby
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Success 200 {object} gameView
// @Success 204
// @Failure 400,401,403,404,409,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id} [delete]
func (s *Server) cancelGame(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	return s.command(c, http.StatusOK, func(seat game.Seat) game.Command { return game.CancelGame{By: seat} })
}

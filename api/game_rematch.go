package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/api/idempotency"
	"mago/domain/bot"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// rematch opens the game that follows, or joins it.
//
// @ID rematch
// @Summary Play again with the same people
// @Description For the players of a game that was finished, or cancelled in play. The first call opens a lobby with the same options, everybody's seat moved one to the left: the caller is host, the bots sit there, the others are invited. Whoever calls after that joins the same lobby. If nobody else is to come, it does not start by itself, so that you can still set your client seed. One that is cancelled before it starts gives way to another. Whom its host has removed is 403: they come back by an invitation, or as anybody else would. 409: wrong_phase (the game is not over, or never began); and of the one that follows not_in_lobby, game_over, game_full.
// @Tags company
// @Produce json
// @Security BearerAuth
// @Param id path string true "the id of the game that is over" format(uuid)
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Success 201 {object} gameView
// @Success 204
// @Header 201,204 {string} Location "the address of the game that follows"
// @Header 201,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/rematch [post]
func (s *Server) rematch(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	var g projections.Game
	return s.onlyOnce(c, effect{
		do: func(keep keeper) (a idempotency.Answer, kept bool, err error) {
			g, kept, err = s.nextGame(c, keep)
			return gameAnswer(http.StatusCreated, mustID(g.State.ID), g.Version), kept, err
		},
		answer: func(a idempotency.Answer, replayed bool) error {
			c.Response().Header().Set(echo.HeaderLocation, "/v1/games/"+a.Subject)
			return s.answerCommand(c, a, &g, replayed)
		},
	})
}

// nextGame seats the caller in the game that follows the one in the path, and opens it if there is none.
func (s *Server) nextGame(c echo.Context, keep keeper) (g projections.Game, kept bool, err error) {
	g, err = s.visibleGame(c)
	if err != nil {
		return g, false, err
	}
	seat := g.State.SeatOf(caller(c).UserID)
	switch st := &g.State; {
	case seat == game.NoSeat:
		return g, false, problem(CodeForbidden, "You have no seat in this game.")
	case !st.Status.Over(), st.Scored == 0 && st.Round.Phase == game.NoRound:
		return g, false, always(CodeWrongPhase).at(g.Version)
	}
	ctx, old := c.Request().Context(), g.State
	for {
		last, err := s.Company.RematchOf(ctx, old.ID)
		if err != nil {
			return g, false, err
		}
		if last.Number > 0 {
			next, err := s.Games.Load(ctx, last.Next)
			if err != nil || !neverBegan(&next.State) {
				if err == nil {
					next, kept, err = s.joinNext(ctx, &old, seat, last.Next, keep)
				}
				return next, kept, err
			}
		}
		next, failure := s.openNext(ctx, &old, seat, last.Number+1, keep)
		if failure == nil {
			return next, true, nil
		}
		now, err := s.Company.RematchOf(ctx, old.ID)
		if err != nil || now.Number == last.Number { // else somebody else opened it at this moment
			return next, false, failure
		}
	}
}

// neverBegan tells whether a game was cancelled in its lobby.
func neverBegan(s *game.State) bool {
	return s.Status == game.Cancelled && s.Scored == 0 && s.Round.Phase == game.NoRound
}

// openNext opens the game that follows, with the player of a seat as its host.
func (s *Server) openNext(ctx context.Context, old *game.State, host game.Seat, number int, keep keeper) (projections.Game, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return projections.Game{}, err
	}
	settings, err := s.Lists.SettingsOf(ctx, old.ID)
	if err != nil {
		return projections.Game{}, err
	}
	settings.InviteCode = nil
	if old.Visibility == game.Private {
		code := newInviteCode()
		settings.InviteCode = &code
	}
	user := old.Seats[host].User
	commands, others, err := s.sameTable(ctx, old, host)
	if err != nil {
		return projections.Game{}, err
	}
	commands[0] = game.CreateGame{
		ID: id.String(), Host: user, Seat: projections.Rotated(host, old.Rules.Players), Rules: old.Rules, Visibility: old.Visibility,
		AutoStart: old.AutoStart && len(others) > 0, Clock: old.Clock, Secrets: newSecrets(),
	}
	return s.Games.Do(ctx, id, func(g projections.Game) (projections.Decision, error) {
		if err := s.roomForAnother(ctx, user); err != nil {
			return projections.Decision{}, err
		}
		events, err := game.DecideAll(g.State, commands...)
		with := []eventstore.Statement{
			projections.InsertSettings(id.String(), settings), projections.InsertRematch(old.ID, projections.Rematch{Number: number, Next: id}),
		}
		for _, other := range others {
			with = append(with, s.Company.Invite(id.String(), user, other))
		}
		return projections.Decision{
			Events: events, With: append(with, keep(gameAnswer(http.StatusCreated, id, g.Version+len(events)))...),
		}, refusal(err, g.Version)
	})
}

// sameTable returns the commands that seat the bots of a game in the next, behind room for the one that opens it, and the ids of the other people.
func (s *Server) sameTable(ctx context.Context, old *game.State, host game.Seat) (commands []game.Command, others []string, err error) {
	commands = make([]game.Command, 1, game.MaxPlayers)
	by := projections.Rotated(host, old.Rules.Players)
	for seat := range game.Seat(old.Rules.Players) { //nolint:gosec // at most 6
		switch p := old.Seats[seat]; {
		case p.Bot != game.NoBot:
			commands = append(commands, game.SeatBot{By: by, Seat: projections.Rotated(seat, old.Rules.Players), Level: p.Bot, Engine: bot.Engine})
		case seat != host:
			others = append(others, p.User)
		}
	}
	others, err = s.Auth.Living(ctx, others)
	return commands, others, err
}

// joinNext seats a player in the game that follows, on their seat moved by one, or on any other if that is taken. Who sits there already stays, and whom the host has removed stays out.
func (s *Server) joinNext(ctx context.Context, old *game.State, seat game.Seat, id uuid.UUID, keep keeper) (projections.Game, bool, error) {
	user, kept := old.Seats[seat].User, false
	g, err := s.Games.Do(ctx, id, func(g projections.Game) (projections.Decision, error) {
		kept = false
		if g.State.SeatOf(user) != game.NoSeat {
			return projections.Decision{}, nil
		}
		if err := s.notRemoved(ctx, &g, id, user); err != nil {
			return projections.Decision{}, err
		}
		if err := s.welcome(ctx, &g, user); err != nil {
			return projections.Decision{}, err
		}
		cmd := game.JoinGame{User: user, Seat: projections.Rotated(seat, old.Rules.Players)}
		if !g.State.Seats[cmd.Seat].Free() {
			cmd.Seat = game.NoSeat
		}
		events, err := game.Decide(g.State, cmd)
		if err != nil {
			return projections.Decision{}, refusal(err, g.Version)
		}
		kept = true
		return projections.Decision{Events: events, With: keep(gameAnswer(http.StatusCreated, id, g.Version+len(events)))}, nil
	})
	return g, kept, err
}

// notRemoved refuses whom the host has removed from the lobby: having played the game before brings nobody back.
func (s *Server) notRemoved(ctx context.Context, g *projections.Game, id uuid.UUID, user string) error {
	if g.State.Status != game.Lobby {
		return nil
	}
	removed, err := projections.Removed(ctx, s.Games, id, g.Version, user)
	if err == nil && removed {
		err = problem(CodeForbidden, "The host has removed you from this lobby.")
	}
	return err
}

// mustID is the id of a game that was loaded.
func mustID(id string) uuid.UUID {
	if id == "" { // of one that was not
		return uuid.Nil
	}
	return uuid.MustParse(id)
}

package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
	"mago/api/idempotency"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// sentInvitation is an invitation as the players of the lobby see it.
type sentInvitation struct {
	ID        string `json:"id" validate:"required" format:"uuid"`
	User      user   `json:"user" validate:"required"` // who is invited
	By        user   `json:"by" validate:"required"`
	CreatedAt string `json:"created_at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
} // @name SentInvitation

// sentInvitations is a list.
type sentInvitations struct {
	Items      []sentInvitation `json:"items" validate:"required"`
	NextCursor *string          `json:"next_cursor" validate:"required" extensions:"x-nullable"` // null: there are never many
} // @name SentInvitations

// invitation is one that the caller has got.
type invitation struct {
	ID        string   `json:"id" validate:"required" format:"uuid"`
	By        user     `json:"by" validate:"required"`
	Game      gameItem `json:"game" validate:"required"` // also a private one
	CreatedAt string   `json:"created_at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
} // @name Invitation

// invitationList is a page of invitations.
type invitationList struct {
	Items      []invitation `json:"items" validate:"required"`
	NextCursor *string      `json:"next_cursor" validate:"required" extensions:"x-nullable"` // null on the last page
} // @name InvitationList

type inviteRequest struct {
	Username string `json:"username" validate:"required" example:"breo"`
} // @name InviteRequest

// invite asks somebody into a lobby.
//
// @ID invite
// @Summary Invite somebody by username
// @Description For the players of a lobby. Whoever is invited takes a seat without a code. An invitation ends when it is accepted or declined, when you leave the lobby, and when the lobby ends; inviting again finds the one that is open. A username that nobody has is 422, as anybody can find out by registering; whether somebody has blocked you is not told. 409: game_over, not_in_lobby, game_full, already_joined.
// @Tags company
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body inviteRequest true "whom"
// @Success 201 {object} sentInvitation
// @Header 201 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,413,415,422,429,503 {object} Problem
// @Router /v1/games/{id}/invitations [post]
func (s *Server) invite(c echo.Context) error {
	var req inviteRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	ctx := c.Request().Context()
	var sent projections.Invitation
	return s.onlyOnce(c, effect{
		do: func(keep keeper) (a idempotency.Answer, kept bool, err error) {
			for {
				g, _, err := s.ownGame(c)
				if err != nil {
					return a, false, err
				}
				a = gameAnswer(http.StatusCreated, mustID(g.State.ID), g.Version)
				who, err := s.invitee(c, &g, req.Username)
				if err != nil {
					return a, false, err
				}
				sent, err = s.Company.AddInvitation(ctx, &g, caller(c).UserID, who.ID, s.limiter != nil, func(i projections.Invitation) []eventstore.Statement {
					a = idempotency.Answer{Status: http.StatusCreated, Subject: i.ID}
					return keep(a)
				})
				switch {
				case errors.Is(err, projections.ErrMoved):
					continue
				case errors.Is(err, projections.ErrTooManyInvitations):
					err = tooMany(60, "Too many invitations are open: into this game, by you, or to them.")
				}
				return a, true, err
			}
		},
		answer: func(a idempotency.Answer, replayed bool) error {
			if replayed {
				var known bool
				var err error
				if sent, known, err = s.Company.Invitation(ctx, a.Subject); err != nil {
					return err
				}
				if !known {
					return notFound()
				}
			}
			out, err := s.sentOf(c, sent)
			if err != nil {
				return err
			}
			return c.JSON(http.StatusCreated, out[0])
		},
	})
}

// invitee finds the user to be invited, or says why they can't be.
func (s *Server) invitee(c echo.Context, g *projections.Game, username string) (auth.Profile, error) {
	who, err := s.Auth.Named(c.Request().Context(), username)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		var v validator
		v.invalid("/username", "is nobody's")
		return who, v.err()
	case err != nil:
		return who, err
	case g.State.Status.Over():
		return who, always(CodeGameOver).at(g.Version)
	case g.State.Status != game.Lobby:
		return who, always(CodeNotInLobby).at(g.Version)
	case g.State.SeatOf(who.ID) != game.NoSeat:
		return who, always(CodeAlreadyJoined).at(g.Version)
	case g.State.Full():
		return who, always(CodeGameFull).at(g.Version)
	}
	return who, nil
}

// sentOf returns invitations as the players of their lobby see them.
func (s *Server) sentOf(c echo.Context, sent ...projections.Invitation) ([]sentInvitation, error) {
	var ids []string
	for _, i := range sent {
		ids = append(ids, i.Inviter, i.Invitee)
	}
	profiles, err := s.Auth.Profiles(c.Request().Context(), ids)
	if err != nil {
		return nil, err
	}
	out := make([]sentInvitation, len(sent))
	for n, i := range sent {
		out[n] = sentInvitation{ID: i.ID, User: userOf(profiles[i.Invitee]), By: userOf(profiles[i.Inviter]), CreatedAt: formatTime(i.CreatedAt)}
	}
	return out, nil
}

// listSentInvitations shows who is invited.
//
// @ID listSentInvitations
// @Summary Who is invited into a lobby
// @Description For its players: the open invitations, the newest first.
// @Tags company
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Success 200 {object} sentInvitations
// @Failure 401,403,404,503 {object} Problem
// @Router /v1/games/{id}/invitations [get]
func (s *Server) listSentInvitations(c echo.Context) error {
	g, _, err := s.ownGame(c)
	if err != nil {
		return err
	}
	sent, err := s.Company.InvitationsInto(c.Request().Context(), g.State.ID)
	if err != nil {
		return err
	}
	items, err := s.sentOf(c, sent...)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, sentInvitations{Items: items})
}

// takeBackInvitation ends an invitation.
//
// @ID takeBackInvitation
// @Summary Take an invitation back
// @Description For who sent it, and for the host.
// @Tags company
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param invitation path string true "the invitation's id" format(uuid)
// @Success 204
// @Failure 400,401,403,404,413,415,422,503 {object} Problem
// @Router /v1/games/{id}/invitations/{invitation} [delete]
func (s *Server) takeBackInvitation(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	id, err := pathID(c, "invitation")
	if err != nil {
		return err
	}
	g, seat, err := s.ownGame(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	i, known, err := s.Company.Invitation(ctx, id)
	switch {
	case err != nil:
		return err
	case !known || i.Game != g.State.ID:
		return notFound()
	case i.Inviter != caller(c).UserID && seat != g.State.Host:
		return problem(CodeForbidden, "Only who sent it and the host may take it back.")
	}
	if _, err := s.Company.EndInvitation(ctx, id, nil); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// listInvitations shows the caller's invitations.
//
// @ID listInvitations
// @Summary Your invitations
// @Description The newest first; none by users whom you have blocked.
// @Tags company
// @Produce json
// @Security BearerAuth
// @Param limit query int false "size of the page" minimum(1) maximum(100) default(20)
// @Param cursor query string false "next_cursor of the page before"
// @Success 200 {object} invitationList
// @Failure 401,422,503 {object} Problem
// @Router /v1/me/invitations [get]
func (s *Server) listInvitations(c echo.Context) error {
	q := queryOf(c)
	page := projections.Page{Limit: q.limit()}
	page.After, _ = q.text("cursor")
	if err := q.err(); err != nil {
		return err
	}
	ctx := c.Request().Context()
	invited, next, err := s.Company.InvitationsTo(ctx, caller(c).UserID, page)
	if err != nil {
		return err
	}
	games, inviters := make([]projections.Listed, len(invited)), make([]string, len(invited))
	for i := range invited {
		games[i], inviters[i] = invited[i].Listed, invited[i].Inviter
	}
	items, err := s.itemsFor(ctx, games, caller(c).UserID)
	if err != nil {
		return err
	}
	profiles, err := s.Auth.Profiles(ctx, inviters)
	if err != nil {
		return err
	}
	out := invitationList{Items: make([]invitation, len(invited)), NextCursor: nonEmpty(next)}
	for i := range invited {
		out.Items[i] = invitation{
			ID: invited[i].ID, By: userOf(profiles[inviters[i]]), Game: items[i], CreatedAt: formatTime(invited[i].CreatedAt),
		}
	}
	return c.JSON(http.StatusOK, out)
}

type acceptRequest struct {
	Seat       *int    `json:"seat" minimum:"0" maximum:"5"`                                       // the lowest free one where none is named
	ClientSeed *string `json:"client_seed" maxLength:"64" extensions:"x-pattern=^[A-Za-z0-9_-]*$"` // your part in the shuffles
} // @name AcceptRequest

func (r *acceptRequest) check(v *validator) {
	(&joinRequest{Seat: r.Seat, ClientSeed: r.ClientSeed}).check(v)
}

// acceptInvitation takes a seat.
//
// @ID acceptInvitation
// @Summary Accept an invitation
// @Description You take a seat, in a private game without its code. An invitation that is not open any more is 404, and where somebody sits who has blocked you it is 403. 409: not_in_lobby, game_over, already_joined, game_full, seat_taken.
// @Tags company
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the invitation's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body acceptRequest false "where, and with which client seed"
// @Success 201 {object} gameView
// @Success 204
// @Header 201,204 {string} Location "the game's address"
// @Header 201,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,403,404,409,412,413,415,422,429,503 {object} Problem
// @Router /v1/me/invitations/{id}/accept [post]
func (s *Server) acceptInvitation(c echo.Context) error {
	var req acceptRequest
	if err := bindOptional(c, &req); err != nil {
		return err
	}
	if _, _, err := ifMatch(c); err != nil {
		return err // a fault of the request comes before what there is
	}
	if _, err := keyOf(c); err != nil {
		return err
	}
	i, err := s.ownInvitation(c)
	if err != nil {
		return err
	}
	c.SetParamNames("id")
	c.SetParamValues(i.Game)
	c.Response().Header().Set(echo.HeaderLocation, "/v1/games/"+i.Game)
	err = s.joinAs(c, joining(c, req.Seat, req.ClientSeed), s.byInvitation(i), projections.AcceptInvitation(i.ID))
	if err == nil {
		return nil
	}
	c.Response().Header().Del(echo.HeaderLocation)
	if problemOf(err).Status == http.StatusInternalServerError {
		if _, open, lost := s.Company.OpenInvitation(c.Request().Context(), i.ID, i.Invitee); lost == nil && !open { // ended while it was being accepted
			return notFound().because(err)
		}
	}
	return err
}

// declineInvitation ends an invitation.
//
// @ID declineInvitation
// @Summary Decline an invitation
// @Description Nothing happens to one that is not open any more.
// @Tags company
// @Security BearerAuth
// @Param id path string true "the invitation's id" format(uuid)
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Success 204
// @Header 204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,404,409,413,415,422,429,503 {object} Problem
// @Router /v1/me/invitations/{id}/decline [post]
func (s *Server) declineInvitation(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	return s.onlyOnce(c, effect{
		do: func(keep keeper) (a idempotency.Answer, kept bool, err error) {
			i, err := s.ownInvitation(c)
			if err != nil {
				return a, false, err
			}
			a = idempotency.Answer{Status: http.StatusNoContent, Subject: i.ID}
			kept, err = s.Company.EndInvitation(c.Request().Context(), i.ID, keep(a))
			return a, kept, err
		},
		answer: func(idempotency.Answer, bool) error { return c.NoContent(http.StatusNoContent) },
	})
}

// ownInvitation returns the caller's invitation in the path. It is known for longer than it is open, so that a request that comes again finds it.
func (s *Server) ownInvitation(c echo.Context) (projections.Invitation, error) {
	id, err := pathID(c, "id")
	if err != nil {
		return projections.Invitation{}, err
	}
	i, known, err := s.Company.Invitation(c.Request().Context(), id)
	switch {
	case err != nil:
		return i, err
	case !known || i.Invitee != caller(c).UserID:
		return i, notFound()
	}
	return i, nil
}

// byInvitation lets into a game who has an open invitation. It is looked at each time the command is decided: with who sent it leaves an event that makes an old decision
// conflict.
func (s *Server) byInvitation(i projections.Invitation) func(ctx context.Context, g *projections.Game) error {
	return func(ctx context.Context, g *projections.Game) error {
		if g.State.SeatOf(i.Invitee) != game.NoSeat { // the game says that they have joined
			return nil
		}
		_, open, err := s.Company.OpenInvitation(ctx, i.ID, i.Invitee)
		switch {
		case err != nil:
			return err
		case !open:
			return notFound()
		}
		return nil
	}
}

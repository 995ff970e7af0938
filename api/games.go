package api

import (
	"crypto/rand"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/api/idempotency"
	"mago/domain/game"
	"mago/projections"
)

type createGameRequest struct {
	Name       *string       `json:"name" maxLength:"60" example:"Friday night"`
	Rules      rulesRequest  `json:"rules" validate:"required"`
	Visibility *string       `json:"visibility" enums:"public,private" default:"public"`
	AutoStart  *bool         `json:"auto_start" default:"true"` // start as soon as the last seat is taken
	Clock      *clockRequest `json:"clock"`                     // none without it
	rules      game.Rules
	visibility game.Visibility
	clock      game.Clock
} // @name CreateGameRequest

type rulesRequest struct {
	Players        int     `json:"players" validate:"required" minimum:"3" maximum:"6"`
	Bidding        *string `json:"bidding" enums:"open,plus_minus_one,hidden,secret" default:"open"`
	Length         *string `json:"length" enums:"full,five,tournament" default:"full"`
	Foresight      *bool   `json:"foresight" default:"false"`
	AutoPlayForced *bool   `json:"auto_play_forced" default:"false"` // the server plays the last card of a hand, and a bid that the others' bids leave alone
} // @name RulesRequest

func (r *createGameRequest) check(v *validator) {
	if r.Name != nil {
		v.label("/name", *r.Name, 1, maxGameName)
	}
	v.between("/rules/players", r.Rules.Players, game.MinPlayers, game.MaxPlayers)
	r.rules.Players = r.Rules.Players
	r.rules.Bidding = choice(v, "/rules/bidding", r.Rules.Bidding, game.ParseBidding)
	r.rules.Length = choice(v, "/rules/length", r.Rules.Length, game.ParseLength)
	r.rules.Foresight = r.Rules.Foresight != nil && *r.Rules.Foresight
	r.rules.AutoPlayForced = r.Rules.AutoPlayForced != nil && *r.Rules.AutoPlayForced
	r.visibility = choice(v, "/visibility", r.Visibility, game.ParseVisibility)
	if r.Clock != nil {
		r.Clock.check(v)
		r.clock = r.Clock.clock
	}
}

// maxGameName is how many characters a game's label may have.
const maxGameName = 60

// choice parses one of several names; an absent one is the first of them.
func choice[T any](v *validator, pointer string, name *string, parse func(string) (T, bool)) (out T) {
	if name == nil {
		return out
	}
	out, ok := parse(*name)
	if !ok {
		v.invalid(pointer, "is not one of the values that there are")
	}
	return out
}

// createGame opens a lobby.
//
// @ID createGame
// @Summary Open a game
// @Description You take seat 0 and are the host. Every option but rules.players has a default.
// @Tags lobby
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param Idempotency-Key header string false "1 to 255 visible ASCII characters: sent again with the same key, the request is done once and answered alike for 24 hours" minLength(1) maxLength(255)
// @Param request body createGameRequest true "the options"
// @Success 201 {object} gameView
// @Success 204
// @Header 201,204 {string} Location "the game's address"
// @Header 201,204 {string} Idempotency-Replayed "true for an answer given before"
// @Failure 400,401,409,413,415,422,429,503 {object} Problem
// @Router /v1/games [post]
func (s *Server) createGame(c echo.Context) error {
	var req createGameRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	var g projections.Game
	return s.onlyOnce(c, effect{
		do: func(keep keeper) (a idempotency.Answer, kept bool, err error) {
			g, err = s.create(c, &req, func(id uuid.UUID, version int) []projections.Statement {
				return keep(gameAnswer(http.StatusCreated, id, version))
			})
			return idempotency.Answer{Status: http.StatusCreated, Subject: g.State.ID, Version: g.Version}, true, err
		},
		answer: func(a idempotency.Answer, replayed bool) error {
			c.Response().Header().Set(echo.HeaderLocation, "/v1/games/"+a.Subject)
			return s.answerCommand(c, a, &g, replayed)
		},
	})
}

// create opens the lobby that was asked for. with returns what is to be stored with a game that has come to a version.
func (s *Server) create(c echo.Context, req *createGameRequest, with func(id uuid.UUID, version int) []projections.Statement) (projections.Game, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return projections.Game{}, err
	}
	cmd := game.CreateGame{
		ID: id.String(), Host: caller(c).UserID, Rules: req.rules, Visibility: req.visibility,
		AutoStart: req.AutoStart == nil || *req.AutoStart, Clock: req.clock, Secrets: newSecrets(),
	}
	settings := projections.Settings{Name: req.Name}
	if req.visibility == game.Private {
		code := newInviteCode()
		settings.InviteCode = &code
	}
	return s.Games.Do(c.Request().Context(), id, func(g projections.Game) (projections.Decision, error) {
		if err := s.roomForAnother(c.Request().Context(), cmd.Host); err != nil {
			return projections.Decision{}, err
		}
		events, err := game.Decide(g.State, cmd)
		return projections.Decision{
			Events: events, With: append([]projections.Statement{projections.InsertSettings(cmd.ID, settings)}, with(id, g.Version+len(events))...),
		}, refusal(err, g.Version)
	})
}

// newSecrets draws a game's seeds and its bot key.
func newSecrets() (out game.Secrets) {
	for i := range out.Seeds {
		_, _ = rand.Read(out.Seeds[i][:]) // never fails
	}
	_, _ = rand.Read(out.BotKey[:])
	return out
}

// getGame shows a game.
//
// @ID getGame
// @Summary A game as you may see it
// @Description Public games are seen by everyone, private ones by their players. With as_of it is shown as it stood at that version, with what you could see then.
// @Tags games
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param as_of query int false "a version, from 1 to the newest" minimum(1)
// @Param If-None-Match header string false "the ETag of what you have"
// @Success 200 {object} gameView
// @Header 200 {string} ETag "the game's version"
// @Success 304
// @Failure 401,404,422,503 {object} Problem
// @Router /v1/games/{id} [get]
func (s *Server) getGame(c echo.Context) error {
	q := queryOf(c)
	asOf := q.optionalInt("as_of", 1, 1<<30)
	if err := q.err(); err != nil {
		return err
	}
	g, err := s.visibleGame(c)
	if err != nil {
		return err
	}
	version, at := g.Version, s.Now().UnixMilli()
	if asOf != nil {
		if version, at = *asOf, 0; version > g.Version {
			var v validator
			v.invalid("/as_of", "must be at most the game's version, %d", g.Version)
			return v.err()
		}
	}
	now, unchanged := g, noneMatch(c, version)
	if !unchanged { // the past is folded from the beginning
		if g, err = s.gameAt(c.Request().Context(), &now, version); err != nil {
			return err
		}
	}
	h := c.Response().Header()
	h.Set("ETag", etag(version))
	h.Add(echo.HeaderVary, echo.HeaderAuthorization)
	h.Set(echo.HeaderCacheControl, "private, no-cache")
	if unchanged {
		return c.NoContent(http.StatusNotModified)
	}
	viewer := viewerThen(&now, &g, caller(c).UserID)
	view, err := s.viewAt(c.Request().Context(), &g, viewer, at)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, view)
}

// visibleGame loads the game in the path, not_found if the caller may not know of it.
func (s *Server) visibleGame(c echo.Context) (projections.Game, error) {
	id, err := gameID(c)
	if err != nil {
		return projections.Game{}, err
	}
	g, err := s.Games.Load(c.Request().Context(), id)
	if err != nil {
		return g, err
	}
	if !maySee(&g.State, g.State.SeatOf(caller(c).UserID)) {
		return g, notFound()
	}
	return g, nil
}

type updateGameRequest struct {
	Name *string `json:"name" maxLength:"60" example:"Friday night"` // empty for none
} // @name UpdateGameRequest

func (r *updateGameRequest) check(v *validator) {
	if r.Name != nil {
		v.label("/name", *r.Name, 0, maxGameName)
	}
}

// updateGame changes a game's label.
//
// @ID updateGame
// @Summary Name a game
// @Description For the host. The label is not part of the game's events and changes no version.
// @Tags games
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param If-Match header string false "the version the game must stand at, as its ETag"
// @Param Prefer header string false "return=minimal for 204 and the ETag alone"
// @Param request body updateGameRequest true "what to change"
// @Success 200 {object} gameView
// @Success 204
// @Failure 400,401,403,404,412,413,415,422,503 {object} Problem
// @Router /v1/games/{id} [patch]
func (s *Server) updateGame(c echo.Context) error {
	var req updateGameRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	version, bound, err := ifMatch(c)
	if err != nil {
		return err
	}
	g, err := s.visibleGame(c)
	if err != nil {
		return err
	}
	seat, err := seated(c, &g)
	switch {
	case err != nil:
		return err
	case seat != g.State.Host:
		return problem(CodeForbidden, "Only the host may name the game.")
	case bound && version != g.Version:
		return stale(g.Version)
	}
	if req.Name != nil {
		if err := s.Lists.Rename(c.Request().Context(), g.State.ID, nonEmpty(*req.Name)); err != nil {
			return err
		}
	}
	return s.answerGame(c, http.StatusOK, &g)
}

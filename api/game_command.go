package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/api/idempotency"
	"mago/domain/game"
	"mago/projections"
)

// command runs a command of a seated player on the game in the path and answers with the new view. make is given the caller's seat, and may
// be called more than once. The request itself must have been looked at before: what follows here is 404, 403, 412, then the game's refusals.
func (s *Server) command(c echo.Context, status int, makeCommand func(seat game.Seat) game.Command) error {
	return s.commandWith(c, status, func(_ context.Context, g *projections.Game) (game.Command, projections.Decision, error) {
		seat, err := seated(c, g)
		return makeCommand(seat), projections.Decision{}, err
	})
}

// seated returns the caller's seat in a game, or says why they can't act in it.
func seated(c echo.Context, g *projections.Game) (game.Seat, error) {
	seat, err := holder(c, g)
	if err == nil && g.State.Left[seat] != 0 {
		return seat, problem(CodeForbidden, "A bot plays for you: reclaim your seat first.")
	}
	return seat, err
}

// holder returns the caller's seat in a game, even if a bot plays for them, or says why they have none.
func holder(c echo.Context, g *projections.Game) (game.Seat, error) {
	seat := g.State.SeatOf(caller(c).UserID)
	switch {
	case !maySee(&g.State, seat):
		return seat, notFound()
	case seat == game.NoSeat:
		return seat, problem(CodeForbidden, "You have no seat in this game.")
	case g.State.Away[seat] == game.Resigned:
		return seat, problem(CodeForbidden, "You have left this game.")
	}
	return seat, nil
}

// admit says who may run which command on a game, and what else is to be stored with its events.
type admit func(ctx context.Context, g *projections.Game) (game.Command, projections.Decision, error)

// commandWith is command for callers that admit lets in.
func (s *Server) commandWith(c echo.Context, status int, admit admit) error {
	version, bound, err := ifMatch(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	var g projections.Game
	return s.onlyOnce(c, effect{
		do: func(keep keeper) (a idempotency.Answer, kept bool, err error) {
			id, err := gameID(c)
			if err != nil {
				return a, false, err
			}
			g, err = s.Games.Do(ctx, id, func(g projections.Game) (projections.Decision, error) {
				kept = false
				cmd, decision, err := admit(ctx, &g)
				if err != nil {
					return decision, err
				}
				outages, err := s.Outages(ctx) // here, behind the wait for the game: that may have been one
				if err != nil {
					return decision, err
				}
				events, err := game.Decide(g.State, game.AfterOutages{Outages: outages, Command: cmd})
				if bound && g.State.Stale(version, cmd) && !notYours(err) {
					return decision, stale(g.Version)
				}
				if len(events) > 0 {
					kept = true
					decision.With = append(decision.With, keep(gameAnswer(status, id, g.Version+len(events)))...)
				}
				decision.Events = events
				return decision, refusal(err, g.Version)
			})
			return gameAnswer(status, id, g.Version), kept, err
		},
		answer:  func(a idempotency.Answer, replayed bool) error { return s.answerCommand(c, a, &g, replayed) },
		refusal: func(a idempotency.Answer) error { return s.refuseAgain(ctx, a, admit) },
	})
}

// maySee tells whether a game may be known to a caller with that seat, or none.
func maySee(s *game.State, seat game.Seat) bool {
	return s.Status != game.NoGame && (s.Visibility == game.Public || seat != game.NoSeat)
}

// notYours tells refusals of who asks from refusals of what is asked.
func notYours(err error) bool {
	var refused *game.Error
	return errors.As(err, &refused) && (refused.Code == game.Forbidden || refused.Code == game.NotFound)
}

func stale(version int) *Problem {
	return problem(CodeStale, "The game stands at version %d.", version).at(version)
}

// refusal makes a problem of a game's refusal, with the version it was decided on.
func refusal(err error, version int) error {
	var refused *game.Error
	if !errors.As(err, &refused) {
		return err
	}
	p := problem(Code(refused.Code), "%s", refused.Detail)
	if p.Status == http.StatusConflict {
		p = p.at(version)
	}
	return p
}

// gameID returns the id of the game in the path.
func gameID(c echo.Context) (uuid.UUID, error) {
	id, err := pathID(c, "id")
	if err != nil {
		return uuid.Nil, err
	}
	return uuid.Parse(id)
}

// answerGame answers with the game as the caller may see it, or with its version alone if that is preferred.
func (s *Server) answerGame(c echo.Context, status int, g *projections.Game) error {
	return s.answerGameAt(c, status, g, g.State.ViewerOf(caller(c).UserID), s.Now().UnixMilli())
}

// answerGameAt is answerGame for a viewer at a time, 0 for the past.
func (s *Server) answerGameAt(c echo.Context, status int, g *projections.Game, viewer game.Seat, now int64) error {
	c.Response().Header().Set("ETag", etag(g.Version))
	if prefersMinimal(c) {
		c.Response().Header().Set("Preference-Applied", "return=minimal")
		return c.NoContent(http.StatusNoContent)
	}
	view, err := s.viewAt(c.Request().Context(), g, viewer, now)
	if err != nil {
		return err
	}
	return c.JSON(status, view)
}

// viewFor returns the view of a seat or a spectator as it is now.
func (s *Server) viewFor(ctx context.Context, g *projections.Game, viewer game.Seat) (gameView, error) {
	return s.viewAt(ctx, g, viewer, s.Now().UnixMilli())
}

// viewAt is viewFor for another time, 0 for the past.
func (s *Server) viewAt(ctx context.Context, g *projections.Game, viewer game.Seat, now int64) (gameView, error) {
	v := g.State.View(viewer)
	settings, err := s.Lists.SettingsOf(ctx, v.ID)
	if err != nil {
		return gameView{}, err
	}
	profiles, err := s.Auth.Profiles(ctx, usersIn(&v))
	if err != nil {
		return gameView{}, err
	}
	return gameViewOf(&v, shown{settings: settings, profiles: profiles, head: g.Head, now: now}), nil
}

// usersIn returns the ids of the users seated in games.
func usersIn(views ...*game.View) (ids []string) {
	known := map[string]bool{}
	for _, v := range views {
		for _, s := range v.Seats {
			if s.User != "" && !known[s.User] {
				known[s.User] = true
				ids = append(ids, s.User)
			}
		}
	}
	return ids
}

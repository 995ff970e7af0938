package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/projections"
)

// gameList is a page of games.
type gameList struct {
	Items      []gameItem `json:"items" validate:"required"`
	NextCursor *string    `json:"next_cursor" validate:"required" extensions:"x-nullable"` // null on the last page
} // @name GameList

// listGames lists public games or the caller's own.
//
// @ID listGames
// @Summary Games
// @Description Public games, newest created first; with mine=true those in which you have a seat, newest activity first. my_turn=true shows only those that wait for you.
// @Tags games
// @Produce json
// @Security BearerAuth
// @Param status query string false "one status only" Enums(lobby, playing, finished, cancelled)
// @Param mine query bool false "the games in which you have a seat"
// @Param my_turn query bool false "your games in which it is your turn"
// @Param limit query int false "size of the page" minimum(1) maximum(100) default(20)
// @Param cursor query string false "next_cursor of the page before"
// @Success 200 {object} gameList
// @Failure 401,422,503 {object} Problem
// @Router /v1/games [get]
func (s *Server) listGames(c echo.Context) error {
	q := queryOf(c)
	status, _ := game.ParseStatus(q.choice("status", "lobby", "playing", "finished", "cancelled"))
	mine, myTurn := q.bool("mine"), q.bool("my_turn")
	page := projections.Page{Limit: q.limit()}
	page.After, _ = q.text("cursor")
	if err := q.err(); err != nil {
		return err
	}
	ctx, user := c.Request().Context(), caller(c).UserID
	var games []projections.Listed
	var next string
	var err error
	if mine || myTurn {
		games, next, err = s.Lists.Mine(ctx, user, status, myTurn, page)
	} else {
		games, next, err = s.Lists.Public(ctx, user, status, page)
	}
	if err != nil {
		return err
	}
	items, err := s.itemsFor(ctx, games, user)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, gameList{Items: items, NextCursor: nonEmpty(next)})
}

// itemsFor returns listed games as one user may see them.
func (s *Server) itemsFor(ctx context.Context, games []projections.Listed, userID string) ([]gameItem, error) {
	views := make([]*game.View, len(games))
	for i := range games {
		v := games[i].State.View(games[i].State.ViewerOf(userID))
		views[i] = &v
	}
	profiles, err := s.Auth.Profiles(ctx, usersIn(views...))
	if err != nil {
		return nil, err
	}
	items := make([]gameItem, len(games))
	for i := range games {
		items[i] = gameItemOf(views[i], shown{settings: games[i].Settings, profiles: profiles, now: s.Now().UnixMilli()})
	}
	return items, nil
}

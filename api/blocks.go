package api

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/projections"
)

// blockedUser is somebody whom the caller has blocked.
type blockedUser struct {
	User      user   `json:"user" validate:"required"`
	CreatedAt string `json:"created_at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
} // @name BlockedUser

// blockList is a page of them.
type blockList struct {
	Items      []blockedUser `json:"items" validate:"required"`
	NextCursor *string       `json:"next_cursor" validate:"required" extensions:"x-nullable"` // null on the last page
} // @name BlockList

// listBlocks shows whom the caller has blocked.
//
// @ID listBlocks
// @Summary Whom you have blocked
// @Tags company
// @Produce json
// @Security BearerAuth
// @Param limit query int false "size of the page" minimum(1) maximum(100) default(20)
// @Param cursor query string false "next_cursor of the page before"
// @Success 200 {object} blockList
// @Failure 401,422,503 {object} Problem
// @Router /v1/me/blocks [get]
func (s *Server) listBlocks(c echo.Context) error {
	q := queryOf(c)
	page := projections.Page{Limit: q.limit()}
	page.After, _ = q.text("cursor")
	if err := q.err(); err != nil {
		return err
	}
	ctx := c.Request().Context()
	blocks, next, err := s.Company.Blocks(ctx, caller(c).UserID, page)
	if err != nil {
		return err
	}
	ids := make([]string, len(blocks))
	for i, b := range blocks {
		ids[i] = b.User
	}
	profiles, err := s.Auth.Profiles(ctx, ids)
	if err != nil {
		return err
	}
	out := blockList{Items: make([]blockedUser, len(blocks)), NextCursor: nonEmpty(next)}
	for i, b := range blocks {
		out.Items[i] = blockedUser{User: userOf(profiles[b.User]), CreatedAt: formatTime(b.At)}
	}
	return c.JSON(http.StatusOK, out)
}

// blockUser blocks somebody.
//
// @ID blockUser
// @Summary Block somebody
// @Description Their invitations don't reach you, they can't join a lobby in which you sit, and don't see it in lists. They are not told. Games in which you sit together already are not touched: as host you can remove them from a lobby.
// @Tags company
// @Security BearerAuth
// @Param user_id path string true "the user's id" format(uuid)
// @Success 204
// @Failure 400,401,403,404,413,415,422,429,503 {object} Problem
// @Router /v1/me/blocks/{user_id} [put]
func (s *Server) blockUser(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	id, err := pathID(c, "user_id")
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if _, err := s.Auth.Account(ctx, id); err != nil { // erased users are nobody to block
		return err
	}
	if id == caller(c).UserID {
		return problem(CodeForbidden, "You can't block yourself.")
	}
	err = s.Company.Block(ctx, caller(c).UserID, id)
	switch {
	case errors.Is(err, projections.ErrTooManyBlocks):
		return tooMany(60, "You have blocked %d users, and more are not allowed.", projections.MaxBlocks)
	case err != nil:
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// unblockUser takes a block back.
//
// @ID unblockUser
// @Summary Unblock somebody
// @Description Where there is no block nothing happens.
// @Tags company
// @Security BearerAuth
// @Param user_id path string true "the user's id" format(uuid)
// @Success 204
// @Failure 400,401,404,413,415,422,503 {object} Problem
// @Router /v1/me/blocks/{user_id} [delete]
func (s *Server) unblockUser(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	id, err := pathID(c, "user_id")
	if err != nil {
		return err
	}
	if err := s.Company.Unblock(c.Request().Context(), caller(c).UserID, id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

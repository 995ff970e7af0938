package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
)

// account is what users may know of themselves.
type account struct {
	user
	CreatedAt string `json:"created_at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
} // @name Account

func accountOf(a auth.Account) account {
	return account{user: userOf(a.Profile), CreatedAt: formatTime(a.CreatedAt)}
}

// formatTime is how every time leaves the API: UTC, exactly three decimals. at is in Unix milliseconds.
func formatTime(at int64) string {
	return time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.000Z")
}

// getMe shows the caller's account.
//
// @ID getMe
// @Summary Your account
// @Tags accounts
// @Produce json
// @Security BearerAuth
// @Success 200 {object} account
// @Failure 401 {object} Problem "unauthenticated"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/me [get]
func (s *Server) getMe(c echo.Context) error {
	a, err := s.Auth.Account(c.Request().Context(), caller(c).UserID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, accountOf(a))
}

type updateMeRequest struct {
	DisplayName *string `json:"display_name" minLength:"1" maxLength:"64" example:"Uxía"`
} // @name UpdateMeRequest

func (r *updateMeRequest) check(v *validator) {
	if r.DisplayName != nil {
		checkDisplayName(v, r.DisplayName)
	}
}

// updateMe changes the caller's account; what is absent stays.
//
// @ID updateMe
// @Summary Change your account
// @Tags accounts
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param request body updateMeRequest true "what to change"
// @Success 200 {object} account
// @Failure 400 {object} Problem "malformed_json"
// @Failure 401 {object} Problem "unauthenticated"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/me [patch]
func (s *Server) updateMe(c echo.Context) error {
	var req updateMeRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	if req.DisplayName == nil {
		return s.getMe(c)
	}
	a, err := s.Auth.Rename(c.Request().Context(), caller(c).UserID, *req.DisplayName)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, accountOf(a))
}

type deleteMeRequest struct {
	Password string `json:"password" validate:"required"`
} // @name DeleteMeRequest

// deleteMe erases the caller's account.
//
// @ID deleteMe
// @Summary Erase your account
// @Description Leaves lobbies, resigns running games, erases personal data and ends all sessions. Games keep the seat under "deleted player".
// @Tags accounts
// @Accept json
// @Security BearerAuth
// @Param request body deleteMeRequest true "your password again"
// @Success 204
// @Failure 400 {object} Problem "malformed_json"
// @Failure 401 {object} Problem "unauthenticated, or bad_credentials"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/me [delete]
func (s *Server) deleteMe(c echo.Context) error {
	var req deleteMeRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	if err := s.Auth.Delete(c.Request().Context(), caller(c), req.Password); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

type changePasswordRequest struct {
	Current string `json:"current" validate:"required"`
	New     string `json:"new" validate:"required" minLength:"8" maxLength:"128"` // none of the common ones
} // @name ChangePasswordRequest

func (r *changePasswordRequest) check(v *validator) {
	if err := auth.CheckPassword(r.New); err != nil {
		v.invalid("/new", "%v", err)
	}
}

// changePassword replaces the caller's password.
//
// @ID changePassword
// @Summary Change your password and end all your other sessions
// @Tags accounts
// @Accept json
// @Security BearerAuth
// @Param request body changePasswordRequest true "the old and the new one"
// @Success 204
// @Failure 400 {object} Problem "malformed_json"
// @Failure 401 {object} Problem "unauthenticated, or bad_credentials"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/me/password [post]
func (s *Server) changePassword(c echo.Context) error {
	var req changePasswordRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	if err := s.Auth.ChangePassword(c.Request().Context(), caller(c), req.Current, req.New); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// getUser shows a public profile.
//
// @ID getUser
// @Summary Somebody's public profile
// @Tags accounts
// @Produce json
// @Security BearerAuth
// @Param id path string true "the user's id" format(uuid)
// @Success 200 {object} user
// @Failure 401 {object} Problem "unauthenticated"
// @Failure 404 {object} Problem "not_found"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/users/{id} [get]
func (s *Server) getUser(c echo.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	p, err := s.Auth.Profile(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, userOf(p))
}

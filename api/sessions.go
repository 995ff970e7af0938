package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
)

// user is what everybody may know of a user.
type user struct {
	ID          string `json:"id" validate:"required" format:"uuid"`
	Username    string `json:"username" validate:"required" example:"uxia"`
	DisplayName string `json:"display_name" validate:"required" example:"Uxía"`
} // @name User

func userOf(p auth.Profile) user {
	return user{ID: p.ID, Username: p.Username, DisplayName: p.DisplayName}
}

// tokens opens a session to a client.
type tokens struct {
	AccessToken  string `json:"access_token" validate:"required"` // a JWT, sent as Authorization: Bearer
	TokenType    string `json:"token_type" validate:"required" enums:"Bearer"`
	ExpiresIn    int    `json:"expires_in" validate:"required" example:"900"` // seconds
	RefreshToken string `json:"refresh_token" validate:"required"`            // buys the next tokens, once
	User         user   `json:"user" validate:"required"`
} // @name Tokens

func tokensOf(t auth.Tokens) tokens {
	return tokens{AccessToken: t.Access, TokenType: "Bearer", ExpiresIn: t.ExpiresIn, RefreshToken: t.Refresh, User: userOf(t.User)}
}

type registerRequest struct {
	Username    string  `json:"username" validate:"required" minLength:"3" maxLength:"32" example:"uxia"` // a-z 0-9 _ -, compared without case
	Password    string  `json:"password" validate:"required" minLength:"8" maxLength:"128"`               // none of the common ones
	DisplayName *string `json:"display_name" minLength:"1" maxLength:"64" example:"Uxía"`                 // the username where it is absent
} // @name RegisterRequest

func (r *registerRequest) check(v *validator) {
	if err := auth.CheckUsername(r.Username); err != nil {
		v.invalid("/username", "%v", err)
	}
	if err := auth.CheckPassword(r.Password); err != nil {
		v.invalid("/password", "%v", err)
	}
	if r.DisplayName != nil {
		checkDisplayName(v, r.DisplayName)
	}
}

// checkDisplayName trims a display name and checks it.
func checkDisplayName(v *validator, name *string) {
	*name = strings.TrimSpace(*name)
	v.label("/display_name", *name, 1, 64)
}

// register makes an account.
//
// @ID register
// @Summary Make an account and sign in
// @Tags accounts
// @Accept json
// @Produce json
// @Param request body registerRequest true "who to be"
// @Success 201 {object} tokens
// @Failure 400 {object} Problem "malformed_json"
// @Failure 409 {object} Problem "username_taken"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/auth/register [post]
func (s *Server) register(c echo.Context) error {
	var req registerRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	displayName := ""
	if req.DisplayName != nil {
		displayName = *req.DisplayName
	}
	t, err := s.Auth.Register(c.Request().Context(), req.Username, req.Password, displayName)
	if err != nil {
		return err
	}
	s.signedInFrom(c, t.User.Username)
	return c.JSON(http.StatusCreated, tokensOf(t))
}

type loginRequest struct {
	Username string `json:"username" validate:"required" example:"uxia"`
	Password string `json:"password" validate:"required"`
} // @name LoginRequest

// login opens a session.
//
// @ID login
// @Summary Sign in
// @Tags accounts
// @Accept json
// @Produce json
// @Param request body loginRequest true "who you are"
// @Success 200 {object} tokens
// @Failure 400 {object} Problem "malformed_json"
// @Failure 401 {object} Problem "bad_credentials, for either mistake"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/auth/login [post]
func (s *Server) login(c echo.Context) error {
	var req loginRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	done, err := s.tryPassword(c, req.Username)
	if err != nil {
		return err
	}
	t, err := s.Auth.Login(c.Request().Context(), req.Username, req.Password)
	done(err)
	if err != nil {
		return err
	}
	s.signedInFrom(c, t.User.Username)
	return c.JSON(http.StatusOK, tokensOf(t))
}

type refreshRequest struct {
	RefreshToken string `json:"refresh_token" validate:"required"`
} // @name RefreshRequest

// refresh continues a session.
//
// @ID refresh
// @Summary Exchange a refresh token for new tokens
// @Description The old token is spent. Sent again within 30 seconds, while its successor is unspent, it gets the same successor; later it ends its whole session.
// @Tags accounts
// @Accept json
// @Produce json
// @Param request body refreshRequest true "the newest refresh token"
// @Success 200 {object} tokens
// @Failure 400 {object} Problem "malformed_json"
// @Failure 401 {object} Problem "unauthenticated, or refresh_reused"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/auth/refresh [post]
func (s *Server) refresh(c echo.Context) error {
	var req refreshRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	t, err := s.Auth.Refresh(c.Request().Context(), req.RefreshToken)
	if err != nil {
		return err
	}
	s.signedInFrom(c, t.User.Username)
	return c.JSON(http.StatusOK, tokensOf(t))
}

// logout ends the session.
//
// @ID logout
// @Summary Sign out: end this session and all its tokens
// @Tags accounts
// @Security BearerAuth
// @Success 204
// @Failure 400 {object} Problem "malformed_json"
// @Failure 401 {object} Problem "unauthenticated"
// @Failure 413 {object} Problem "body_too_large"
// @Failure 415 {object} Problem "unsupported_media_type"
// @Failure 422 {object} Problem "invalid"
// @Failure 503 {object} Problem "unavailable"
// @Router /v1/auth/logout [post]
func (s *Server) logout(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	if err := s.Auth.Logout(c.Request().Context(), caller(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

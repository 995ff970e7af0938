package api

import (
	"strings"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
)

// keyCaller is where the caller's identity is kept in an echo.Context.
const keyCaller = "caller"

// authenticated lets a request pass that carries a valid access token in its Authorization header, and nowhere else, and
// that the caller has not made too many of.
func (s *Server) authenticated(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		who, err := s.whoCalls(c)
		if err != nil {
			return err
		}
		c.Set(keyCaller, who)
		if err := s.signedInLimits(c); err != nil {
			return err
		}
		return next(c)
	}
}

// whoCalls returns whose access token the request carries, if the token is still valid.
func (s *Server) whoCalls(c echo.Context) (auth.Identity, error) {
	values := c.Request().Header.Values(echo.HeaderAuthorization)
	if len(values) != 1 {
		return auth.Identity{}, unauthenticated()
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return auth.Identity{}, unauthenticated()
	}
	return s.Auth.Authenticate(c.Request().Context(), strings.TrimSpace(token))
}

// caller returns who makes the request; the zero Identity on routes that need no token.
func caller(c echo.Context) auth.Identity {
	who, _ := c.Get(keyCaller).(auth.Identity)
	return who
}

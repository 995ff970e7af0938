package api

import (
	"strings"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
)

// keyCaller is where the caller's identity is kept in an echo.Context.
const keyCaller = "caller"

// authenticated lets a request pass that carries a valid access token in its Authorization header, and nowhere else.
func (s *Server) authenticated(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		values := c.Request().Header.Values(echo.HeaderAuthorization)
		if len(values) != 1 {
			return unauthenticated()
		}
		scheme, token, _ := strings.Cut(values[0], " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return unauthenticated()
		}
		who, err := s.Auth.Authenticate(c.Request().Context(), strings.TrimSpace(token))
		if err != nil {
			return err
		}
		c.Set(keyCaller, who)
		return next(c)
	}
}

// caller returns who makes the request; the zero Identity on routes that need no token.
func caller(c echo.Context) auth.Identity {
	who, _ := c.Get(keyCaller).(auth.Identity)
	return who
}

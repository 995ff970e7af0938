package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
)

// jwks is a set of public keys (RFC 7517).
type jwks struct {
	Keys []auth.JWK `json:"keys" validate:"required"`
} // @name JWKS

// getJWKS shows the keys that verify access tokens.
//
// @ID getJWKS
// @Summary The public keys of access tokens
// @Tags service
// @Produce json
// @Success 200 {object} jwks
// @Router /.well-known/jwks.json [get]
func (s *Server) getJWKS(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=300")
	return c.JSON(http.StatusOK, jwks{Keys: s.Auth.PublicKeys()})
}

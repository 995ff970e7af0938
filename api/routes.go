package api

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// routes is the one list of what the server answers to.
func (s *Server) routes() {
	e := s.echo
	get(e, "/healthz", s.healthz)
	get(e, "/readyz", s.readyz)
	get(e, "/metrics", echo.WrapHandler(s.metrics.handler()))
	get(e, "/docs/problems", s.problemsPage)
}

// get routes HEAD as well: net/http then leaves the body out.
func get(e *echo.Echo, path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) {
	e.Match([]string{http.MethodGet, http.MethodHead}, path, h, m...)
}

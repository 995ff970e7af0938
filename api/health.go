package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// probe is how long the database has to show that it is ready.
const probe = 2 * time.Second

// status is the answer of the two health calls.
type status struct {
	Status string `json:"status" validate:"required" example:"ok"`
} // @name Status

// healthz answers as long as the process runs.
//
// @ID healthz
// @Summary Is the process up?
// @Tags service
// @Produce json
// @Success 200 {object} status
// @Router /healthz [get]
func (s *Server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, status{Status: "ok"})
}

// readyz answers 200 while the database can be reached and its schema is the one this program needs.
//
// @ID readyz
// @Summary Is the service ready?
// @Tags service
// @Produce json
// @Success 200 {object} status
// @Failure 503 {object} Problem
// @Router /readyz [get]
func (s *Server) readyz(c echo.Context) error {
	defer within(c, probe)()
	if err := s.Ready(c.Request().Context()); err != nil {
		return problem(CodeUnavailable, "the database is not ready").with(echo.HeaderRetryAfter, "1").because(err)
	}
	return c.JSON(http.StatusOK, status{Status: "ok"})
}

package api

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/projections"
)

// vacation is where the caller's days of vacation stand.
type vacation struct {
	On       bool    `json:"on" validate:"required"`
	Since    *string `json:"since" validate:"required" extensions:"x-nullable" format:"date-time" example:"2026-01-02T03:04:05.678Z"` // null without one
	Until    *string `json:"until" validate:"required" extensions:"x-nullable" format:"date-time" example:"2026-01-09T03:04:05.678Z"` // when it ends by itself
	DaysYear int     `json:"days_a_year" validate:"required" example:"28"`
	DaysLeft int     `json:"days_left" validate:"required" example:"21"` // of this calendar year (UTC), if the one that is on lasts to its end
} // @name Vacation

// getVacation shows the caller's vacation.
//
// @ID getVacation
// @Summary Your vacation
// @Tags accounts
// @Produce json
// @Security BearerAuth
// @Success 200 {object} vacation
// @Failure 401,503 {object} Problem
// @Router /v1/me/vacation [get]
func (s *Server) getVacation(c echo.Context) error {
	v, err := s.Vacations.Of(c.Request().Context(), caller(c).UserID)
	if err != nil {
		return err
	}
	out := vacation{On: v.Until != 0, DaysYear: s.Vacations.Days, DaysLeft: v.Left}
	if out.On {
		since, until := formatTime(v.Since), formatTime(v.Until)
		out.Since, out.Until = &since, &until
	}
	return c.JSON(http.StatusOK, out)
}

// maxVacation is the longest vacation that can be asked for, in days: no year has more.
const maxVacation = 366

type vacationRequest struct {
	Days int `json:"days" validate:"required" minimum:"1" maximum:"366"` // from its beginning
} // @name VacationRequest

func (r *vacationRequest) check(v *validator) { v.between("/days", r.Days, 1, maxVacation) }

// takeVacation begins a vacation, or makes the one that is on longer or shorter.
//
// @ID takeVacation
// @Summary Take a vacation
// @Description Your clock stands in all games with turns of a day or more that don't exclude it, from your next turn on and for at most 14 days a game; nobody else's does. A vacation costs the whole days that have begun in it, at least one. With one on, it is made to last for so many days from its beginning. 409: no_vacation_left, wrong_phase (it has lasted longer than that already).
// @Tags accounts
// @Accept json
// @Produce json
// @Security BearerAuth
// @Param request body vacationRequest true "for how many days"
// @Success 200 {object} vacation
// @Failure 400,401,409,413,415,422,503 {object} Problem
// @Router /v1/me/vacation [put]
func (s *Server) takeVacation(c echo.Context) error {
	var req vacationRequest
	if err := bind(c, &req); err != nil {
		return err
	}
	err := s.Vacations.Take(c.Request().Context(), caller(c).UserID, req.Days)
	switch {
	case errors.Is(err, projections.ErrNoVacationLeft):
		return problem(CodeNoVacationLeft, "You have not so many days left; there are %d a year.", s.Vacations.Days)
	case errors.Is(err, projections.ErrVacationPassed):
		return problem(CodeWrongPhase, "Your vacation has lasted longer than that already.")
	case err != nil:
		return err
	}
	s.settleVacation(c)
	return s.getVacation(c)
}

// endVacation ends a vacation before its time.
//
// @ID endVacation
// @Summary End your vacation
// @Description It has cost the days that have begun in it. Your clocks go on with what they had left. Without a vacation nothing happens.
// @Tags accounts
// @Produce json
// @Security BearerAuth
// @Success 200 {object} vacation
// @Failure 400,401,413,415,422,503 {object} Problem
// @Router /v1/me/vacation [delete]
func (s *Server) endVacation(c echo.Context) error {
	if err := noBody(c); err != nil {
		return err
	}
	if err := s.Vacations.End(c.Request().Context(), caller(c).UserID); err != nil {
		return err
	}
	s.settleVacation(c)
	return s.getVacation(c)
}

// settleVacation lets the caller's games know. Where it fails, it is done in the background a little later.
func (s *Server) settleVacation(c echo.Context) {
	ctx := c.Request().Context()
	if _, err := s.Vacations.SettleUser(ctx, caller(c).UserID); err != nil {
		s.log.WarnContext(ctx, "vacation was not told to all games at once", "error", err)
	}
}

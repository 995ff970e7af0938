package api

import (
	"errors"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
)

// tryPassword counts an attempt at a user's password from wherever it comes, unless it comes from where that user has signed in before: a guess
// from everywhere at once is slow, and still doesn't keep the user out of their usual place. done must be called with what became of it.
func (s *Server) tryPassword(c echo.Context, username string) (done func(error), err error) {
	l := s.limiter
	if l == nil {
		return func(error) {}, nil
	}
	name, address := nameKey(username), addressOf(c)
	taken := []charge{{l.wrongPassword, name}}
	if l.usual.Contains(name + address) {
		taken = nil
	}
	if len(taken) > 0 {
		if err := s.take(c, taken...); err != nil {
			return nil, err
		}
	}
	return func(err error) {
		if !errors.Is(err, auth.ErrBadCredentials) {
			giveBack(taken)
		}
	}, nil
}

// signedInFrom remembers where a user is.
func (s *Server) signedInFrom(c echo.Context, username string) {
	if s.limiter != nil {
		s.limiter.usual.Add(nameKey(username)+addressOf(c), struct{}{})
	}
}

// askingPassword counts calls that ask a signed-in user for their password again.
func (s *Server) askingPassword() echo.MiddlewareFunc {
	return s.counted(func(c echo.Context, l *limiter) []charge { return []charge{{l.password, caller(c).UserID}} }, nil)
}

// guessingInvites counts calls that find nothing, by their user and by their address: who tries codes finds no more of them.
func (s *Server) guessingInvites() echo.MiddlewareFunc {
	return s.counted(func(c echo.Context, l *limiter) []charge {
		return []charge{{l.wrongInvite, caller(c).UserID}, {l.wrongInvites, addressOf(c)}}
	}, func(err error) bool { return err == nil || problemOf(err).Code != CodeNotFound })
}

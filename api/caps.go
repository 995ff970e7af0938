package api

import (
	"context"
	"strconv"
	"sync"

	"github.com/labstack/echo/v4"
)

// tooMany refuses something of which there is too much at once. It passes when some of it ends.
func tooMany(retryAfter int, format string, args ...any) *Problem {
	return problem(CodeRateLimited, format, args...).with(echo.HeaderRetryAfter, strconv.Itoa(retryAfter))
}

// oneSeatAtATime lets a user's calls that take a seat go one after the other, or many at once would each find room for the last one.
func (s *Server) oneSeatAtATime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.limiter == nil {
			return next(c)
		}
		done, err := s.limiter.seating.Lock(c.Request().Context(), caller(c).UserID)
		if err != nil {
			return err
		}
		defer done()
		return next(c)
	}
}

// roomForAnother refuses a user who sits in too many lobbies or games to sit down in one more lobby.
func (s *Server) roomForAnother(ctx context.Context, userID string) error {
	if s.limiter == nil {
		return nil
	}
	lobbies, running, err := s.Lists.Open(ctx, userID)
	switch l := &s.limiter.limits; {
	case err != nil:
		return err
	case lobbies >= l.Lobbies:
		return tooMany(60, "You sit in %d lobbies, and more are not allowed at once.", lobbies)
	case lobbies+running >= l.OpenGames:
		return tooMany(60, "You have %d games that are not over, and more are not allowed at once.", lobbies+running)
	}
	return nil
}

// streams counts live streams.
type streams struct {
	each, all int // how many there may be
	mu        sync.Mutex
	open      map[string]int // by user
	total     int
}

func newStreams(each, all int) streams {
	return streams{each: each, all: all, open: map[string]int{}}
}

// openStream counts one more stream of the caller until close is called.
func (s *Server) openStream(c echo.Context) (closed func(), err error) {
	if s.limiter == nil {
		return func() {}, nil
	}
	user, st := caller(c).UserID, &s.limiter.streams
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.open[user] >= st.each:
		return nil, tooMany(5, "You have %d live streams open, and more are not allowed at once.", st.each)
	case st.total >= st.all:
		return nil, tooMany(5, "There are too many live streams; ask for the events instead.")
	}
	st.open[user]++
	st.total++
	return func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.total--
		if st.open[user]--; st.open[user] == 0 {
			delete(st.open, user)
		}
	}, nil
}

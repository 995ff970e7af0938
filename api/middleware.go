package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// keyRequestID is where a request's id is kept in its echo.Context.
const keyRequestID = "request_id"

// saneID is what a request id from outside may look like: it is echoed and logged.
var saneID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// identify gives the request an id, the client's own where that is sane, and tells it in the answer.
func identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !saneID.MatchString(id) {
			id = uuid.NewString()
		}
		c.Set(keyRequestID, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

// record answers errors, then logs and counts the request. It logs no body, token, query or unmatched path.
func (s *Server) record(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now() // the monotonic clock, not the injected one: this is how long it really took
		err := next(c)
		if err != nil {
			s.answerError(err, c)
		}
		took, status, route := time.Since(start), c.Response().Status, routeOf(c)
		s.metrics.observe(c.Request().Method, route, status, took)
		attrs := []slog.Attr{
			slog.String("method", c.Request().Method), slog.String("route", route), slog.Int("status", status),
			slog.Duration("took", took), slog.Int64("bytes", c.Response().Size), slog.Any("request_id", c.Get(keyRequestID)),
			slog.String("remote", c.RealIP()),
		}
		if who := caller(c); who.UserID != "" {
			attrs = append(attrs, slog.String("user_id", who.UserID))
		}
		level := slog.LevelInfo
		switch gone := c.Request().Context().Err() != nil; {
		case gone && err != nil: // nobody waits for the answer any more
			level = slog.LevelDebug
		case err != nil && (status >= http.StatusInternalServerError || c.Response().Committed && problemOf(err).Status >= http.StatusInternalServerError):
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", err.Error()))
			var p *panicError
			if errors.As(err, &p) {
				attrs = append(attrs, slog.String("stack", p.stack))
			}
		}
		s.log.LogAttrs(c.Request().Context(), level, "request", attrs...)
		return nil
	}
}

// routeOf is the template of the matched route: of bounded number, and without anything a client wrote.
func routeOf(c echo.Context) string {
	if c.Path() == "" {
		return "unmatched"
	}
	return c.Path()
}

// panicError is a panic in a handler.
type panicError struct {
	value any
	stack string
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// catch turns a panic into an error, which becomes a 500 like any other. http.ErrAbortHandler goes on: it is meant
// for net/http.
func catch(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if v := recover(); v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			} else if v != nil {
				err = &panicError{value: v, stack: string(debug.Stack())}
			}
		}()
		return next(c)
	}
}

const (
	// longest is how long a request waits for the database in all before it is answered with 503. What an append may still take to find out
	// what became of it comes on top.
	longest = 10 * time.Second
	// keyUnbound is where the context of a request is kept that has no such end.
	keyUnbound = "unbound"
)

// hasten ends a request's waiting: a database that says nothing must not keep it for ever.
func hasten(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(keyUnbound, c.Request().Context())
		defer within(c, longest)()
		return next(c)
	}
}

// within bounds the request's context until what it returns is called.
func within(c echo.Context, limit time.Duration) (restore func()) {
	whole := c.Request()
	ctx, cancel := context.WithTimeout(whole.Context(), limit)
	c.SetRequest(whole.WithContext(ctx))
	return func() {
		cancel()
		c.SetRequest(whole)
	}
}

// protect sets the headers every answer carries. A handler whose answer may be cached replaces no-store.
func protect(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set(echo.HeaderXContentTypeOptions, "nosniff")
		h.Set(echo.HeaderReferrerPolicy, "no-referrer")
		h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
		if strings.HasPrefix(c.Request().URL.Path, "/v1/") {
			h.Set(echo.HeaderCacheControl, "no-store")
		}
		return next(c)
	}
}

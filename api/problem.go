package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"mago/api/auth"
	"mago/api/idempotency"
	"mago/eventstore"
	"mago/projections"
)

// mimeProblem is the media type of every error the API answers with (RFC 9457).
const mimeProblem = "application/problem+json"

// Problem is the one shape of every error: RFC 9457 with a code for programs.
type Problem struct {
	Type     string       `json:"type" validate:"required" example:"/docs/problems#invalid"` // where the kind of problem is explained
	Title    string       `json:"title" validate:"required" example:"The request is not valid"`
	Status   int          `json:"status" validate:"required" example:"422"`
	Detail   string       `json:"detail,omitzero"`              // a sentence for people about this occurrence
	Instance string       `json:"instance" validate:"required"` // the path that was asked for
	Code     Code         `json:"code" validate:"required"`     // what programs look at
	Errors   []FieldError `json:"errors,omitempty"`             // what is wrong with the request, for code invalid
	Version  *int         `json:"version,omitzero"`             // where the game stands, for refusals by a game
	GameID   string       `json:"game_id,omitzero"`             // the game that refuses, where the request didn't name it
	header   http.Header
	cause    error
	ofItself bool // see afterItself
} // @name Problem

// FieldError names one thing wrong with a request.
type FieldError struct {
	Pointer string `json:"pointer" validate:"required" example:"/rules/players"` // a JSON pointer into the body, or / and the name of a query parameter or header
	Detail  string `json:"detail" validate:"required" example:"must be from 3 to 6"`
} // @name FieldError

// problem makes a problem of the code's status and title with a sentence about this occurrence.
func problem(code Code, format string, args ...any) *Problem {
	k := kindOf(code)
	return &Problem{
		Type: "/docs/problems#" + string(k.Code), Title: k.Title, Status: k.Status, Code: k.Code,
		Detail: fmt.Sprintf(format, args...),
	}
}

// Error makes a Problem an error that handlers return.
func (p *Problem) Error() string {
	if p.cause != nil {
		return p.cause.Error()
	}
	return string(p.Code) + ": " + p.Detail
}

// Unwrap returns the error that made the problem, which is logged and never sent.
func (p *Problem) Unwrap() error { return p.cause }

// because notes the error behind the problem, for the log only.
func (p *Problem) because(err error) *Problem {
	p.cause = err
	return p
}

// at adds the version at which the game refused.
func (p *Problem) at(version int) *Problem {
	p.Version = &version
	return p
}

// afterItself marks a problem that the request itself has when it comes again, as somebody who has resigned may not resign: with an Idempotency-Key
// the first answer is looked for before it is told.
func (p *Problem) afterItself() *Problem {
	p.ofItself = true
	return p
}

// with adds a header to the answer.
func (p *Problem) with(name, value string) *Problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
	return p
}

// problemOf turns any error into the problem that is answered: the only place where errors meet HTTP.
// What it doesn't know is an internal error whose text stays here.
func problemOf(err error) *Problem {
	var p *Problem
	var he *echo.HTTPError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &he):
		return problemOfEcho(he)
	case errors.Is(err, auth.ErrUnauthenticated):
		return unauthenticated()
	case errors.Is(err, auth.ErrBadCredentials):
		return problem(CodeBadCredentials, "").with(echo.HeaderWWWAuthenticate, "Bearer")
	case errors.Is(err, auth.ErrRefreshReused):
		return problem(CodeRefreshReused, "").with(echo.HeaderWWWAuthenticate, "Bearer")
	case errors.Is(err, auth.ErrUsernameTaken):
		return problem(CodeUsernameTaken, "")
	case errors.Is(err, auth.ErrNotFound):
		return notFound()
	case errors.Is(err, auth.ErrBusy):
		return problem(CodeUnavailable, "too many people are signing in").with(echo.HeaderRetryAfter, "2").because(err)
	case errors.Is(err, idempotency.ErrReused):
		return problem(CodeIdempotencyKeyReused, "take a new key for each thing you want done")
	case errors.Is(err, idempotency.ErrInProgress):
		return problem(CodeIdempotencyInProgress, "try again with the same key").with(echo.HeaderRetryAfter, "1").because(err)
	case errors.Is(err, projections.ErrBadCursor):
		var v validator
		v.invalid("/cursor", "was not given out by this list")
		return problemOf(v.err())
	case errors.Is(err, eventstore.ErrUnknownOutcome):
		return problem(CodeUnavailable, "whether this was done could not be found out: look before you repeat it").with(echo.HeaderRetryAfter, "1").because(err)
	case errors.Is(err, eventstore.ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), isBusy(err):
		return problem(CodeUnavailable, "the database can't be reached or is too busy").with(echo.HeaderRetryAfter, "1").because(err)
	}
	return problem(CodeInternal, "").because(err)
}

// problemOfEcho gives the router's own errors our codes.
func problemOfEcho(he *echo.HTTPError) *Problem {
	switch he.Code {
	case http.StatusNotFound:
		return notFound()
	case http.StatusMethodNotAllowed:
		return problem(CodeMethodNotAllowed, "see the Allow header for what is")
	case http.StatusUnauthorized:
		return unauthenticated()
	case http.StatusRequestEntityTooLarge:
		return bodyTooLarge()
	case http.StatusUnsupportedMediaType:
		return problem(CodeUnsupportedMediaType, "")
	case http.StatusServiceUnavailable:
		return problem(CodeUnavailable, "").with(echo.HeaderRetryAfter, "1").because(he)
	}
	if he.Code >= 400 && he.Code < 500 {
		return problem(CodeBadRequest, "").because(he)
	}
	return problem(CodeInternal, "").because(he)
}

// isBusy tells SQLite's passing failures (https://www.sqlite.org/rescode.html) where they come from a plain handle of database/sql:
// busy, locked, out of memory, read-only, interrupted, input or output, full, can't open, protocol.
func isBusy(err error) bool {
	var coded interface{ Code() int }
	return errors.As(err, &coded) && slices.Contains([]int{5, 6, 7, 8, 9, 10, 13, 14, 15}, coded.Code()&0xff)
}

func notFound() *Problem { return problem(CodeNotFound, "") }

func unauthenticated() *Problem {
	return problem(CodeUnauthenticated, "send a valid access token as Authorization: Bearer").with(echo.HeaderWWWAuthenticate, "Bearer")
}

func bodyTooLarge() *Problem {
	return problem(CodeBodyTooLarge, "at most %d bytes are read", maxBody).with(echo.HeaderConnection, "close")
}

// answerError is echo's error handler: it writes the error as a problem document unless the answer has begun.
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p := *problemOf(err) // a copy: problems may be shared, the instance is this request's
	p.Instance = c.Request().URL.EscapedPath()
	for name, values := range p.header {
		c.Response().Header()[name] = values
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	body, err := encode(&p)
	if err == nil {
		err = c.Blob(p.Status, mimeProblem, body)
	}
	if err != nil {
		s.log.DebugContext(c.Request().Context(), "problem not delivered", "error", err)
	}
}

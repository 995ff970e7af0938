package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/api/idempotency"
	"mago/eventstore"
)

const (
	headerKey      = "Idempotency-Key"
	headerReplayed = "Idempotency-Replayed"
	maxKey         = 255
)

// effect is a POST in the parts that onlyOnce needs.
type effect struct {
	// do does what is asked. What keep returns for the answer belongs into the transaction of the effects, as its last statements; kept says
	// that it was stored there. Where it was not, because there was nothing to store, onlyOnce keeps the answer itself. With a refusal only the
	// answer's Subject counts.
	do func(keep keeper) (a idempotency.Answer, kept bool, err error)
	// answer writes do's answer, or builds an earlier one again as the caller may see it now.
	answer func(a idempotency.Answer, replayed bool) error
	// refusal builds an earlier refusal (409) again. Without it it is what always returns for the code, which must have been said at first.
	refusal func(a idempotency.Answer) error
}

// keeper returns the statements that keep an answer, none for a request without a key.
type keeper func(a idempotency.Answer) []eventstore.Statement

// onlyOnce runs a POST that may carry an Idempotency-Key. Every handler of an authenticated POST outside of /v1/auth and /v1/me/password ends in it,
// after bind, bindOptional or noBody, which remember the body; such a command on a game does so by way of command or commandWith.
//
// With a key the request has its effects once, and whenever it comes again it gets the first answer. Kept are successes and refusals by what the
// request meets (409). Nothing else is: 401 to 404 and 422 come before a replay and 412 behind it, and what failed here (5xx) may be
// tried again with the key.
func (s *Server) onlyOnce(c echo.Context, r effect) error {
	key, err := keyOf(c)
	if err != nil {
		return err
	}
	if key == nil {
		a, _, err := r.do(func(idempotency.Answer) []eventstore.Statement { return nil })
		if err != nil {
			return err
		}
		return r.answer(a, false)
	}
	a, replayed, err := s.first(c.Request().Context(), key, r.do)
	if err != nil {
		return err
	}
	if !replayed {
		return r.answer(a, false)
	}
	c.Response().Header().Set(headerReplayed, "true")
	switch {
	case a.Code == "":
		return r.answer(a, true)
	case r.refusal != nil:
		return r.refusal(a)
	}
	p := always(Code(a.Code))
	if a.Version > 0 {
		p = p.at(a.Version)
	}
	return p
}

// details are what is said with some codes wherever a refusal is built again from its code alone.
var details = map[Code]string{
	CodeWrongPhase:    "The game is not over, or never began.",
	CodeGameOver:      "The game is over.",
	CodeNotInLobby:    "The game has started.",
	CodeAlreadyJoined: "They sit at the table.",
	CodeGameFull:      "Every seat is taken.",
}

// always returns the problem of a code with the detail that always goes with it.
func always(code Code) *Problem { return problem(code, "%s", details[code]) }

// first does what a request with a key asks, unless that was done: then it returns the answer that was kept.
func (s *Server) first(ctx context.Context, key *idempotency.Request, do func(keeper) (idempotency.Answer, bool, error)) (a idempotency.Answer, replayed bool, err error) {
	unlock, err := s.Keys.Lock(ctx, key)
	if err != nil {
		return a, false, err
	}
	defer unlock()
	a, kept, failure := do(func(a idempotency.Answer) []eventstore.Statement {
		return s.Keys.Keep(key, a)
	})
	if kept && failure == nil {
		return a, false, nil
	}
	if failure != nil && !perhapsDone(failure) {
		return a, false, failure
	}
	switch found, err := s.Keys.Find(ctx, key); {
	case err != nil:
		return a, false, err
	case found != nil:
		return *found, true, nil
	}
	if failure != nil {
		p := problemOf(failure)
		if p.Status != http.StatusConflict || errors.Is(failure, eventstore.ErrUnknownOutcome) {
			return a, false, failure
		}
		a = refused(a.Subject, p)
	}
	if err := s.Keys.KeepAlone(ctx, key, a); err != nil {
		switch found, lost := s.Keys.Find(ctx, key); {
		case lost != nil:
			return a, false, lost
		case found != nil: // on another server, just now
			return *found, true, nil
		}
		return a, false, err
	}
	return a, false, failure
}

// perhapsDone tells whether a failure may come of the request having been done before: what it asks for is there, or has brought the game forward or the
// caller to a bound. A key that is kept makes the store refuse, and that looks like any failure here.
func perhapsDone(failure error) bool {
	p := problemOf(failure)
	switch p.Status {
	case http.StatusConflict, http.StatusPreconditionFailed, http.StatusTooManyRequests, http.StatusInternalServerError:
		return true
	}
	return p.ofItself || errors.Is(failure, eventstore.ErrUnknownOutcome)
}

// refused is what is kept of a refusal.
func refused(subject string, p *Problem) idempotency.Answer {
	a := idempotency.Answer{Status: p.Status, Code: string(p.Code), Subject: subject}
	if p.Version != nil {
		a.Version = *p.Version
	}
	return a
}

// keyOf returns a POST with its Idempotency-Key, nil if it has none.
func keyOf(c echo.Context) (*idempotency.Request, error) {
	values := c.Request().Header.Values(headerKey)
	if len(values) == 0 || c.Request().Method != http.MethodPost {
		return nil, nil
	}
	if len(values) > 1 || !validKey(values[0]) {
		var v validator
		v.invalid("/"+headerKey, "must be one value of 1 to %d visible ASCII characters", maxKey)
		return nil, v.err()
	}
	body, _ := c.Get(keyBody).([]byte)
	r := idempotency.NewRequest(caller(c).UserID, values[0], c.Request().Method, c.Request().URL.EscapedPath(), body)
	return &r, nil
}

func validKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return 1 <= len(key) && len(key) <= maxKey
}

package api

import (
	"net/url"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// query reads the parameters behind the question mark and collects what is wrong with them. Names it isn't asked for
// are ignored; one that is given twice or empty is wrong.
type query struct {
	validator
	values url.Values
}

// queryOf starts reading the request's parameters.
func queryOf(c echo.Context) *query {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.invalid("", "the query is not well-formed")
	}
	return q
}

// text returns the parameter and whether it was given.
func (q *query) text(name string) (string, bool) {
	values, ok := q.values[name]
	switch {
	case !ok:
		return "", false
	case len(values) > 1:
		q.invalid("/"+name, "must be given once")
	case values[0] == "":
		q.invalid("/"+name, "must not be empty")
	}
	return values[0], true
}

// int returns the parameter, or fallback where it is absent.
func (q *query) int(name string, fallback, minimum, maximum int) int {
	if n := q.optionalInt(name, minimum, maximum); n != nil {
		return *n
	}
	return fallback
}

// optionalInt returns the parameter, or nil where it is absent.
func (q *query) optionalInt(name string, minimum, maximum int) *int {
	s, ok := q.text(name)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s {
		q.invalid("/"+name, "must be an integer from %d to %d", minimum, maximum)
		return nil
	}
	q.between("/"+name, n, minimum, maximum)
	return &n
}

// bool returns the parameter, false where it is absent.
func (q *query) bool(name string) bool {
	s, ok := q.text(name)
	if ok {
		q.oneOf("/"+name, s, "true", "false")
	}
	return s == "true"
}

// choice returns the parameter, "" where it is absent.
func (q *query) choice(name string, allowed ...string) string {
	s, ok := q.text(name)
	if ok {
		q.oneOf("/"+name, s, allowed...)
	}
	return s
}

// limit returns the size of a page of a list.
func (q *query) limit() int { return q.int("limit", 20, 1, 100) }

// pathID returns the id in the path, in its canonical form. What can't be an id names nothing: not_found.
func pathID(c echo.Context, name string) (string, error) {
	s := c.Param(name)
	id, err := uuid.Parse(s)
	if err != nil || len(s) != len(id.String()) {
		return "", notFound()
	}
	return id.String(), nil
}

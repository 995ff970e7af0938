package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
)

// asked is the context of a request with the values of one header.
func asked(target, header string, values ...string) echo.Context {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for _, v := range values {
		r.Header.Add(header, v)
	}
	return echo.New().NewContext(r, httptest.NewRecorder())
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct {
		version      int
		present, bad bool
	}{
		`"57"`: {57, true, false}, `W/"57"`: {57, true, false}, ` "57" `: {57, true, false}, `*`: {0, false, false}, "": {0, false, false},
		`"057"`: {0, true, false}, `"x"`: {0, true, false}, `""`: {0, true, false}, `"-1"`: {-1, true, false}, `"99999999999999999999"`: {0, true, false},
		`57`: {0, false, true}, `"57`: {0, false, true}, `"1", "2"`: {0, false, true}, `w/"57"`: {0, false, true}, `"1" x`: {0, false, true}, `"*"`: {0, false, true},
	} {
		version, present, err := ifMatch(asked("/", "If-Match", value))
		if version != want.version || present != want.present || (err != nil) != want.bad || err != nil && problemOf(err).Code != CodeInvalid {
			t.Errorf("%s: %d, %v, %v", value, version, present, err)
		}
	}
	if _, present, err := ifMatch(asked("/", "If-Match")); present || err != nil {
		t.Errorf("absent: %v, %v", present, err)
	}
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		`"57"`: true, `W/"57"`: true, `"1", W/"57"`: true, `"1","57"`: true, `*`: true, `"56"`: false, `57`: false, `"57`: false, "": false, `"1",,"57"`: true,
	} {
		if got := noneMatch(asked("/", "If-None-Match", value), 57); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
	if !noneMatch(asked("/", "If-None-Match", `"1"`, `"57"`), 57) {
		t.Error("the second of two headers is not seen")
	}
}

func TestPrefer(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"return=minimal": true, "Return = minimal": true, `return="minimal"`: true, "respond-async, return=minimal; x=1": true,
		"return=representation": false, "return=representation, return=minimal": false, "": false, "minimal": false,
	} {
		if got := prefersMinimal(asked("/", "Prefer", value)); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]bool{
		"/": true, "/?limit=1": true, "/?limit=100&other=x": true, "/?limit=0": false, "/?limit=101": false, "/?limit=": false, "/?limit=1.0": false,
		"/?limit=+1": false, "/?limit=01": false, "/?limit=1&limit=1": false, "/?limit=x": false, "/?limit=99999999999999999999": false,
		"/?mine=true": true, "/?mine=false": true, "/?mine": false, "/?mine=1": false, "/?mine=TRUE": false,
		"/?status=lobby": true, "/?status=Lobby": false, "/?%zz": false, "/?a;b": false,
	} {
		q := queryOf(asked(target, "X"))
		q.limit()
		q.bool("mine")
		q.choice("status", "lobby", "playing")
		if err := q.err(); (err == nil) != want || err != nil && problemOf(err).Code != CodeInvalid {
			t.Errorf("%s: %v", target, err)
		}
	}
	q := queryOf(asked("/?limit=7&mine=true&status=lobby&as_of=41", "X"))
	if q.limit() != 7 || !q.bool("mine") || q.choice("status", "lobby") != "lobby" || *q.optionalInt("as_of", 1, 100) != 41 || q.optionalInt("after", 0, 1) != nil {
		t.Error("misread")
	}
}

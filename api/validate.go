package api

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrors bounds the list of errors in one problem, and maxPointer each pointer: a hostile body must not be
// answered by a far larger one.
const (
	maxErrors  = 20
	maxPointer = 200
)

// checker is a request that has rules beyond the types of its fields. bind calls it once the types are right.
type checker interface {
	check(v *validator)
}

// validator collects what is wrong with a request.
type validator struct {
	errors []FieldError
}

// invalid notes what is wrong at the pointer. Only the first note about a place is kept.
func (v *validator) invalid(pointer, format string, args ...any) {
	pointer = short(pointer)
	known := slices.ContainsFunc(v.errors, func(e FieldError) bool { return e.Pointer == pointer })
	if !known && len(v.errors) < maxErrors {
		v.errors = append(v.errors, FieldError{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
	}
}

// err is nil if nothing was wrong, else the problem that lists it.
func (v *validator) err() error {
	if len(v.errors) == 0 {
		return nil
	}
	p := problem(CodeInvalid, "%s: %s", orBody(v.errors[0].Pointer), v.errors[0].Detail)
	p.Errors = v.errors
	return p
}

// between refuses a number outside min to max.
func (v *validator) between(pointer string, n, minimum, maximum int) {
	if n < minimum || n > maximum {
		v.invalid(pointer, "must be from %d to %d", minimum, maximum)
	}
}

// oneOf refuses a text that is not one of those allowed.
func (v *validator) oneOf(pointer, s string, allowed ...string) {
	if !slices.Contains(allowed, s) {
		v.invalid(pointer, "must be one of %s", strings.Join(allowed, ", "))
	}
}

// length refuses a text that has fewer or more characters (not bytes).
func (v *validator) length(pointer, s string, minimum, maximum int) {
	if n := utf8.RuneCountInString(s); n < minimum || n > maximum {
		v.invalid(pointer, "must have %d to %d characters", minimum, maximum)
	}
}

// label refuses a text that is no fit name to show to others: too short or long, with blanks around it, or with
// characters that control, hide or turn text around.
func (v *validator) label(pointer, s string, minimum, maximum int) {
	switch {
	case strings.ContainsFunc(s, unprintable):
		v.invalid(pointer, "must not contain control or invisible formatting characters")
	case strings.TrimSpace(s) != s:
		v.invalid(pointer, "must not begin or end with a blank")
	default:
		v.length(pointer, s, minimum, maximum)
	}
}

// unprintable tells controls, line separators, private and unassigned characters, and formatting characters, of
// which only the joiners that scripts and emoji need are let through.
func unprintable(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	if r == zeroWidthJoiner || r == zeroWidthNonJoiner || r == ' ' {
		return false
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// short cuts a pointer that is too long to send back to the nearest member above it.
func short(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return pointer[:strings.LastIndexByte(pointer[:maxPointer+1], '/')]
}

func orBody(pointer string) string {
	if pointer == "" {
		return "the body"
	}
	return pointer
}

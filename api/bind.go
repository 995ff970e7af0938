package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"
)

// maxBody is the largest body that is read, in bytes.
const maxBody = 64 << 10

// keyBody is where the body that was read is kept in an echo.Context.
const keyBody = "body"

// maxDepth is how deep a body may nest, far more than any request does.
const maxDepth = 32

// bind decodes the request's JSON body into dst, a pointer to a struct, strictly: names count in their case and may
// not be unknown or repeated, null is no value, fields tagged `validate:"required"` must be there, and no text holds
// control characters. An integer is written as one: 1.0 and 1e0 are refused. A dst that is a checker is checked last.
// Every error is a *Problem.
func bind(c echo.Context, dst any) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	return decode(body, dst)
}

// bindOptional is bind for calls that may come without a body, which then counts as {}.
func bindOptional(c echo.Context, dst any) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	return decode(body, dst)
}

// noBody refuses a body that is anything but absent or an empty object.
func noBody(c echo.Context) error {
	return bindOptional(c, &struct{}{})
}

// readBody returns the body, bounded, after looking at its media type.
func readBody(c echo.Context) ([]byte, error) {
	r := c.Request()
	if r.ContentLength > maxBody {
		return nil, bodyTooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response().Writer, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, bodyTooLarge()
	case err != nil:
		return nil, problem(CodeMalformedJSON, "the body could not be read to its end").because(err)
	}
	if len(body) > 0 && !isJSON(r.Header) {
		return nil, problem(CodeUnsupportedMediaType, "send Content-Type: application/json, uncompressed")
	}
	c.Set(keyBody, body)
	return body, nil
}

// isJSON tells whether the headers announce plain JSON in UTF-8.
func isJSON(h http.Header) bool {
	media, params, err := mime.ParseMediaType(h.Get(echo.HeaderContentType))
	charset, named := params["charset"]
	encoding := h.Get(echo.HeaderContentEncoding)
	return err == nil && media == echo.MIMEApplicationJSON &&
		(!named || strings.EqualFold(charset, "utf-8")) && (encoding == "" || strings.EqualFold(encoding, "identity"))
}

// decode is bind on bytes. A syntax error anywhere comes before any complaint about content.
func decode(body []byte, dst any) error {
	if len(body) == 0 {
		return problem(CodeMalformedJSON, "a JSON object is needed as the body")
	}
	if err := json.Unmarshal(body, new(jsontext.Value)); err != nil {
		return problem(CodeMalformedJSON, "%s", syntaxDetail(err)).because(err)
	}
	var v validator
	scan(body, &v)
	if err := json.Unmarshal(body, dst, json.RejectUnknownMembers(true)); err != nil {
		v.invalid(typeDetail(err))
	}
	requireFields(reflect.TypeOf(dst).Elem(), body, "", &v)
	if ch, ok := dst.(checker); ok && len(v.errors) == 0 {
		ch.check(&v)
	}
	return v.err()
}

// scan goes through the tokens of a well-formed body and notes nulls, control characters and depth. It stops at maxErrors
// of them, told apart or not: to find out where a token stands costs time in proportion to the depth and the names there.
func scan(body []byte, v *validator) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	for noted := 0; noted < maxErrors; {
		tok, err := dec.ReadToken()
		switch {
		case err != nil:
			return // the end, as the body is well-formed
		case dec.StackDepth() > maxDepth:
			v.invalid("", "is nested too deeply")
			return
		case tok.Kind() == 'n':
			v.invalid(string(dec.StackPointer()), "must not be null")
			noted++
		case tok.Kind() == '"' && strings.ContainsFunc(tok.String(), unicode.IsControl):
			v.invalid(string(dec.StackPointer()), "must not contain control characters")
			noted++
		}
	}
}

// requireFields notes each field tagged `validate:"required"` that is missing in an object that is there.
func requireFields(t reflect.Type, value jsontext.Value, pointer string, v *validator) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || value.Kind() != '{' {
		return
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(value, &members); err != nil {
		return // not with a well-formed value
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		member, there := members[name]
		if !there && f.Tag.Get("validate") == "required" {
			v.invalid(pointer+"/"+name, "is required")
		}
		requireFields(f.Type, member, pointer+"/"+name, v)
	}
}

// syntaxDetail says what is wrong with a body that is not JSON, without repeating what it holds.
func syntaxDetail(err error) string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "a member's name is repeated in its object"
	case errors.As(err, &syntax):
		return "not well-formed at byte " + strconv.FormatInt(syntax.ByteOffset, 10)
	}
	return "not well-formed"
}

// typeDetail returns where a well-formed body doesn't fit its Go type, and what would.
func typeDetail(err error) (pointer, detail string) {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return "", "can't be read"
	}
	pointer = string(semantic.JSONPointer)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return pointer, "is not known here"
	case errors.Is(err, strconv.ErrRange):
		return pointer, "is out of range"
	case semantic.GoType == nil:
		return pointer, "has the wrong type"
	}
	return pointer, "must be " + article(semantic.GoType)
}

// article names the JSON type that a Go type is read from.
func article(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() { //nolint:exhaustive // the kinds that requests are made of
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}

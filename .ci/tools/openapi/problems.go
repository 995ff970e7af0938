package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	mimeProblem = "application/problem+json"
	idempotency = "idempotency_" // how the codes begin that come with Idempotency-Key
)

// problemCodes gives each problem an answer may be as an example named by its code, so that each operation tells which codes it may answer with.
// The codes of a status are those that the answer's description names, or, for 409, those behind "409:" in the operation's; else the first code of
// that status. An Idempotency-Key brings its own.
func (f *facts) problemCodes(doc *openapi3.T) error {
	doc.Components.Examples = openapi3.Examples{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				body := response.Value.Content[mimeProblem]
				if body == nil {
					continue
				}
				codes := f.codesOf(operation, status, *response.Value.Description)
				if len(codes) == 0 {
					return fmt.Errorf("%s %s: which codes come with %s is not said: name them in the description of the answer, or behind 409: in that of the call", method, path, status)
				}
				body.Examples = openapi3.Examples{}
				for _, p := range codes {
					doc.Components.Examples[p.Code] = &openapi3.ExampleRef{Value: p.example()}
					body.Examples[p.Code] = &openapi3.ExampleRef{Ref: "#/components/examples/" + p.Code, Value: p.example()}
				}
			}
		}
	}
	return nil
}

func (f *facts) codesOf(operation *openapi3.Operation, status, description string) (codes []problem) {
	words := word.FindAllString(description, -1)
	if begin := conflicts.FindStringIndex(operation.Description); begin != nil && status == "409" {
		words = append(words, word.FindAllString(operation.Description[begin[1]:], -1)...)
	}
	for _, p := range f.Problems {
		if strconv.Itoa(p.Status) == status && slices.Contains(words, p.Code) {
			codes = append(codes, p)
		}
	}
	if len(codes) == 0 && status != "409" {
		first := slices.IndexFunc(f.Problems, func(p problem) bool { return strconv.Itoa(p.Status) == status })
		if first >= 0 {
			codes = append(codes, f.Problems[first])
		}
	}
	if operation.Parameters.GetByInAndName(openapi3.ParameterInHeader, "Idempotency-Key") != nil {
		for _, p := range f.Problems {
			if strconv.Itoa(p.Status) == status && strings.HasPrefix(p.Code, idempotency) && !slices.Contains(codes, p) {
				codes = append(codes, p)
			}
		}
	}
	return codes
}

var (
	word      = regexp.MustCompile(`[a-z]+(_[a-z]+)*`)
	conflicts = regexp.MustCompile(`409[^:.]*:`)
)

// example is a problem document as the program writes it.
func (p problem) example() *openapi3.Example {
	document := map[string]any{
		"type": "/docs/problems#" + p.Code, "title": p.Title, "status": p.Status, "code": p.Code, "instance": "/v1/games/" + exampleID + "/bids",
	}
	if p.Code == "invalid" {
		document["errors"] = []any{map[string]any{"pointer": "/tricks", "detail": "must be from 0 to 20"}}
	}
	if byGame := p.Code != "username_taken" && !strings.HasPrefix(p.Code, idempotency); p.Status == 409 && byGame || p.Status == 412 {
		document["version"] = 57
	}
	return &openapi3.Example{Summary: p.Title, Value: document}
}

// refusalHeaders says which headers come with answers that ask to come back: with a token, or later.
func refusalHeaders(doc *openapi3.T) error {
	text := func(s *openapi3.Schema, about string) *openapi3.HeaderRef {
		return &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{Description: about, Required: true, Schema: s.NewRef()}}}
	}
	doc.Components.Headers = openapi3.Headers{
		"Retry-After":      text(openapi3.NewIntegerSchema().WithMin(0), "seconds to wait"),
		"WWW-Authenticate": text(openapi3.NewStringSchema(), "Bearer"),
	}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for status, name := range map[string]string{"401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After"} {
				if response := operation.Responses.Value(status); response != nil {
					if response.Value.Headers == nil {
						response.Value.Headers = openapi3.Headers{}
					}
					response.Value.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name, Value: doc.Components.Headers[name].Value}
				}
			}
		}
	}
	return nil
}

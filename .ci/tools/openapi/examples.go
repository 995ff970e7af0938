package main

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	exampleID   = "0198a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b"
	exampleTime = "2026-01-02T03:04:05.678Z"
)

// bodyExamples gives each schema that is the whole body of a request or an answer an example, made of those of its parts, and each event.
func bodyExamples(doc *openapi3.T) error {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.RequestBody != nil {
				exemplify(operation.RequestBody.Value.Content)
			}
			for _, response := range operation.Responses.Map() {
				exemplify(response.Value.Content)
			}
		}
	}
	for _, event := range doc.Components.Schemas[union].Value.OneOf {
		event.Value.Example = exampleOf(event.Value)
	}
	return nil
}

func exemplify(content openapi3.Content) {
	body := content["application/json"]
	if body != nil && body.Schema.Ref != "" && body.Schema.Value.Example == nil {
		body.Schema.Value.Example = exampleOf(body.Schema.Value)
	}
}

// exampleOf makes an example of a schema: what is annotated, else what is simplest.
func exampleOf(s *openapi3.Schema) any {
	switch {
	case s.Example != nil:
		return s.Example
	case s.Default != nil:
		return s.Default
	case len(s.AllOf) == 1:
		return exampleOf(s.AllOf[0].Value)
	case len(s.OneOf) > 0:
		return exampleOf(s.OneOf[0].Value)
	case s.Type.Is("object"):
		return exampleObject(s)
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is("array"):
		return []any{exampleOf(s.Items.Value)}
	case s.Type.Is("integer"), s.Type.Is("number"):
		if s.Min != nil {
			return *s.Min
		}
		return 1
	case s.Type.Is("boolean"):
		return false
	case s.Format == "uuid":
		return exampleID
	case s.Format == "date-time":
		return exampleTime
	}
	return "text" + strings.Repeat("_", max(0, int(s.MinLength)-4)) //nolint:gosec // lengths of names
}

// exampleObject has what is required, and of the rest what has an example of its own.
func exampleObject(s *openapi3.Schema) any {
	out := map[string]any{}
	for name, property := range s.Properties {
		if p := property.Value; slices.Contains(s.Required, name) || p.Example != nil || p.Default != nil {
			out[name] = exampleOf(p)
		}
	}
	return out
}

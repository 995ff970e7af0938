package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// steps say what Swagger 2.0 can't, with the facts at hand. Each changes the document in place; they run in this order.
func steps(f *facts) []func(*openapi3.T) error {
	return []func(*openapi3.T) error{
		bearerTokens,
		openOperations,
		rateLimits,
		problemDocuments,
		texts,
		patterns,
		nullableItems,
		f.eventUnion,
		nullableEnums,
		nullableReferences,
		bodyDefaults,
		f.problemCodes,
		refusalHeaders,
		bodyExamples,
	}
}

// bearerTokens turns swag's API keys, the nearest thing Swagger 2.0 has, into bearer tokens.
func bearerTokens(doc *openapi3.T) error {
	for _, scheme := range doc.Components.SecuritySchemes {
		if scheme.Value.Type != "apiKey" {
			continue
		}
		description := scheme.Value.Description
		scheme.Value = openapi3.NewJWTSecurityScheme()
		scheme.Value.Description = description
	}
	return nil
}

// openOperations says of every operation without a token that it needs none.
func openOperations(doc *openapi3.T) error {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.Security == nil {
				operation.Security = openapi3.NewSecurityRequirements()
			}
		}
	}
	return nil
}

// rateLimits adds the answer that every call of the API may get when there were too many, with the fields that say what is left.
func rateLimits(doc *openapi3.T) error {
	for path, item := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for _, operation := range item.Operations() {
			if operation.Responses.Value("429") != nil {
				continue
			}
			answer := openapi3.NewResponse().WithDescription("rate_limited").
				WithContent(openapi3.NewContentWithJSONSchemaRef(openapi3.NewSchemaRef("#/components/schemas/Problem", nil)))
			answer.Headers = openapi3.Headers{
				"RateLimit":        rateLimitField("what is left (draft-ietf-httpapi-ratelimit-headers-11); absent where there is too much at once, not too often"),
				"RateLimit-Policy": rateLimitField("the quota that is used up, and its window"),
			}
			operation.Responses.Set("429", &openapi3.ResponseRef{Value: answer})
		}
	}
	return nil
}

func rateLimitField(description string) *openapi3.HeaderRef {
	return &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{Description: description, Schema: openapi3.NewStringSchema().NewRef()}}}
}

// problemDocuments gives every answer from 400 on the type of RFC 9457.
func problemDocuments(doc *openapi3.T) error {
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				if code, err := strconv.Atoi(status); err != nil || code < 400 {
					continue
				}
				content := response.Value.Content
				if len(content) == 0 {
					return fmt.Errorf("%s %s: the answer %s has no problem document", method, path, status)
				}
				body := content[slices.Min(slices.Collect(maps.Keys(content)))]
				response.Value.Content = openapi3.Content{"application/problem+json": body}
			}
		}
	}
	return nil
}

// texts describes answers that are no single JSON value, where swag takes what the JSON answer is: to a validator they are text.
func texts(doc *openapi3.T) error {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				for kind, body := range response.Value.Content {
					if what, ok := textual[kind]; ok {
						body.Schema = openapi3.NewStringSchema().NewRef()
						body.Schema.Value.Description = what
					}
				}
			}
		}
	}
	return nil
}

var textual = map[string]string{
	"application/x-ndjson": "One " + union + " a line.",
	"text/event-stream":    "Server-sent events: event is the type, id the version, and data one " + union + ".",
}

// patterns makes x-pattern, which swag passes on, the pattern that swag has no tag for.
func patterns(doc *openapi3.T) error {
	return doc.WalkSchemas(func(place string, ref *openapi3.SchemaRef) error {
		given, ok := ref.Value.Extensions["x-pattern"]
		if !ok {
			return nil
		}
		pattern, ok := given.(string)
		if !ok {
			return fmt.Errorf("%s: x-pattern is no text", place)
		}
		ref.Value.Pattern = pattern
		delete(ref.Value.Extensions, "x-pattern")
		return nil
	})
}

// nullableItems lets an array marked with x-nullable-items hold null: swag can't mark what is in an array.
func nullableItems(doc *openapi3.T) error {
	return doc.WalkSchemas(func(place string, ref *openapi3.SchemaRef) error {
		if _, ok := ref.Value.Extensions["x-nullable-items"]; !ok {
			return nil
		}
		if ref.Value.Items == nil || ref.Value.Items.Ref != "" {
			return fmt.Errorf("%s: x-nullable-items is only for arrays of plain values", place)
		}
		ref.Value.Items.Value.Nullable = true
		delete(ref.Value.Extensions, "x-nullable-items")
		return nil
	})
}

// nullableEnums lets null be one of the values where null is allowed: OpenAPI 3.0 asks for both.
func nullableEnums(doc *openapi3.T) error {
	return doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		s := ref.Value
		if s.Nullable && len(s.Enum) > 0 && !slices.Contains(s.Enum, nil) {
			s.Enum = append(s.Enum, nil)
		}
		return nil
	})
}

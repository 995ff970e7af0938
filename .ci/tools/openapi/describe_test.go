package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func fixture(t *testing.T) *openapi3.T {
	t.Helper()
	data, err := describe("testdata/api", "testdata/domain")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDescribe_GivesTheSameBytesEachTime(t *testing.T) {
	t.Parallel()
	first, err := describe("testdata/api", "testdata/domain")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := describe("testdata/api", "testdata/domain")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Fatal("two runs differ")
		}
	}
	if !bytes.HasSuffix(first, []byte("}\n")) {
		t.Error("no newline at the end")
	}
}

func TestDescribe_ErrorsAreProblemDocuments(t *testing.T) {
	t.Parallel()
	operation := fixture(t).Paths.Value("/v1/games/{id}/trump").Post
	for status, kind := range map[int]string{200: "application/json", 404: "application/problem+json", 409: "application/problem+json"} {
		content := operation.Responses.Status(status).Value.Content
		if len(content) != 1 || content[kind] == nil {
			t.Errorf("%d: got %v, want only %s", status, content, kind)
		}
	}
}

func TestDescribe_TokensAreBearerTokens(t *testing.T) {
	t.Parallel()
	doc := fixture(t)
	scheme := doc.Components.SecuritySchemes["bearer"].Value
	if scheme.Type != "http" || scheme.Scheme != "bearer" || scheme.BearerFormat != "JWT" || scheme.Description != "An access token." {
		t.Errorf("got %+v", scheme)
	}
	if len(*doc.Paths.Value("/v1/games/{id}/trump").Post.Security) != 1 {
		t.Error("the operation asks for no token")
	}
	if open := doc.Paths.Value("/v1/rules").Get.Security; open == nil || len(*open) != 0 {
		t.Errorf("the operation without a token asks for %v", open)
	}
}

func TestDescribe_NullIsAllowedWhereAnnotated(t *testing.T) {
	t.Parallel()
	trump := fixture(t).Components.Schemas["Trump"].Value
	for name, nullable := range map[string]bool{"suit": false, "bid": true, "by": true, "other": true} {
		err := trump.Properties[name].Value.VisitJSON(nil)
		if (err == nil) != nullable {
			t.Errorf("%s: null gives %v, want nullable %v", name, err, nullable)
		}
	}
	if by := trump.Properties["by"].Value; !slices.Contains(by.Enum, nil) {
		t.Errorf("null is none of the values of by: %v", by.Enum)
	}
	if other := trump.Properties["other"].Value; !other.Type.Is("object") {
		t.Errorf("a nullable reference has type %v", other.Type)
	}
}

func TestDescribe_ExtensionsBecomeWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	trump := fixture(t).Components.Schemas["Trump"].Value
	seed, times := trump.Properties["seed"].Value, trump.Properties["times"].Value
	if seed.Pattern != "^[a-z]*$" || len(seed.Extensions) != 0 {
		t.Errorf("got pattern %q and %v", seed.Pattern, seed.Extensions)
	}
	if err := times.VisitJSON([]any{nil, "noon"}); err != nil || len(times.Extensions) != 0 {
		t.Errorf("got %v and %v", err, times.Extensions)
	}
}

func TestDescribe_NDJSONIsDescribedByItsLines(t *testing.T) {
	t.Parallel()
	content := fixture(t).Paths.Value("/v1/events").Get.Responses.Status(200).Value.Content
	if got := content["application/json"].Schema.Ref; got != "#/components/schemas/Page" {
		t.Errorf("json: got %q", got)
	}
	if got := content["application/x-ndjson"].Schema.Ref; got != "#/components/schemas/Event" {
		t.Errorf("ndjson: got %q", got)
	}
}

func TestDescribe_EventsAreAUnion(t *testing.T) {
	t.Parallel()
	event := fixture(t).Components.Schemas["Event"].Value
	if len(event.OneOf) != 2 || event.Discriminator == nil || event.Discriminator.Mapping["dealt"].Ref != "#/components/schemas/Dealt" {
		t.Fatalf("got %+v", event)
	}
	if err := event.VisitJSON(map[string]any{"type": "bid_placed"}); err != nil {
		t.Error(err)
	}
	if err := event.VisitJSON(map[string]any{"type": "unheard_of"}); err == nil {
		t.Error("any type is an event")
	}
}

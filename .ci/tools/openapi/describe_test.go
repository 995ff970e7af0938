package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// program is a small program's facts.
func program() *facts {
	round := openapi3.NewObjectSchema().WithProperty("round", openapi3.NewIntegerSchema()).WithRequired([]string{"round"})
	bid := openapi3.NewObjectSchema().WithProperty("tricks", openapi3.NewIntegerSchema().WithNullable())
	return &facts{
		Events: map[string]*openapi3.Schema{"dealt": round, "bid_placed": bid},
		Problems: []problem{
			{"unauthenticated", 401, "Sign in"},
			{"bad_credentials", 401, "Wrong"},
			{"not_found", 404, "Nothing"},
			{"game_over", 409, "Over"},
			{"not_your_turn", 409, "Wait"},
			{"wrong_phase", 409, "No"},
			{"idempotency_in_progress", 409, "Wait"},
			{"rate_limited", 429, "Too much"},
			{"unavailable", 503, "Later"},
		},
		about: map[string]string{"Dealt": "Dealt begins a round.", "BidPlaced": "BidPlaced is a bid."},
	}
}

func fixture(t *testing.T) *openapi3.T {
	t.Helper()
	data, err := describe(program(), "testdata/api", "testdata/domain")
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
	first, err := describe(program(), "testdata/api", "testdata/domain")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := describe(program(), "testdata/api", "testdata/domain")
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
}

// OpenAPI 3.0 asks for a type beside nullable, and JSON Schema, which validators turn it into, for null in what is referred to as well.
func TestDescribe_NullableReferences(t *testing.T) {
	t.Parallel()
	doc := fixture(t)
	trump := doc.Components.Schemas["Trump"].Value
	for name, ref := range map[string]string{"seat": "Seat", "other": "ProblemOrNull"} {
		property := trump.Properties[name].Value
		to := doc.Components.Schemas[ref]
		if !property.Nullable || !property.Type.Is("object") || property.AllOf[0].Ref != "#/components/schemas/"+ref || !to.Value.Nullable {
			t.Errorf("%s: %+v", name, property)
		}
	}
	if doc.Components.Schemas["Problem"].Value.Nullable {
		t.Error("every problem may be null")
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

func TestDescribe_WhatIsNoJSONIsText(t *testing.T) {
	t.Parallel()
	content := fixture(t).Paths.Value("/v1/events").Get.Responses.Status(200).Value.Content
	if got := content["application/json"].Schema.Ref; got != "#/components/schemas/Page" {
		t.Errorf("json: got %q", got)
	}
	for _, kind := range []string{"application/x-ndjson", "text/event-stream"} {
		if got := content[kind].Schema.Value; !got.Type.Is("string") || got.Description == "" {
			t.Errorf("%s: got %+v", kind, got)
		}
	}
}

func TestDescribe_EventsAreAUnion(t *testing.T) {
	t.Parallel()
	doc := fixture(t)
	event := doc.Components.Schemas["Event"].Value
	if len(event.OneOf) != 2 || event.Discriminator == nil || event.Discriminator.Mapping["dealt"].Ref != "#/components/schemas/DealtEvent" {
		t.Fatalf("got %+v", event)
	}
	if got := doc.Components.Schemas["DealtEvent"].Value.Description; got != "Dealt begins a round." {
		t.Errorf("got %q", got)
	}
	for _, tt := range []struct {
		event map[string]any
		fits  bool
	}{
		{map[string]any{"type": "dealt", "data": map[string]any{"round": 1.0}}, true},
		{map[string]any{"type": "dealt", "data": map[string]any{"round": "1"}}, false},
		{map[string]any{"type": "dealt", "data": map[string]any{}}, false},
		{map[string]any{"type": "bid_placed", "data": map[string]any{"tricks": nil}}, true},
		{map[string]any{"type": "unheard_of", "data": map[string]any{"round": 1.0}}, false},
	} {
		if err := event.VisitJSON(tt.event); (err == nil) != tt.fits {
			t.Errorf("%v: %v", tt.event, err)
		}
	}
}

func TestDescribe_AsksForWhatTheProgramMustTell(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*facts){
		"an event without data":    func(f *facts) { f.Events["dealt"] = openapi3.NewObjectSchema() },
		"an event nobody explains": func(f *facts) { delete(f.about, "Dealt") },
		"no events":                func(f *facts) { f.Events = nil },
		"no codes for a status":    func(f *facts) { f.Problems = f.Problems[:3] },
	} {
		f := program()
		change(f)
		if _, err := describe(f, "testdata/api", "testdata/domain"); err == nil {
			t.Errorf("%s: it is described all the same", what)
		}
	}
}

func TestDescribe_EachProblemTellsItsCodes(t *testing.T) {
	t.Parallel()
	doc := fixture(t)
	codes := func(o *openapi3.Operation, status int) string {
		body := o.Responses.Status(status).Value.Content[mimeProblem]
		return strings.Join(slices.Sorted(maps.Keys(body.Examples)), " ")
	}
	choose, events := doc.Paths.Value("/v1/games/{id}/trump").Post, doc.Paths.Value("/v1/events").Get
	if got := codes(choose, 409); got != "game_over idempotency_in_progress not_your_turn" {
		t.Errorf("409: %s", got)
	}
	if got := codes(choose, 404) + " " + codes(events, 401); got != "not_found bad_credentials" {
		t.Errorf("404 and 401: %s", got)
	}
	example := doc.Components.Examples["game_over"].Value.Value.(map[string]any)
	if example["code"] != "game_over" || example["status"] != 409.0 || example["title"] != "Over" {
		t.Errorf("got %v", example)
	}
}

func TestDescribe_RefusalsTellWhenToComeBack(t *testing.T) {
	t.Parallel()
	doc := fixture(t)
	if h := doc.Paths.Value("/v1/games/{id}/trump").Post.Responses.Status(503).Value.Headers["Retry-After"]; h == nil || !h.Value.Required {
		t.Error("503 without Retry-After")
	}
	limited := doc.Paths.Value("/v1/events").Get.Responses.Status(429)
	if limited == nil || limited.Value.Content["application/problem+json"] == nil || !limited.Value.Headers["Retry-After"].Value.Required || limited.Value.Headers["RateLimit"].Value.Required {
		t.Error("no 429 as it is")
	}
	if h := doc.Paths.Value("/v1/events").Get.Responses.Status(401).Value.Headers["WWW-Authenticate"]; h == nil {
		t.Error("401 without WWW-Authenticate")
	}
}

// A generated client must be able to leave out what has a default.
func TestDescribe_DefaultsOfRequestsAreTold(t *testing.T) {
	t.Parallel()
	fast := fixture(t).Components.Schemas["Trump"].Value.Properties["fast"].Value
	if fast.Default != nil || fast.Example != true || fast.Description != "no thinking; true where it is absent" {
		t.Errorf("got %+v", fast)
	}
}

func TestDescribe_BodiesHaveExamples(t *testing.T) {
	t.Parallel()
	doc := fixture(t)
	page := doc.Components.Schemas["Page"].Value
	if err := page.VisitJSON(page.Example); page.Example == nil || err != nil {
		t.Errorf("%v: %v", page.Example, err)
	}
	seat := doc.Components.Schemas["Trump"].Value.Example.(map[string]any)["seat"]
	if got := seat.(map[string]any)["number"]; got != 3.0 {
		t.Errorf("the annotated example has become %v", got)
	}
}

func TestComments_BeginOnly(t *testing.T) {
	t.Parallel()
	got, err := comments("testdata/domain/table/table.go")
	if err != nil || got["Suit"] != "Suit is one of two." {
		t.Errorf("got %v %v", got, err)
	}
}

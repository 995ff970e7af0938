package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mago/domain/game"
	"mago/openapi"
)

// published is what these tests look at in the document.
type published struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas map[string]struct {
			Enum          []string
			Discriminator struct{ Mapping map[string]string }
			Properties    map[string]json.RawMessage
			Required      []string
		}
	}
}

func publishedDocument(t *testing.T) (p published) {
	t.Helper()
	if err := json.Unmarshal(openapi.Document, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// The server's routes are the document's. Left out are HEAD, which is GET without its body, and the files of the page.
func TestRoutesAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	documented := []string{}
	for path, item := range publishedDocument(t).Paths {
		for method := range item {
			documented = append(documented, strings.ToUpper(method)+" "+path)
		}
	}
	routed := []string{}
	for _, r := range start(t).echo.Routes() {
		segments := strings.Split(r.Path, "/")
		for i, s := range segments {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				segments[i] = "{" + name + "}"
			}
		}
		partOfPage := slices.Contains(openapi.DocsPaths(), r.Path) && r.Path != "/docs"
		if r.Method != http.MethodHead && !partOfPage {
			routed = append(routed, r.Method+" "+strings.Join(segments, "/"))
		}
	}
	for _, r := range routed {
		if !slices.Contains(documented, r) {
			t.Errorf("%s is not in the document", r)
		}
	}
	for _, d := range documented {
		if !slices.Contains(routed, d) {
			t.Errorf("%s is in the document alone", d)
		}
	}
	if len(routed) < 20 {
		t.Errorf("only %v", routed)
	}
}

func TestDocumentHasEveryEventTypeAndCode(t *testing.T) {
	t.Parallel()
	schemas := publishedDocument(t).Components.Schemas
	mapping := schemas["Event"].Discriminator.Mapping
	for _, name := range game.Types() {
		schema := schemas[strings.TrimPrefix(mapping[name], "#/components/schemas/")]
		if !slices.Contains(schema.Required, "data") || string(schema.Properties["data"]) == "" {
			t.Errorf("%s: %+v", name, schema)
		}
	}
	if len(mapping) != len(game.Types()) {
		t.Errorf("%d types in the document, %d in the game", len(mapping), len(game.Types()))
	}
	for _, k := range kinds {
		if !slices.Contains(schemas["Code"].Enum, string(k.Code)) {
			t.Errorf("the code %s is not in the document", k.Code)
		}
	}
	if len(schemas["Code"].Enum) != len(kinds) {
		t.Errorf("%d codes in the document, %d in the program", len(schemas["Code"].Enum), len(kinds))
	}
}

package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mago/openapi"
)

// operation is a call as the published document has it.
type operation struct {
	method, path string          // the path with its parameters in braces
	open         bool            // needs no token
	body         json.RawMessage // an example
	schema       string          // the body's, a reference
	parameters   []parameter
}

type parameter struct {
	In, Name string
	Required bool
	Schema   schema
}

// schema is as much of a JSON schema as tests look at.
type schema struct {
	Ref        string `json:"$ref"`
	Type       string
	Enum       []any
	Minimum    *float64
	Maximum    *float64
	MinLength  *int
	MaxLength  *int
	Properties map[string]schema
	Example    json.RawMessage
}

func (o operation) String() string { return o.method + " " + o.path }

// at returns the operation's path with its parameters filled in, and with the parameters of the query that are needed.
func (o operation) at(t *testing.T, values map[string]string) string {
	t.Helper()
	path := o.path
	for _, p := range o.parameters {
		if p.In == "query" && p.Required && p.Schema.Minimum != nil {
			path += fmt.Sprintf("?%s=%v", p.Name, *p.Schema.Minimum)
		}
		if p.In != "path" {
			continue
		}
		if values[p.Name] == "" {
			t.Fatalf("%s: what stands for {%s}?", o, p.Name)
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", values[p.Name])
	}
	return path
}

// document is the published one: its operations in order, and the schemas of bodies by name.
func document(tb testing.TB) (operations []operation, schemas map[string]schema) {
	tb.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Security    []any
			Parameters  []parameter
			RequestBody *struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(openapi.Document, &doc); err != nil {
		tb.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			o := doc.Paths[path][method]
			op := operation{method: strings.ToUpper(method), path: path, open: len(o.Security) == 0, parameters: o.Parameters}
			if o.RequestBody != nil {
				op.schema = o.RequestBody.Content["application/json"].Schema.Ref
				name := refName(op.schema)
				if op.body = doc.Components.Schemas[name].Example; op.body == nil {
					tb.Fatalf("%s: its body has no example in the document", op)
				}
			}
			operations = append(operations, op)
		}
	}
	return operations, doc.Components.Schemas
}

func refName(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") }

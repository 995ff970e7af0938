package main

import (
	"encoding/json"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const components = "#/components/schemas/"

// nullableReferences lets null stand where a reference may be null. In OpenAPI 3.0 that takes a type beside it, and a schema behind it that
// lets null pass as well: one that is referred to in no other way becomes nullable itself, of any other a copy is made that is.
func nullableReferences(doc *openapi3.T) error {
	written, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	references := map[string][]*openapi3.Schema{}
	err = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		if s := ref.Value; s.Nullable && len(s.AllOf) == 1 && s.AllOf[0].Ref != "" {
			references[s.AllOf[0].Ref] = append(references[s.AllOf[0].Ref], s)
		}
		return nil
	})
	for to, from := range references {
		target := doc.Components.Schemas[strings.TrimPrefix(to, components)]
		if strings.Count(string(written), `"$ref":"`+to+`"`) > len(from) {
			name := strings.TrimPrefix(to, components) + "OrNull"
			other := *target.Value
			target = other.NewRef()
			doc.Components.Schemas[name], to = target, components+name
		}
		target.Value.Nullable = true
		for _, s := range from {
			s.Type, s.AllOf[0] = target.Value.Type, openapi3.NewSchemaRef(to, target.Value)
		}
	}
	return err
}

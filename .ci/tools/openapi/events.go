package main

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	union         = "Event"
	discriminator = "type"
)

// eventUnion makes the schema Event the union of all event types. An event type is a schema whose required property
// "type" has exactly one value; readers tell them apart by it. Without any, Event is left as annotated.
func eventUnion(doc *openapi3.T) error {
	event := openapi3.NewSchema()
	event.Discriminator = &openapi3.Discriminator{PropertyName: discriminator, Mapping: map[string]openapi3.MappingRef{}}
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		schema := doc.Components.Schemas[name].Value
		kind, ok := eventType(schema)
		if !ok || name == union {
			continue
		}
		ref := "#/components/schemas/" + name
		event.OneOf = append(event.OneOf, openapi3.NewSchemaRef(ref, schema))
		event.Discriminator.Mapping[kind] = openapi3.MappingRef{Ref: ref}
	}
	if len(event.OneOf) == 0 {
		return nil
	}
	if annotated, ok := doc.Components.Schemas[union]; ok {
		event.Description = annotated.Value.Description
		*annotated.Value = *event
		return nil
	}
	doc.Components.Schemas[union] = event.NewRef()
	return nil
}

// eventType returns the one value that the schema's "type" can have.
func eventType(schema *openapi3.Schema) (string, bool) {
	property, ok := schema.Properties[discriminator]
	if !ok || len(property.Value.Enum) != 1 || !slices.Contains(schema.Required, discriminator) {
		return "", false
	}
	kind, ok := property.Value.Enum[0].(string)
	return kind, ok
}

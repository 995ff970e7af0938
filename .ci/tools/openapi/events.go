package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	union         = "Event"
	discriminator = "type"
	payload       = "data"
)

// eventUnion makes the annotated schema Event the union of one schema for each type of event. Each is as annotated, with the one value that its
// "type" has, which readers tell them apart by, and with what its "data" looks like.
func (f *facts) eventUnion(doc *openapi3.T) error {
	annotated := doc.Components.Schemas[union]
	if annotated == nil || annotated.Value.Properties[discriminator] == nil || annotated.Value.Properties[payload] == nil {
		return fmt.Errorf("there is no annotated %s with %s and %s", union, discriminator, payload)
	}
	event := openapi3.NewSchema()
	event.Description = annotated.Value.Description
	event.Discriminator = &openapi3.Discriminator{PropertyName: discriminator, Mapping: map[string]openapi3.MappingRef{}}
	for _, kind := range slices.Sorted(maps.Keys(f.Events)) {
		name := camel(kind)
		data := f.Events[kind]
		if data == nil || len(data.Properties) == 0 {
			return fmt.Errorf("nothing is known of the data of %s", kind)
		}
		about := f.about[name]
		if about == "" {
			return fmt.Errorf("no comment says what %s is", name)
		}
		one := *annotated.Value
		one.Description = about
		one.Properties = maps.Clone(annotated.Value.Properties)
		one.Properties[discriminator] = openapi3.NewStringSchema().WithEnum(kind).NewRef()
		one.Properties[payload] = openapi3.NewSchemaRef(components+name+"Data", data)
		doc.Components.Schemas[name+"Data"] = data.NewRef()
		doc.Components.Schemas[name+union] = one.NewRef()
		ref := components + name + union
		event.OneOf = append(event.OneOf, openapi3.NewSchemaRef(ref, &one))
		event.Discriminator.Mapping[kind] = openapi3.MappingRef{Ref: ref}
	}
	if len(event.OneOf) == 0 {
		return fmt.Errorf("there are no types of events")
	}
	*annotated.Value = *event
	return nil
}

// camel turns the stored name of a type of event into that of its Go type: card_played, CardPlayed.
func camel(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

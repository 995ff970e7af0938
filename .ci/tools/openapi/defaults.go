package main

import (
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// bodyDefaults tells in words what the absence of a member of a request means. As a default it would be no less true, but generators of clients
// take what has a default for what is always there, and then ask for it in requests.
func bodyDefaults(doc *openapi3.T) error {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for _, body := range operation.RequestBody.Value.Content {
				err := body.Schema.WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
					if s := ref.Value; s.Default != nil {
						s.Description = strings.TrimPrefix(s.Description+"; ", "; ") + fmt.Sprintf("%v where it is absent", s.Default)
						s.Example, s.Default = s.Default, nil
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/swaggo/swag"
)

// describe returns the OpenAPI 3 document for the annotations found in the folders and the facts of the program, as indented
// JSON. The general annotations are in doc.go of the first folder. The same input gives the same bytes.
func describe(f *facts, folders ...string) ([]byte, error) {
	swagger, err := annotations(folders)
	if err != nil {
		return nil, fmt.Errorf("read annotations: %w", err)
	}
	var doc2 openapi2.T
	if err := json.Unmarshal(swagger, &doc2); err != nil {
		return nil, fmt.Errorf("read swagger: %w", err)
	}
	doc, err := openapi2conv.ToV3(&doc2)
	if err != nil {
		return nil, fmt.Errorf("convert to OpenAPI 3: %w", err)
	}
	for _, step := range steps(f) {
		if err := step(doc); err != nil {
			return nil, err
		}
	}
	return encode(doc)
}

// annotations runs swag and returns the Swagger 2.0 document that it makes.
func annotations(folders []string) ([]byte, error) {
	parser := swag.New(
		swag.SetStrict(true),
		swag.SetUseStructName(true),
		swag.SetDebugger(log.New(io.Discard, "", 0)),
	)
	if err := parser.ParseAPIMultiSearchDir(folders, "doc.go", 0); err != nil {
		return nil, err
	}
	return json.Marshal(parser.GetSwagger())
}

// encode validates the document as others will read it, and returns its bytes.
func encode(doc *openapi3.T) ([]byte, error) {
	compact, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	read, err := loader.LoadFromData(compact)
	if err != nil {
		return nil, fmt.Errorf("read the document again: %w", err)
	}
	if err := read.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the document is not valid: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

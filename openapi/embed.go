// Package openapi serves the description of the HTTP API and a page to read it with. Everything is embedded, and
// the page asks no other host for anything.
//
// The description is generated from the annotations in package api by `make generate`; it is never edited.
package openapi

import _ "embed"

// Document is the OpenAPI 3 description of the API, as JSON. It must not be changed.
//
//go:embed openapi.json
var Document []byte

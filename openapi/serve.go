package openapi

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	swagger "github.com/swaggo/files/v2"
)

// policy lets the page load only what this server gives. Swagger UI sets style attributes and draws its icons from
// data: addresses, and needs no more than that.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const (
	html       = "text/html; charset=utf-8"
	css        = "text/css; charset=utf-8"
	javascript = "text/javascript; charset=utf-8"
)

//go:embed docs
var own embed.FS

// files are all that Docs serves: the page is ours, Swagger UI is embedded with its module.
var files = []struct {
	path, kind string
	in         fs.FS
	name       string
}{
	{"/docs", html, own, "docs/index.html"},
	{"/docs/", html, own, "docs/index.html"},
	{"/docs/start.js", javascript, own, "docs/start.js"},
	{"/docs/swagger-ui-bundle.js", javascript, swagger.FS, "swagger-ui-bundle.js"},
	{"/docs/swagger-ui.css", css, swagger.FS, "swagger-ui.css"},
	{"/docs/favicon.png", "image/png", swagger.FS, "favicon-32x32.png"},
}

// Spec serves Document, with an ETag. The page of Docs looks for it at /openapi.json.
//
// @ID getDocument
// @Summary This document
// @Tags service
// @Produce json
// @Param If-None-Match header string false "the ETag of what you have"
// @Success 200 {object} object
// @Header 200 {string} ETag "of the document"
// @Success 304
// @Router /openapi.json [get]
func Spec() http.Handler { return serve("application/json", Document) }

// Docs serves the page that shows Document, and what the page needs: exactly DocsPaths, and 404 elsewhere.
//
// @ID docs
// @Summary This document as a page
// @Tags service
// @Produce html
// @Param If-None-Match header string false "the ETag of what you have"
// @Success 200 {string} string
// @Header 200 {string} ETag "of the page"
// @Success 304
// @Router /docs [get]
func Docs() http.Handler {
	pages := make(map[string]http.Handler, len(files))
	for _, f := range files {
		content, err := fs.ReadFile(f.in, f.name)
		if err != nil {
			panic(fmt.Sprintf("openapi: a file is not in the binary: %v", err))
		}
		pages[f.path] = serve(f.kind, content)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page, ok := pages[r.URL.Path]; ok {
			page.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
}

// DocsPaths lists every path that Docs answers. A router that mounts just these keeps its own answer for all others.
func DocsPaths() []string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	return paths
}

// serve answers with content, or with 304 where the asker has it already.
func serve(kind string, content []byte) http.Handler {
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		whole := r.Clone(r.Context()) // parts are not given, and conditions that fail would be answered with plain text
		for _, name := range []string{"Range", "If-Match", "If-Range", "If-Unmodified-Since"} {
			whole.Header.Del(name)
		}
		http.ServeContent(w, whole, "", time.Time{}, bytes.NewReader(content))
	})
}

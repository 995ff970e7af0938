package openapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mago/openapi"
)

func get(h http.Handler, path string) *httptest.ResponseRecorder { return getUnless(h, path, "") }

// getUnless asks for what has another ETag than the one given.
func getUnless(h http.Handler, path, etag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestSpec_IsTheDocumentWithAnETag(t *testing.T) {
	t.Parallel()
	w := get(openapi.Spec(), "/openapi.json")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %q", w.Code, w.Header().Get("Content-Type"))
	}
	if w.Body.String() != string(openapi.Document) {
		t.Error("the body is not the document")
	}
	again := getUnless(openapi.Spec(), "/openapi.json", w.Header().Get("ETag"))
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("with its ETag: got %d and %d bytes, want 304 and none", again.Code, again.Body.Len())
	}
	if other := getUnless(openapi.Spec(), "/openapi.json", `"another"`); other.Code != http.StatusOK {
		t.Errorf("with another ETag: got %d, want 200", other.Code)
	}
}

func TestDocument_IsOpenAPI3(t *testing.T) {
	t.Parallel()
	var doc struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Document, &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") || len(doc.Paths) == 0 {
		t.Errorf("got version %q with %d paths", doc.OpenAPI, len(doc.Paths))
	}
}

func TestDocs_ServesEachFileWithItsType(t *testing.T) {
	t.Parallel()
	docs := openapi.Docs()
	for path, kind := range map[string]string{
		"/docs":                      "text/html; charset=utf-8",
		"/docs/":                     "text/html; charset=utf-8",
		"/docs/start.js":             "text/javascript; charset=utf-8",
		"/docs/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
		"/docs/swagger-ui.css":       "text/css; charset=utf-8",
		"/docs/favicon.png":          "image/png",
	} {
		w := get(docs, path)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind || w.Body.Len() == 0 {
			t.Errorf("%s: got %d, %q, %d bytes", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len())
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the browser may guess its type", path)
		}
		if !slices.Contains(openapi.DocsPaths(), path) {
			t.Errorf("%s is not in DocsPaths", path)
		}
	}
}

func TestDocs_AllItsPathsAnswer(t *testing.T) {
	t.Parallel()
	docs := openapi.Docs()
	for _, path := range openapi.DocsPaths() {
		if w := get(docs, path); w.Code != http.StatusOK {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
}

func TestDocs_HasNothingElse(t *testing.T) {
	t.Parallel()
	docs := openapi.Docs()
	for _, path := range []string{
		"/", "/docs/index.html", "/docs/docs", "/docs/docs/", "/docs/dist/", "/docs/swagger-ui.css.map", "/docs/oauth2-redirect.html",
		"/docs/../embed.go", "/docs/..%2fembed.go", "/docs/swagger-ui.css/",
	} {
		if w := get(docs, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, w.Code)
		}
	}
}

var (
	foreign   = regexp.MustCompile(`(?i)(https?:)?//[a-z0-9]`)
	reference = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
)

func TestDocs_AsksNoOtherHost(t *testing.T) {
	t.Parallel()
	docs := openapi.Docs()
	page := get(docs, "/docs")
	for _, path := range []string{"/docs", "/docs/start.js"} {
		if found := foreign.FindString(get(docs, path).Body.String()); found != "" {
			t.Errorf("%s refers to another host: %q", path, found)
		}
	}
	references := reference.FindAllStringSubmatch(page.Body.String(), -1)
	if len(references) < 4 {
		t.Fatalf("found only %d references in the page", len(references))
	}
	for _, m := range references {
		if m[1] != "/openapi.json" && !slices.Contains(openapi.DocsPaths(), m[1]) {
			t.Errorf("the page refers to %s, which nobody serves", m[1])
		}
	}
	policy := page.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("the policy lets in too much: %q", policy)
	}
}

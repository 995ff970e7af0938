package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"mago/openapi"
)

// CheckAnswer fails a test where an answer is not as the published document describes it.
func CheckAnswer(tb testing.TB, method, path string, a Answer) {
	tb.Helper()
	if err := Undescribed(method, path, a); err != nil {
		tb.Errorf("%s %s: %d %.1000s\nis not as openapi.json describes it: %v", method, path, a.Status, a.Body, err)
	}
}

// Undescribed says what the published document doesn't know of an answer, nil if it describes all of it: the call, the status, the headers that
// must come with it, and the body to the last member, also of problems and of each event of a stream. A member that is not described is a fault.
func Undescribed(method, path string, a Answer) error {
	d, err := document()
	if err != nil {
		return err
	}
	head := method == http.MethodHead // answered as GET, without a body
	if head {
		method = http.MethodGet
	}
	switch { // what is the router's own, on every path
	case a.Status == http.StatusMethodNotAllowed:
		return d.problem(a, nil, head)
	case method == http.MethodOptions && a.Status == http.StatusNoContent && len(a.Body) == 0:
		return nil
	}
	request, err := http.NewRequest(method, path, nil) //nolint:noctx // it is never sent
	if err != nil {
		return err
	}
	route, _, err := d.router.FindRoute(request)
	if err == nil && len(path) > 1 && strings.HasSuffix(request.URL.Path, "/") { // the two routers disagree here
		err = routers.ErrPathNotFound
	}
	if err != nil { // no such path, or another method: the document says nothing of what the router refuses
		if a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed {
			return d.problem(a, nil, head)
		}
		return err
	}
	response := route.Operation.Responses.Status(a.Status)
	if response == nil {
		return fmt.Errorf("%s never answers %d", route.Operation.OperationID, a.Status)
	}
	for name, header := range response.Value.Headers {
		if header.Value.Required && a.Header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	return d.body(a, response.Value.Content, head)
}

// described is the document, closed: members that it doesn't describe are faults.
type described struct {
	doc    *openapi3.T
	router routers.Router
}

var document = sync.OnceValues(func() (*described, error) {
	openapi3.DefineStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`))
	openapi3.DefineStringFormatValidator("date-time", openapi3.NewRegexpFormatValidator(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`))
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, err
	}
	closed := false
	err = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		if s := ref.Value; len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
			s.AdditionalProperties.Has = &closed
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	router, err := legacy.NewRouter(doc)
	return &described{doc, router}, err
})

func (d *described) body(a Answer, content openapi3.Content, head bool) error {
	if len(content) == 0 {
		if len(a.Body) > 0 {
			return errors.New("there is a body")
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	described := content[kind]
	switch {
	case described == nil:
		return fmt.Errorf("it is never %s", kind)
	case head:
		if len(a.Body) > 0 {
			return errors.New("HEAD has a body")
		}
		return nil
	case kind == "application/problem+json":
		return d.problem(a, described.Examples, head)
	case kind == "application/json":
		return fits(described.Schema.Value, a.Body)
	}
	return d.events(kind, a.Body)
}

// problem checks a problem document, whose code must be one of those that the operation has examples of.
func (d *described) problem(a Answer, codes openapi3.Examples, head bool) error {
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		return fmt.Errorf("a problem is never %s", got)
	}
	if head {
		return nil
	}
	if err := fits(d.doc.Components.Schemas["Problem"].Value, a.Body); err != nil {
		return err
	}
	var p struct {
		Type, Code string
		Status     int
	}
	if err := json.Unmarshal(a.Body, &p); err != nil {
		return err
	}
	switch {
	case p.Status != a.Status || p.Type != "/docs/problems#"+p.Code:
		return fmt.Errorf("a problem of status %d and type %s", p.Status, p.Type)
	case codes != nil && codes[p.Code] == nil:
		return fmt.Errorf("the code is never %s", p.Code)
	}
	return nil
}

// events checks each event of a stream of them; other kinds of text are what they are.
func (d *described) events(kind string, body []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, len(body)+1)
	for lines.Scan() {
		line, isEvent := lines.Text(), kind == "application/x-ndjson"
		if kind == "text/event-stream" {
			line, isEvent = strings.CutPrefix(line, "data: ")
		}
		if isEvent {
			if err := fits(d.doc.Components.Schemas["Event"].Value, []byte(line)); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// fits says why a schema doesn't allow some JSON.
func fits(schema *openapi3.Schema, body []byte) error {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	return schema.VisitJSON(v, openapi3.VisitAsResponse(), openapi3.EnableFormatValidation())
}

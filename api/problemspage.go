package api

import (
	"bytes"
	"html/template"
	"net/http"

	"github.com/labstack/echo/v4"
)

// problemsTemplate is the page that every problem's type points into.
var problemsTemplate = template.Must(template.New("problems").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Mago: problems</title>
<h1>Problems</h1>
<p>Every error of the API is an RFC 9457 problem document. Its <code>code</code> is one of these.</p>
<table><tr><th>code</th><th>status</th><th>meaning</th></tr>
{{range .}}<tr id="{{.Code}}"><td><code>{{.Code}}</code></td><td>{{.Status}}</td><td>{{.Title}}</td></tr>
{{end}}</table></html>
`))

// problemsPage explains the codes to people.
//
// @ID problemsPage
// @Summary What the codes of problems mean
// @Tags service
// @Produce html
// @Success 200 {string} string
// @Router /docs/problems [get]
func (s *Server) problemsPage(c echo.Context) error {
	var page bytes.Buffer
	if err := problemsTemplate.Execute(&page, kinds); err != nil {
		return err
	}
	return c.HTMLBlob(http.StatusOK, page.Bytes())
}

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// facts is what the document has to know from the program itself, which api/describe prints.
type facts struct {
	Events   map[string]*openapi3.Schema `json:"events"` // what the data of each type of event looks like
	Problems []problem                   `json:"problems"`
	about    map[string]string           // what the source says of types, by name
}

// problem is what all problems of one code have in common.
type problem struct {
	Code   string `json:"code"`
	Status int    `json:"status"`
	Title  string `json:"title"`
}

// askProgram runs the module's own api/describe, and reads what domain/game says of its types.
func askProgram(root string) (*facts, error) {
	command := exec.Command("go", "run", "./api/describe")
	command.Dir, command.Stderr = root, os.Stderr
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go run ./api/describe: %w", err)
	}
	out := new(facts)
	if err := json.Unmarshal(printed, out); err != nil {
		return nil, fmt.Errorf("read what api/describe printed: %w", err)
	}
	out.about, err = comments(filepath.Join(root, "domain", "game", "event.go"))
	return out, err
}

// comments returns how the comment of each type in a file of Go begins: what follows is for those who read the file.
func comments(file string) (map[string]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, d := range parsed.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			t := spec.(*ast.TypeSpec) // in a declaration of types there is nothing else
			out[t.Name.Name] = firstClause(cmp.Or(t.Doc.Text(), group.Doc.Text()))
		}
	}
	return out, nil
}

func firstClause(comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if end := strings.IndexAny(text, ".;:"); end >= 0 {
		return text[:end] + "."
	}
	return text
}

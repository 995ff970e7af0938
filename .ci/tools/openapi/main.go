// Command openapi writes the OpenAPI 3 description of the API from the swag annotations in its handlers.
//
//	openapi [-check] ROOT
//
// ROOT is the folder of the module: the annotations are read from its api and domain folders, the general ones from
// api/doc.go, and the description is written to openapi/openapi.json. With -check nothing is written, and a file
// that is not what would be written is an error.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail if the file is out of date")
	flag.Parse()
	if err := run(flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	facts, err := askProgram(root)
	if err != nil {
		return err
	}
	document, err := describe(facts, filepath.Join(root, "api"), filepath.Join(root, "domain"), filepath.Join(root, "openapi"))
	if err != nil {
		return err
	}
	file := filepath.Join(root, "openapi", "openapi.json")
	if !check {
		return os.WriteFile(file, document, 0o644) //nolint:gosec // a source file, for everybody to read
	}
	present, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(present, document) {
		return errors.New(file + " is out of date: run `make generate` and commit what it writes")
	}
	return nil
}

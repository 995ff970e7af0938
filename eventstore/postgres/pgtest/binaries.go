// Package pgtest gives tests a PostgreSQL: the cluster that MAGO_TEST_POSTGRES names (the URL of a superuser), or a throw-away one of the
// test process. A test package that uses it ends through M, which stops what was started.
package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// HowToGet is what to do where there is no PostgreSQL.
const HowToGet = "install it (Debian: apt-get install postgresql) or set MAGO_TEST_POSTGRES to the URL of a superuser on a server that may be littered"

// Binaries returns the folder of PostgreSQL's programs: that of the highest version of Debian's folders, or where the PATH finds initdb.
func Binaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is good
	best, dir := -1, ""
	for _, path := range found {
		version, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		if err == nil && version > best {
			best, dir = version, filepath.Dir(path)
		}
	}
	if dir != "" {
		return dir, nil
	}
	path, err := exec.LookPath("initdb")
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("no PostgreSQL here: %s", HowToGet)
	}
	return filepath.Dir(path), nil
}

// Need skips the test where there is no PostgreSQL to start, or fails it if MAGO_TEST_NEED_POSTGRES is set.
func Need(t testing.TB) {
	t.Helper()
	if _, err := Binaries(); err != nil {
		without(t, err)
	}
}

func without(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("MAGO_TEST_NEED_POSTGRES") != "" {
		t.Fatal(err)
	}
	t.Skip(err)
}

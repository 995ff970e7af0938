package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	mago := func(args ...string) (string, error) {
		var out, log bytes.Buffer
		err := run(t.Context(), append(append([]string{"migrate"}, args...), "--database-url", "sqlite:"+path), func(string) string { return "" }, &out, &log)
		return out.String(), err
	}
	if out, err := mago("status"); err != nil || !strings.Contains(out, "migration 0 of ") || !strings.Contains(out, "mago migrate up") {
		t.Errorf("status before: %q, %v", out, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("status made the database")
	}
	for _, args := range [][]string{{"up"}, {"status"}, {"up"}} {
		if out, err := mago(args...); err != nil || !strings.Contains(out, "up to date") {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
	if out, err := mago("restored"); err != nil || !strings.Contains(out, "anew") {
		t.Errorf("restored: %q, %v", out, err)
	}
	if _, err := mago("force", "1000"); err == nil {
		t.Error("forced to a migration that there isn't")
	}
	if out, err := mago("force", "1"); err != nil || !strings.HasPrefix(out, "migration 1 of ") {
		t.Errorf("force: %q, %v", out, err)
	}
}

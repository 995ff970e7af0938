package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"mago/eventstore/testdb"
)

// walks are the parts of the README that a reader is told to type.
var walks = regexp.MustCompile("(?s)<!-- walk -->\n```sh\n(.*?)```")

func TestReadmeWalk(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the README's walk needs %s, which is not on this machine", tool)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Builder{}
	script.WriteString("set -euo pipefail\n")
	for _, m := range walks.FindAllSubmatch(readme, -1) {
		script.Write(m[1])
	}
	s := serve(t, map[string]string{
		"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": testdb.New(t),
	})
	defer s.end(t)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Env = append(os.Environ(), "BASE="+s.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{
		`"status":"playing"`, `{"number":1,`, `"code":"wrong_phase"`, `"code":"invalid"`, `"code":"stale"`, `"??"`, `"seed":"`, `{"version":7,`, `"my_turn":`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the walk shows no %s:\n%s", want, out)
		}
	}
}

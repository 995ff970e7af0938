package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func arenaOutput(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append([]string{"arena"}, args...), nothing, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestArenaPrintsStandings(t *testing.T) {
	t.Parallel()
	out := arenaOutput(t, "standard:10", "easy", "easy", "--deals=2", "--length=five")
	for _, want := range []string{"2 deals, 6 games", "standard:10 ", "easy ", "bids met", "p99"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// The standings don't depend on how many deals are played at once; what they cost does.
func TestArenaPrintsJSON(t *testing.T) {
	t.Parallel()
	var tables [2]map[string]any
	for i, workers := range []string{"--workers=1", "--workers=3"} {
		out := arenaOutput(t, "standard:10", "easy", "easy", "--deals=4", "--length=five", "--bidding=secret", "--foresight", "--json", workers)
		if err := json.Unmarshal([]byte(out), &tables[i]); err != nil {
			t.Fatal(err)
		}
	}
	one, three := tables[0]["standings"].([]any)[0].(map[string]any), tables[1]["standings"].([]any)[0].(map[string]any)
	for _, key := range []string{"name", "seats", "score", "margin", "met", "wins", "choices"} {
		a, _ := json.Marshal(one[key])
		if b, _ := json.Marshal(three[key]); !bytes.Equal(a, b) || one[key] == nil {
			t.Errorf("%s: %s with one worker, %s with three", key, a, b)
		}
	}
	if cpu, _ := one["cpu_mean_s"].(float64); cpu <= 0 {
		t.Errorf("a choice took %v s", one["cpu_mean_s"])
	}
}

func TestArenaRefuses(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no bots":         {},
		"two bots":        {"easy", "easy"},
		"seven bots":      {"easy", "easy", "easy", "easy", "easy", "easy", "easy"},
		"unknown bot":     {"easy", "easy", "grand"},
		"no samples":      {"easy", "easy", "standard:0"},
		"no deals":        {"easy", "easy", "easy", "--deals=0"},
		"no workers":      {"easy", "easy", "easy", "--workers=0"},
		"unknown bidding": {"easy", "easy", "easy", "--bidding=loud"},
	} {
		if err := run(t.Context(), append([]string{"arena"}, args...), nothing, io.Discard, io.Discard); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

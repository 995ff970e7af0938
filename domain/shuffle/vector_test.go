package shuffle

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"mago/domain/card"
)

// worked is a vector worked out by an independent program.
//
//go:embed testdata/vector.json
var worked []byte

// record is what testdata/reference.py, a second implementation in Python, printed.
//
//go:embed testdata/reference.jsonl
var record []byte

func TestWorkedVector(t *testing.T) {
	t.Parallel()
	var v struct {
		Seed        string         `json:"seed"`
		GameID      string         `json:"game_id"`
		ClientSeeds []string       `json:"client_seeds"`
		Commitment  string         `json:"commitment"`
		Entropy     string         `json:"entropy"`
		Dealer      int            `json:"dealer"`
		Decks       map[int]string `json:"decks"`
	}
	unmarshal(t, worked, &v)
	seed, e := parseSeed(t, v.Seed), Mix(v.ClientSeeds)
	commitment := Commit(seed)
	equal(t, "commitment", hex.EncodeToString(commitment[:]), v.Commitment)
	equal(t, "entropy", hex.EncodeToString(e[:]), v.Entropy)
	if got := Dealer(seed, v.GameID, e, len(v.ClientSeeds)); got != v.Dealer {
		t.Errorf("dealer %d, not %d", got, v.Dealer)
	}
	if len(v.Decks) != 2 {
		t.Fatalf("%d decks in the vector", len(v.Decks))
	}
	for round, deck := range v.Decks {
		equal(t, "deck", codes(Deck(seed, v.GameID, round, e)), deck)
	}
}

func TestSecondImplementationAgrees(t *testing.T) {
	t.Parallel()
	lines := bufio.NewScanner(bytes.NewReader(record))
	n := 0
	for lines.Scan() {
		n++
		var v struct {
			Seed          string   `json:"seed"`
			GameID        string   `json:"game_id"`
			ClientSeeds   []string `json:"client_seeds"`
			Round         int      `json:"round"`
			Commitment    string   `json:"commitment"`
			BotCommitment string   `json:"bot_commitment"`
			Entropy       string   `json:"entropy"`
			Dealer        int      `json:"dealer"`
			Deck          string   `json:"deck"`
		}
		unmarshal(t, lines.Bytes(), &v)
		seed, e := parseSeed(t, v.Seed), Mix(v.ClientSeeds)
		commitment, bot := Commit(seed), CommitBot(seed)
		equal(t, "commitment", hex.EncodeToString(commitment[:]), v.Commitment)
		equal(t, "bot commitment", hex.EncodeToString(bot[:]), v.BotCommitment)
		equal(t, "entropy", hex.EncodeToString(e[:]), v.Entropy)
		if got := Dealer(seed, v.GameID, e, len(v.ClientSeeds)); got != v.Dealer {
			t.Errorf("line %d: dealer %d, not %d", n, got, v.Dealer)
		}
		equal(t, "deck", codes(Deck(seed, v.GameID, v.Round, e)), v.Deck)
	}
	if err := lines.Err(); err != nil || n != 80 {
		t.Fatalf("%d lines, not 80: %v", n, err)
	}
}

// The record is worth something only while the program that made it says the same.
func TestSecondImplementationMadeTheRecord(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 on the PATH: only its recorded output was compared")
		return
	}
	out, err := exec.CommandContext(t.Context(), python, "testdata/reference.py").Output()
	if err != nil {
		t.Fatalf("run reference.py: %v", err)
	}
	// A text stream of Python ends its lines as the system does.
	if out = bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")); !bytes.Equal(out, record) {
		t.Error("reference.py prints something else than reference.jsonl")
	}
}

func unmarshal(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // every field there is must be compared
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

func parseSeed(t *testing.T, text string) Seed {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != 32 {
		t.Fatalf("%q is no seed: %v", text, err)
	}
	return Seed(b)
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

func codes(deck [card.Count]card.Card) string {
	out := make([]string, len(deck))
	for i, c := range deck {
		out[i] = c.String()
	}
	return strings.Join(out, " ")
}

package game

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden games anew: only where a change of stored bytes is meant, which old games could not be read by")

// line is an event in a golden game: one a line, the data exactly as stored.
type line struct {
	Version int             `json:"version"`
	At      int64           `json:"at"`
	Type    string          `json:"type"`
	Data    json.RawMessage `json:"data"`
	Secret  string          `json:"secret,omitempty"`
}

// golden are whole games by fixed seeds and moves. A seat resigns before the numbered move.
var golden = []struct {
	name   string
	rules  Rules
	seed   uint64
	resign map[int]Seat
}{
	{"open-full-4", Rules{Players: 4}, 101, nil},
	{"plus-minus-one-five-3-foresight", Rules{Players: 3, Bidding: PlusMinusOne, Length: Five, Foresight: true}, 102, nil},
	{"hidden-tournament-6-foresight", Rules{Players: 6, Bidding: HiddenBidding, Length: Tournament, Foresight: true}, 103, nil},
	{"secret-five-5-with-leavers", Rules{Players: 5, Bidding: SecretBidding, Length: Five}, 104, map[int]Seat{9: 3, 40: 0}},
	{"open-five-3-abandoned", Rules{Players: 3, Length: Five}, 105, map[int]Seat{2: 1, 11: 2, 20: 0}},
}

// interrupted is a game of random moves in which seats resign.
func interrupted(tb testing.TB, r Rules, seed uint64, resign map[int]Seat) *table {
	tb.Helper()
	g := newTable(tb, r, secrets(seed))
	rng := rand.New(rand.NewPCG(1, seed))
	for at := 0; g.state.Status == Playing; at++ {
		if seat, ok := resign[at]; ok {
			g.must(Resign{Seat: seat})
		}
		g.step(rng)
	}
	return g
}

func changefulLobby(tb testing.TB) *table {
	tb.Helper()
	g := newLobby(tb, Rules{Players: 4, Length: Tournament}, secrets(106), false)
	g.must(SetClientSeed{Seat: 0, ClientSeed: "host_seed-1"})
	g.must(JoinGame{User: user(1), Seat: 3, ClientSeed: "a"})
	g.must(JoinGame{User: user(2), Seat: NoSeat})
	g.must(LeaveLobby{Seat: 3, By: 0})
	g.must(LeaveLobby{Seat: 0, By: 0})
	g.must(CancelGame{By: 1})
	return g
}

func (t *table) golden() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i, rec := range t.stream {
		if err := enc.Encode(line{i + 1, rec.at, rec.name, rec.data, hex.EncodeToString(rec.secret)}); err != nil {
			t.tb.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestGoldenGames(t *testing.T) {
	t.Parallel()
	for _, g := range golden {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			matches(t, g.name, interrupted(t, g.rules, g.seed, g.resign))
		})
	}
	t.Run("lobby", func(t *testing.T) {
		t.Parallel()
		matches(t, "lobby", changefulLobby(t))
	})
}

func matches(t *testing.T, name string, played *table) {
	t.Helper()
	file := filepath.Join("testdata", name+".ndjson")
	got := played.golden()
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sameLines(t, string(got), string(want))
	if replayed(t, want) != played.state {
		t.Error("the stored game is another than the one played")
	}
}

func sameLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("event %d is\n%s\nnot\n%s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%d events, not %d", len(g), len(w))
	}
}

// replayed folds a golden file: old games stay readable, and are written again as they were.
func replayed(t *testing.T, file []byte) (s State) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(file))
	for dec.More() {
		var l line
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		secret, err := hex.DecodeString(l.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if l.Secret == "" {
			secret = nil
		}
		rec := recorded{l.Type, l.Data, secret, l.At}
		e := decoded(t, []recorded{rec})[0]
		if data, again := Encode(e); !bytes.Equal(data, l.Data) || !bytes.Equal(again, secret) {
			t.Fatalf("%s is written again as %s", l.Data, data)
		}
		s = Evolve(s, e, l.At)
	}
	return s
}

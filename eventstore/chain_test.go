package eventstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

var testStream = uuid.MustParse("018f0000-0000-7000-8000-000000000001")

func TestCanonical(t *testing.T) {
	t.Parallel()
	r := Record{Stream: testStream, Version: 12, Type: "bid_placed", At: time.Date(2026, 1, 2, 3, 4, 5, 60_000_000, time.UTC).UnixMilli(), Data: []byte(`{"seat":1}`)}
	const want = `{"at":"2026-01-02T03:04:05.060Z","data":{"seat":1},"game_id":"018f0000-0000-7000-8000-000000000001","type":"bid_placed","version":12}`
	if got := string(Canonical(r)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCanonicalIsRFC8785 compares with an independent implementation.
func TestCanonicalIsRFC8785(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		data, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.Int32()).Draw(rt, "data"))
		if err != nil {
			rt.Fatal(err)
		}
		if data, err = jcs.Transform(data); err != nil {
			rt.Fatal(err)
		}
		got := Canonical(Record{
			Stream: testStream, Version: int(rapid.Int32Min(1).Draw(rt, "version")), Type: rapid.String().Draw(rt, "type"),
			At: rapid.Int64Range(0, 253402300799999).Draw(rt, "at"), Data: data,
		})
		want, err := jcs.Transform(got)
		if err != nil || !bytes.Equal(got, want) {
			rt.Fatalf("got  %s\nwant %s\n%v", got, want, err)
		}
	})
}

func sealed(t *testing.T, tip Tip, n int) []Record {
	t.Helper()
	events := make([]Event, n)
	for i := range events {
		events[i] = Event{Type: "e", Data: []byte(`{}`), Secret: []byte{byte(i)}}
	}
	records, err := Seal(testStream, tip, tip.At+5, rand.NewChaCha8([32]byte{1}), events)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestSeal(t *testing.T) {
	t.Parallel()
	prev := Tip{Version: 3, Hash: Hash{1, 2, 3}, At: 100}
	records := sealed(t, prev, 2)
	for i, r := range records {
		sum := sha256.Sum256(bytes.Join([][]byte{prev.Hash[:], r.Salt[:], Canonical(r)}, nil))
		if r.Version != prev.Version+1 || r.At != 105 || r.Hash != sum || r.Secret[0] != byte(i) {
			t.Errorf("record %d: %+v", i, r)
		}
		prev = Tip{Version: r.Version, Hash: r.Hash, At: r.At}
	}
	if records[0].Salt == records[1].Salt {
		t.Error("two events have the same salt")
	}
	if _, err := Seal(testStream, Tip{}, 0, bytes.NewReader(make([]byte, 20)), make([]Event, 2)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("with too little randomness: %v", err)
	}
}

func TestVerifyChain(t *testing.T) {
	t.Parallel()
	records := sealed(t, Tip{}, 5)
	end := Tip{Version: 5, Hash: records[4].Hash, At: records[4].At}
	if tip, err := VerifyChain(testStream, Tip{}, records); err != nil || tip != end {
		t.Errorf("tip %v, %v", tip, err)
	}
	middle, err := VerifyChain(testStream, Tip{}, records[:2])
	if err != nil {
		t.Fatal(err)
	}
	if tip, err := VerifyChain(testStream, middle, records[2:]); err != nil || tip != end {
		t.Errorf("from the middle: tip %v, %v", tip, err)
	}
	for name, breakIt := range map[string]func(rs []Record) []Record{
		"data":    func(rs []Record) []Record { rs[2].Data = []byte(`{"a":1}`); return rs },
		"type":    func(rs []Record) []Record { rs[2].Type = "f"; return rs },
		"time":    func(rs []Record) []Record { rs[2].At++; return rs },
		"earlier": func(rs []Record) []Record { rs[2].At = 0; return rs },
		"salt":    func(rs []Record) []Record { rs[2].Salt[15] ^= 1; return rs },
		"hash":    func(rs []Record) []Record { rs[2].Hash[31] ^= 1; return rs },
		"stream":  func(rs []Record) []Record { rs[2].Stream = uuid.New(); return rs },
		"missing": func(rs []Record) []Record { return append(rs[:2], rs[3:]...) },
		"twice":   func(rs []Record) []Record { return append(rs[:2], rs[1:]...) },
		"swapped": func(rs []Record) []Record { rs[2], rs[3] = rs[3], rs[2]; return rs },
	} {
		broken := breakIt(append([]Record(nil), records...))
		tip, err := VerifyChain(testStream, Tip{}, broken)
		var chain *ChainError
		if !errors.As(err, &chain) || chain.Version != 3 || chain.Reason == "" || tip != middle {
			t.Errorf("%s: tip %v, %v", name, tip, err)
		}
	}
}

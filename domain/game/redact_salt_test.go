package game

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"testing"
)

// chained is an event's hash by the contract: SHA-256 over the previous event's hash, the salt, and the canonical JSON of the event unredacted.
func chained(prev, salt []byte, at, data, kind string, version int) [32]byte {
	envelope := `{"at":"` + at + `","data":` + data + `,"game_id":"` + testID + `","type":"` + kind + `","version":` + strconv.Itoa(version) + `}`
	return sha256.Sum256(bytes.Join([][]byte{prev, salt, []byte(envelope)}, nil))
}

// A worked hash, made by an independent program: the guesses below are made by the right formula.
func TestChainedIsTheContractsHash(t *testing.T) {
	t.Parallel()
	data, _ := Encode(BidPlaced{Round: 1, Seat: 2, Tricks: 0})
	salt := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	got := chained(make([]byte, 32), salt, "2026-11-29T12:00:00.000Z", string(data), "bid_placed", 7)
	if want := "15fe6b003b04f0cdafabb7b3be375c24d5fdcf8658bbb4bbc8df6086b283096e"; hex.EncodeToString(got[:]) != want {
		t.Errorf("%x, not %s", got, want)
	}
}

// Whoever is sent a hidden bid without its salt knows all of what was hashed but 21 possibilities, and the salt. Trying them all must not
// find the bid; with the salt it must. So the salt may go out only with an event that is whole.
func TestAHiddenBidIsNotGuessedFromItsHash(t *testing.T) {
	t.Parallel()
	const at = "2026-11-29T12:00:00.000Z"
	prev, salt := sha256.Sum256([]byte("the event before")), sha256.Sum256([]byte("random"))
	events := told(SecretBidding, false, Tournament, afterFirstBid)
	s := fold(events...)
	bid := events[len(events)-1]
	stored, _ := Encode(bid)
	hash := chained(prev[:], salt[:16], at, string(stored), "bid_placed", s.Version)
	for viewer := Spectator; viewer < 3; viewer++ {
		seen, whole := s.Redact(bid, viewer)
		if whole != (viewer == 1) {
			t.Fatalf("%d is sent the bid whole: %t", viewer, whole)
		}
		matches := func(salt []byte) (n int) {
			for tricks := range MaxCards + 1 {
				guess := seen.(BidPlaced)
				guess.Tricks = tricks
				data, _ := Encode(guess)
				if chained(prev[:], salt, at, string(data), "bid_placed", s.Version) == hash {
					n++
				}
			}
			return n
		}
		if n := matches(salt[:16]); n != 1 {
			t.Errorf("with the salt %d bids match", n)
		}
		for name, wrong := range map[string][]byte{
			"none": nil, "zeros": make([]byte, 16), "cut short": salt[:15], "the next bytes": salt[16:], "the previous hash": prev[:16],
		} {
			if n := matches(wrong); n != 0 {
				t.Errorf("with a wrong salt, %s, %d bids match", name, n)
			}
		}
	}
}

package bot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"mago/domain/game"
)

// Seed is what the chance in one choice is drawn from.
type Seed [32]byte

// SeedFor returns the seed of the choice that the view's seat has to make, from the game's bot key:
//
//	HMAC-SHA-256(key, "mago/bot/v1" ‖ 0x00 ‖ game id as text ‖ 0x00 ‖ round ‖ seat ‖ choice)
//
// with round, seat and choice as 4-byte big-endian numbers. The choice is 0 for the trump, 1 for the bid, and 1 + the trick's number for a card, so
// that nothing other seats do changes it. The key is revealed at the end of a game: whoever has the stream can draw every seed again.
func SeedFor(key [32]byte, v *game.View) Seed {
	var round, seat, choice int
	if v.Round != nil {
		round = v.Round.Number
		switch v.Round.Phase {
		case game.PlaceBids:
			choice = 1
		case game.PlayTricks:
			choice = 2 + v.Past.Len()
		case game.NoRound, game.ChooseTrump, game.RoundOver:
		}
	}
	if v.You != nil {
		seat = int(v.You.Seat)
	}
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte("mago/bot/v1\x00" + v.ID + "\x00"))
	for _, n := range []int{round, seat, choice} {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(n))) //nolint:gosec // all below 100
	}
	return Seed(h.Sum(nil))
}

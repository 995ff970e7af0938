// Package shuffle draws deals and the first dealer from secret seeds so that anyone can check them afterwards.
//
// The server commits to one seed a round before the players join; players add seeds of their own; when a round is
// scored its seed is revealed. Every number follows from HMAC-SHA-256, as the functions here say.
package shuffle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"mago/domain/card"
)

// Seed is a secret of 32 random bytes: of one round, or the key of the choices made by the server.
type Seed [32]byte

// Commitment is what is published of a Seed before it is used.
type Commitment [32]byte

// Entropy sums up the players' own seeds.
type Entropy [32]byte

// Commit returns SHA-256("mago/commit/v1" ‖ 0x00 ‖ seed).
func Commit(s Seed) Commitment { return commit("mago/commit/v1", s) }

// CommitBot returns SHA-256("mago/bot-commit/v1" ‖ 0x00 ‖ key).
func CommitBot(key Seed) Commitment { return commit("mago/bot-commit/v1", key) }

func commit(label string, s Seed) Commitment {
	return sha256.Sum256(append(append([]byte(label), 0), s[:]...))
}

// Mix returns SHA-256 over, for each seat in order, the length of the client seed in UTF-8 bytes as a 4-byte big-endian
// number and the bytes. An absent seed, and a bot's, is empty.
func Mix(clientSeeds []string) Entropy {
	h := sha256.New()
	for _, s := range clientSeeds {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) //nolint:gosec // a client seed has at most 64 bytes
		h.Write([]byte(s))
	}
	return Entropy(h.Sum(nil))
}

// Key returns HMAC-SHA-256(key seed, message label ‖ 0x00 ‖ game id as text ‖ 0x00 ‖ round as 4-byte big-endian ‖ entropy).
func Key(s Seed, label, gameID string, round int, e Entropy) [32]byte {
	h := hmac.New(sha256.New, s[:])
	h.Write([]byte(label))
	h.Write([]byte{0})
	h.Write([]byte(gameID))
	h.Write([]byte{0})
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(round))) //nolint:gosec // a round is 1 to 20
	h.Write(e[:])
	return [32]byte(h.Sum(nil))
}

// Dealer returns the seat of a game's first dealer, drawn from the seed of round 1.
func Dealer(s Seed, gameID string, e Entropy, players int) int {
	n := numbers{source: blocks(Key(s, "mago/dealer/v1", gameID, 1, e))}
	return int(n.below(uint32(players))) //nolint:gosec // players is 3 to 6
}

// Deck returns the shuffled deck of a round. Seat s is dealt the cards s·k … s·k+k−1, k being the round's cards for
// each player; the turned card is the one at players·k, if the deal leaves one.
func Deck(s Seed, gameID string, round int, e Entropy) [card.Count]card.Card {
	n := numbers{source: blocks(Key(s, "mago/deal/v1", gameID, round, e))}
	return permute(&n)
}

// permute is the Fisher–Yates shuffle (Durstenfeld 1964), from the last card down.
func permute(n *numbers) [card.Count]card.Card {
	d := card.Deck()
	for i := card.Count - 1; i > 0; i-- {
		j := n.below(uint32(i + 1))
		d[i], d[j] = d[j], d[i]
	}
	return d
}

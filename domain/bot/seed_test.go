package bot_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
)

// The vector was made with Python: hmac.new(bytes(range(32)), b"mago/bot/v1\0" + id + b"\0" + struct.pack(">III", 7, 2, 5), "sha256").
func TestSeedOfAChoice(t *testing.T) {
	t.Parallel()
	var key [32]byte
	for i := range key {
		key[i] = byte(i)
	}
	v := game.View{ID: "0190b2a4-0000-7000-8000-000000000001", Round: &game.RoundView{Number: 7, Phase: game.PlayTricks}, You: &game.You{Seat: 2}}
	r := game.NewRound(game.Rules{Players: 4}, 7, 0, [game.MaxPlayers]card.Set{}, 0)
	for range 3 {
		r.Trick++
		v.Past.Add(&r)
	}
	got := bot.SeedFor(key, &v)
	if want := "d298d634a4075586f75fdc52bc494287a0a016ea9def61f1efae1ddf3ab76b1a"; hex.EncodeToString(got[:]) != want {
		t.Errorf("%x, not %s", got, want)
	}
}

// A game's choices all have a seed of their own, and what other seats bid meanwhile is no part of it.
func TestEveryChoiceHasItsSeed(t *testing.T) {
	t.Parallel()
	p := newPlay(t, game.Rules{Players: 4, Bidding: game.HiddenBidding}, 5)
	rng := rand.New(rand.NewPCG(5, 5))
	seen := map[bot.Seed]bool{}
	for p.state.Status == game.Playing {
		seat := p.turn(rng)
		v := p.state.View(seat)
		seed := bot.SeedFor(p.state.Secrets.BotKey, &v)
		if seen[seed] {
			t.Fatalf("version %d: a seed for the second time", v.Version)
		}
		seen[seed] = true
		if p.state.Round.Phase == game.PlaceBids {
			for _, other := range p.state.Turn().All() {
				if w := p.state; other != seat {
					w.Round.PlaceBid(other, 0)
					if u := w.View(seat); w.Round.Phase == game.PlaceBids && bot.SeedFor(w.Secrets.BotKey, &u) != seed {
						t.Fatal("another seat's bid changed the seed")
					}
				}
			}
		}
		p.must(p.random(seat, rng))
	}
}

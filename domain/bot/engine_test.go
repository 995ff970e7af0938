package bot_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"

	"mago/domain/bot"
	"mago/domain/game"
)

// An engine is for ever: audits choose its moves again, with the budgets of the table. Where this fails, choices have changed: give the engine a new version, and the new sum.
func TestAnEngineChoosesTheSameForEver(t *testing.T) {
	t.Parallel()
	const engine, want = "2", "59730d0b2eeacd08ec1089ebd466cc188b9bfa69ab5ca9442875132b225c15ba"
	h := sha256.New()
	for i, r := range []game.Rules{
		{Players: 3, Length: game.Tournament},
		{Players: 4, Length: game.Five, Bidding: game.HiddenBidding, Foresight: true},
		{Players: 5, Length: game.Five, Bidding: game.SecretBidding},
		{Players: 6, Length: game.Five, Bidding: game.PlusMinusOne},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		p := newPlay(t, r, uint64(i))
		for p.state.Status == game.Playing {
			seat := p.turn(rng)
			v := p.state.View(seat)
			var c bot.Choice
			for level := game.EasyBot; level <= game.StrongBot; level++ {
				samples := 20
				if p.state.Version%8 == 0 {
					samples = bot.Samples(level)
				}
				c, _ = bot.Decide(level, v, bot.SeedFor(p.state.Secrets.BotKey, &v), samples)
				_, _ = fmt.Fprintln(h, c.Phase, c.Suit, c.Bid, c.Card)
			}
			p.must(c.Command())
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); bot.Engine != engine || got != want {
		t.Errorf("engine %s chooses %s", bot.Engine, got)
	}
}

package bot

import "mago/domain/game"

// Cheat is standard's choice if it knew all hands and bids.
func Cheat(s *game.State, seat game.Seat, seed Seed, samples int) (Choice, bool) {
	v := s.View(seat)
	c, ok := Easy(v)
	k, sense := know(&v)
	if !ok || !sense || len(v.Others) > 0 {
		return c, ok
	}
	t := study{knowledge: k, rng: newRandom(seed), style: style{noise: 4}}
	truth := playout{Round: s.Round, out: k.out, secret: s.Rules.Bidding == game.SecretBidding, sight: new(sight)}
	for range samples {
		t.deals = append(t.deals, truth)
	}
	t.choose(&c, &v.You.Can)
	return c, true
}

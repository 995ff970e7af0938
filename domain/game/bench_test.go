package game

import (
	"math/rand/v2"
	"testing"

	"mago/domain/card"
)

// playout plays a whole game through the round's own functions and returns the totals.
func playout(rules Rules, rng *rand.Rand) (totals [MaxPlayers]int) {
	deck := card.Deck()
	dealer := Seat(0)
	for number := 1; number <= rules.Rounds(); number++ {
		for i := card.Count - 1; i > 0; i-- {
			j := rng.Uint32N(uint32(i + 1))
			deck[i], deck[j] = deck[j], deck[i]
		}
		hands, turned := Deal(&deck, rules.Players, rules.CardsEach(number))
		r := NewRound(rules, number, dealer, hands, turned)
		playRound(&r, rng)
		for s := range rules.Players {
			totals[s] += Points(int(r.Bids[s]), int(r.Tricks[s]))
		}
		dealer = r.Next(dealer)
	}
	return totals
}

func playRound(r *Round, rng *rand.Rand) {
	suit, by := r.TrumpOf()
	if by == ByDealer {
		suit = card.Suits[rng.Uint32N(4)]
	}
	r.SetTrump(suit)
	seat := r.Next(r.Dealer)
	for r.Phase == PlaceBids {
		bids := r.Legal(seat).Bids
		bid := int(rng.Uint32N(uint32(r.CardsEach) + 1))
		if !bids.Has(bid) {
			bid = (bid + 1) % (int(r.CardsEach) + 1)
		}
		r.PlaceBid(seat, bid)
		seat = r.Next(seat)
	}
	for r.Phase == PlayTricks {
		seat = r.SeatOfPlay(int(r.Played))
		plays := r.Legal(seat).Plays
		r.PlayCard(seat, plays.Nth(int(rng.Uint32N(uint32(plays.Len())))))
		if r.TrickComplete() {
			r.TakeTrick(r.SeatOfPlay(Winner(r.InTrick(), r.Trump)))
		}
	}
}

// BenchmarkPlayout is a full game of four players at random, by the round's own functions.
func BenchmarkPlayout(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		playout(Rules{Players: 4}, rng)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

func BenchmarkDecodeAndEvolve(b *testing.B) {
	g := wholeGame(b, Rules{Players: 4}, 1)
	for b.Loop() {
		var s State
		for _, rec := range g.stream {
			e, err := Decode(rec.name, rec.data, rec.secret)
			if err != nil {
				b.Fatal(err)
			}
			s = Evolve(s, e, rec.at)
		}
	}
	b.ReportMetric(float64(b.N*len(g.stream))/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkEvolve(b *testing.B) {
	g := wholeGame(b, Rules{Players: 4}, 1)
	events := decoded(b, g.stream)
	for b.Loop() {
		var s State
		for _, e := range events {
			s = Evolve(s, e, 1)
		}
	}
	b.ReportMetric(float64(b.N*len(events))/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkDecode(b *testing.B) {
	for _, s := range samples {
		data, secret := Encode(s.event)
		b.Run(TypeOf(s.event), func(b *testing.B) {
			for b.Loop() {
				if _, err := Decode(TypeOf(s.event), data, secret); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecideWholeGame decides, evolves and encodes a whole game of four.
func BenchmarkDecideWholeGame(b *testing.B) {
	moves := 0
	for b.Loop() {
		g := newTable(b, Rules{Players: 4}, secrets(1))
		rng := rand.New(rand.NewPCG(1, 1))
		s := g.state
		for s.Status == Playing {
			legal := (&table{state: s}).moves()
			events, err := Decide(s, legal[rng.IntN(len(legal))])
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range events {
				Encode(e)
				s = Evolve(s, e, 1)
			}
			moves++
		}
	}
	b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
}

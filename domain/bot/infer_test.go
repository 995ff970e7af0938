package bot

import (
	"testing"

	"mago/domain/card"
	"mago/domain/game"
)

// Of so many deals exactly as many as asked are kept, each in proportion to its weight.
func TestDealsAreKeptByTheirWeight(t *testing.T) {
	t.Parallel()
	s := study{rng: newRandom(Seed{3})}
	kept := map[card.Card]int{}
	const rounds, n = 100_000, 8
	for range rounds {
		deals := make([]playout, 16)
		for i := range deals {
			deals[i].Turned = card.Card(i + 1)
		}
		s.room[0] = deals
		once := s.keep(deals, 2*n, func(p *playout) int32 { return 64 * int32(p.Turned%4) }) // e times less likely for each
		if len(once) != 2*n {
			t.Fatalf("%d are kept", len(once))
		}
		twice := s.keep(once, n, func(*playout) int32 { return 0 })
		if len(twice) != n {
			t.Fatalf("%d of them are kept", len(twice))
		}
		for _, p := range twice {
			kept[p.Turned%4]++
		}
	}
	for i, want := range []float64{.6439, .2369, .0871, .0321} { // e^-i / the sum
		if got := float64(kept[card.Card(i)]) / rounds / n; got < want-.005 || got > want+.005 {
			t.Errorf("%.3f of those kept have the weight e^-%d, not %.3f", got, i, want)
		}
	}
}

// What is kept is not written over what is still to be sifted.
func TestDealsAreSiftedTwice(t *testing.T) {
	t.Parallel()
	s := study{rng: newRandom(Seed{3})}
	s.room[0] = make([]playout, 4)
	for i := range s.room[0] {
		s.room[0][i].Turned = card.Card(i + 1)
	}
	all := s.keep(s.room[0], 4, func(*playout) int32 { return 0 })
	got := s.keep(all, 4, func(p *playout) int32 { return []int32{0, 44, 44, 1000}[p.Turned-1] }) // as 2, 1, 1 and next to nothing
	for i, want := range []card.Card{1, 1, 2, 3} {
		if got[i].Turned != want {
			t.Errorf("deal %d is the %d., not the %d.", i, got[i].Turned, want)
		}
	}
}

// study0 is what seat 0 makes of three others who have bid, in the order from seat 1, and have played.
func study0(bidding game.Bidding, bids [game.MaxPlayers]int8, plays string) *study {
	k := &knowledge{holders: make([]holder, 5), round: game.Round{Players: 4, CardsEach: 3, Trump: card.Giants, Bidding: bidding, Phase: game.PlaceBids, Bids: bids, Turned: cardsOf("G2").First()}}
	if plays != "" {
		k.round.Phase = game.PlayTricks
		var codes []card.Card
		for i := 0; i < len(plays); i += 3 {
			codes = append(codes, cardsOf(plays[i:i+2]).First())
		}
		k.saw(1, codes)
	}
	return &study{knowledge: k, rng: newRandom(Seed{2}), style: styles[game.StandardBot], eyes: new(sight)}
}

func (s *study) with(hands ...string) *playout {
	p := playout{Round: s.round, out: s.out, sight: s.eyes}
	for i, h := range hands {
		p.Hands[i] = cardsOf(h) &^ s.played[i]
	}
	return &p
}

// A deal that goes well with what others have chosen surprises less than one that doesn't.
func TestWhatChoicesTell(t *testing.T) {
	t.Parallel()
	const weak, strong, mine = "D2 E3 H4", "W1 W2 G13", "D7 E7 H7"
	shown := study0(game.OpenBidding, [game.MaxPlayers]int8{game.NoBid, 3, 0, 0}, "")
	fits, odd := shown.ofBids(shown.with(mine, strong, weak, "D5 E5 H5")), shown.ofBids(shown.with(mine, weak, strong, "D5 E5 H5"))
	if fits >= odd {
		t.Errorf("of bids: %d if they fit, %d if not", fits, odd)
	}
	hidden := study0(game.HiddenBidding, noBids(4), "")
	if got := hidden.ofBids(hidden.with(mine, strong, weak, "D5 E5 H5")); got != 0 {
		t.Errorf("bids that are not shown surprise by %d", got)
	}
	// Who wants no trick and plays the 5 behind the 9 of the suit is not thought to hold the 8, which would have been as safe and is worse to keep.
	played := study0(game.OpenBidding, [game.MaxPlayers]int8{0, 1, 0, 0}, "E9 E5")
	fits, odd = played.ofPlays(played.with(mine, "E9 W1 G9", "E5 D2 D3", "H2 H3 H5")), played.ofPlays(played.with(mine, "E9 W1 G9", "E5 E8 D3", "H2 H3 H5"))
	if fits >= odd {
		t.Errorf("of plays: %d if they fit, %d if not", fits, odd)
	}
}

// With plus_minus_one the last bidder, who may not make the bid that is best, does not surprise with the next best.
func TestABidThatIsRefusedIsNotExpected(t *testing.T) {
	t.Parallel()
	const dealer = "W1 W2 G13" // worth a bid of 3, which the others' bids of 0 refuse
	bids := [game.MaxPlayers]int8{2, 0, 0, 0}
	for bidding, most := range map[game.Bidding]int32{game.PlusMinusOne: 1, game.OpenBidding: mostOfBid} {
		s := study0(bidding, bids, "")
		s.me = 1
		q := s.dealt(s.with(dealer, "D2 E3 H4", "D3 E4 H5", "D4 E5 H6"))
		for seat := game.Seat(1); seat < 4; seat++ {
			q.PlaceBid(seat, 0)
		}
		got := s.surprisingBid(&q, 0, 2)
		if refused := bidding == game.PlusMinusOne; refused && got > most || !refused && got <= 1 {
			t.Errorf("%v: the next best bid surprises by %d", bidding, got)
		}
	}
}

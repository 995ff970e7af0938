package game

import (
	"math/rand/v2"

	"mago/domain/card"
	"mago/domain/shuffle"
)

// entry is an event with the time of its record.
type entry struct {
	event Event
	at    int64
}

// past is a game up to some version, kept so that it can be told differently: what a viewer may not know is only ever the
// secrets, and cards and bids of the round in play.
type past struct {
	entries []entry // all so far
	now     State   // after all of them
	start   State   // before the deal of the round in play
	dealt   int     // index of that deal in entries, -1 before the first
}

func newPast() *past { return &past{dealt: -1} }

func (p *past) add(e entry) {
	if _, ok := e.event.(Dealt); ok {
		p.start, p.dealt = p.now, len(p.entries)
	}
	p.entries = append(p.entries, e)
	p.now = Evolve(p.now, e.event, e.at)
}

// hiding tells whether cards or bids of a round are still hidden from anybody.
func (p *past) hiding() bool {
	return p.dealt >= 0 && p.now.Status == Playing && p.now.Scored < int(p.now.Round.Number)
}

// retell returns another history of the same length that the viewer can't tell from this one: other secrets, other cards where the
// viewer sees none, other bids where the viewer sees none. Whatever was shown, and every play so far, is the same, and legal.
// The second result is false if a move of the retold history was not legal in it: then the test itself is wrong.
func (p *past) retell(viewer Seat, rng *rand.Rand) (*past, bool) {
	out := &past{entries: append([]entry{}, p.entries...), dealt: p.dealt, start: p.start, now: p.now}
	other := otherSecrets(p.now.Secrets, p.now.Scored, rng)
	created, _ := p.entries[0].event.(GameCreated)
	created.Secrets = other
	out.entries[0].event = created
	out.start.Secrets, out.now.Secrets = other, other
	if !p.hiding() {
		return out, true
	}
	out.now = out.start
	out.entries[p.dealt].event = p.redeal(viewer, rng)
	for i := p.dealt; i < len(out.entries); i++ {
		e := out.entries[i].event
		if bid, ok := e.(BidPlaced); ok && p.bidIsHidden(viewer, bid.Seat) {
			bid.Tricks = rng.IntN(int(p.now.Round.CardsEach) + 1)
			e = bid
		}
		if !legalEvent(&out.now, e) {
			return out, false
		}
		out.entries[i].event = e
		out.now = Evolve(out.now, e, out.entries[i].at)
	}
	return out, true
}

// otherSecrets keeps the seeds that were revealed, those of the scored rounds, and draws the others anew.
func otherSecrets(s Secrets, scored int, rng *rand.Rand) Secrets {
	fresh := func() (seed shuffle.Seed) {
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		return seed
	}
	for i := scored; i < MaxRounds; i++ {
		s.Seeds[i] = fresh()
	}
	s.BotKey = fresh()
	return s
}

// handIsHidden and bidIsHidden say what the rules say, apart from the code that they test.
func (p *past) handIsHidden(viewer, of Seat) bool {
	switch r := p.now.Rules; {
	case viewer == Spectator:
		return true
	case r.Foresight && p.now.Round.Number == 1 && p.now.Round.CardsEach == 1:
		return of == viewer
	default:
		return of != viewer
	}
}

func (p *past) bidIsHidden(viewer, of Seat) bool {
	if b := p.now.Rules.Bidding; b == OpenBidding || b == PlusMinusOne || viewer == of {
		return false
	}
	for _, e := range p.entries[p.dealt:] {
		if _, shown := e.event.(BidsRevealed); shown {
			return false
		}
	}
	return true
}

// redeal returns the deal of the round in play with the cards that the viewer has not seen exchanged at random: among the hidden hands
// and the undealt rest, but never giving a seat a suit that it has shown not to hold.
func (p *past) redeal(viewer Seat, rng *rand.Rand) Dealt {
	deal, _ := p.entries[p.dealt].event.(Dealt)
	type place struct {
		seat Seat // NoSeat: not dealt
		card card.Card
	}
	var places []place
	known := card.SetOf(deal.Turned)
	hands := append([]Hand{}, deal.Hands...)
	for i, h := range deal.Hands {
		seat := Seat(i)
		known |= h.Cards
		if p.handIsHidden(viewer, seat) {
			for c := range p.now.Round.Hands[i].All() {
				places = append(places, place{seat, c})
				hands[i].Cards = hands[i].Cards.Without(c)
			}
		}
	}
	for _, c := range card.Deck() {
		if !known.Has(c) {
			places = append(places, place{NoSeat, c})
		}
	}
	void := p.shownVoid()
	fits := func(seat Seat, c card.Card) bool { return seat == NoSeat || void[seat]&card.SetOf(c) == 0 }
	for range 3 * len(places) {
		a, b := &places[rng.IntN(len(places))], &places[rng.IntN(len(places))]
		if fits(a.seat, b.card) && fits(b.seat, a.card) {
			a.card, b.card = b.card, a.card
		}
	}
	for _, at := range places {
		if at.seat != NoSeat {
			hands[at.seat].Cards = hands[at.seat].Cards.With(at.card)
		}
	}
	deal.Hands = hands
	return deal
}

// shownVoid returns the suits that each seat has shown not to hold, by not following them.
func (p *past) shownVoid() (void [MaxPlayers]card.Set) {
	var trick []card.Card
	for _, e := range p.entries[p.dealt:] {
		if _, ok := e.event.(TrickWon); ok {
			trick = nil
		}
		played, ok := e.event.(CardPlayed)
		if !ok {
			continue
		}
		if s := SuitToFollow(trick); s != card.NoSuit && played.Card.Suit() != card.NoSuit && played.Card.Suit() != s {
			void[played.Seat] |= card.OfSuit(s)
		}
		trick = append(trick, played.Card)
	}
	return void
}

// legalEvent tells whether a move that was recorded is legal in a state; what is no move always is.
func legalEvent(s *State, e Event) bool {
	if bid, ok := e.(BidPlaced); ok {
		return s.Round.Legal(bid.Seat).Bids.Has(bid.Tricks)
	}
	if play, ok := e.(CardPlayed); ok {
		return s.Round.Legal(play.Seat).Plays.Has(play.Card)
	}
	return true
}

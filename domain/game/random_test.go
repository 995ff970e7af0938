package game

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mago/domain/card"
)

// TestRandomPlayHoldsTheInvariants plays whole games of all options and looks at everything after every event.
func TestRandomPlayHoldsTheInvariants(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			for n := range soak(1, 20) {
				playChecked(t, r, uint64(1000*n+i))
			}
		})
	}
}

func playChecked(t *testing.T, r Rules, seed uint64) {
	t.Helper()
	g := newTable(t, r, secrets(seed))
	c := checker{t: t}
	for i, e := range decoded(t, g.stream) {
		c.event(e, g.stream[i].at)
	}
	rng := rand.New(rand.NewPCG(7, seed))
	for at := 0; g.state.Status == Playing; at++ {
		if at%199 == 7 || at < 2 {
			tryEverything(t, &g.state)
		}
		moves := g.moves()
		for _, e := range g.must(moves[rng.IntN(len(moves))]) {
			c.event(e, g.now)
		}
		if c.live != g.state {
			t.Fatal("what was decided and what was read from the stored bytes are two games")
		}
	}
	if g.state.Status != Finished || g.state.Scored != r.Rounds() {
		t.Fatalf("ended as %v after %d rounds", g.state.Status, g.state.Scored)
	}
	tryEverything(t, &g.state)
	var again State
	for i, e := range decoded(t, g.stream) {
		again = Evolve(again, e, g.stream[i].at)
	}
	if again != g.state {
		t.Error("the stream from its beginning is another game")
	}
}

// checker follows a game event by event.
type checker struct {
	t    *testing.T
	live State
	out  card.Set // taken in tricks, or left in the deck
}

func (c *checker) event(e Event, at int64) {
	c.t.Helper()
	before := c.live
	c.live = Evolve(c.live, e, at)
	s := &c.live
	if s.Version != before.Version+1 || s.UpdatedAt != at || at < before.UpdatedAt {
		c.t.Fatalf("version %d at %d after version %d at %d", s.Version, s.UpdatedAt, before.Version, before.UpdatedAt)
	}
	c.who(&before, e)
	c.cards(e)
	c.tricks()
	c.totals()
	c.reads(e)
}

// who: only a seat on turn moves.
func (c *checker) who(before *State, e Event) {
	c.t.Helper()
	seat, moved := NoSeat, true
	switch e := e.(type) {
	case BidPlaced:
		seat = e.Seat
	case CardPlayed:
		seat = e.Seat
	case TrumpSet:
		seat, moved = e.Seat, e.By == ByDealer
	default:
		moved = false
	}
	if moved && !before.Turn().Has(seat) {
		c.t.Fatalf("seat %d moved out of turn: %+v", seat, e)
	}
}

// cards: the 60 are in the hands, in the trick, taken, turned or left, each once.
func (c *checker) cards(e Event) {
	c.t.Helper()
	r := &c.live.Round
	deck := card.Deck()
	all := card.SetOf(deck[:]...)
	switch e := e.(type) {
	case Dealt:
		c.out = all
		for _, h := range e.Hands {
			c.out &^= h.Cards
		}
		if e.Turned != card.None {
			c.out = c.out.Without(e.Turned)
		}
	case TrickWon:
		played := c.live.LastTrick.Plays[:r.Players]
		if played[slices.Index(played, e.Card)] != e.Card {
			c.t.Fatalf("%v was not played", e.Card)
		}
		c.out |= card.SetOf(played...)
	default:
	}
	if r.Phase == NoRound {
		return
	}
	count, seen := c.out.Len(), c.out
	for _, h := range r.Hands {
		count, seen = count+h.Len(), seen|h
	}
	for _, k := range r.InTrick() {
		count, seen = count+1, seen.With(k)
	}
	if r.Turned != card.None {
		count, seen = count+1, seen.With(r.Turned)
	}
	if count != card.Count || seen != all {
		c.t.Fatalf("%d cards after %+v: %v", count, e, seen)
	}
}

func (c *checker) tricks() {
	c.t.Helper()
	r := &c.live.Round
	taken := 0
	for _, n := range r.Tricks {
		taken += int(n)
	}
	switch r.Phase {
	case PlayTricks:
		if taken != int(r.Trick)-1 {
			c.t.Fatalf("%d tricks taken before trick %d", taken, r.Trick)
		}
	case RoundOver:
		if taken != int(r.CardsEach) {
			c.t.Fatalf("%d tricks taken of %d", taken, r.CardsEach)
		}
	default:
		if taken != 0 {
			c.t.Fatalf("%d tricks taken before the first", taken)
		}
	}
	for s, h := range r.Hands[:r.Players] {
		played := 0
		for i := range r.InTrick() {
			if r.SeatOfPlay(i) == Seat(s) {
				played++
			}
		}
		if h.Len()+played+taken != int(r.CardsEach) {
			c.t.Fatalf("seat %d has %d cards in trick %d", s, h.Len(), r.Trick)
		}
	}
}

func (c *checker) totals() {
	c.t.Helper()
	s := &c.live
	var sum [MaxPlayers]int
	for _, score := range s.Scores[:s.Scored] {
		tricks := 0
		for seat := range s.Rules.Players {
			sum[seat] += score.Points[seat]
			tricks += score.Tricks[seat]
		}
		if score.Totals != sum || tricks != score.CardsEach {
			c.t.Fatalf("%+v after totals %v", score, sum)
		}
	}
	if s.Totals != sum {
		c.t.Fatalf("totals %v, points %v", s.Totals, sum)
	}
}

// reads: looking changes nothing, and looking again shows the same.
func (c *checker) reads(e Event) {
	c.t.Helper()
	before := c.live
	s := &c.live
	for viewer := Spectator; int(viewer) < s.Rules.Players; viewer++ {
		s.Redact(e, viewer)
		if s.Version%97 == 0 && !reflect.DeepEqual(s.View(viewer), s.View(viewer)) {
			c.t.Fatalf("seat %d sees two things at once", viewer)
		}
		if viewer != Spectator {
			s.Round.Legal(viewer)
		}
	}
	if c.live != before {
		c.t.Fatal("reading has changed the game")
	}
}

// tryEverything asks for every move of every seat: exactly the legal ones are accepted, the others refused with the right code.
func tryEverything(t *testing.T, s *State) {
	t.Helper()
	legal := (&table{state: *s}).moves()
	accepted, before := 0, *s
	for _, c := range everything(s.Rules.Players) {
		events, err := Decide(*s, c)
		if got, want := codeOf(err), wantCode(s, c); got != want || (len(events) == 0) != (err != nil) {
			t.Fatalf("%+v: refused with %q, not %q; events %v", c, got, want, events)
		}
		if err == nil {
			accepted++
			if !slices.Contains(legal, c) {
				t.Fatalf("%+v was accepted; legal are %+v", c, legal)
			}
		}
	}
	if accepted != len(legal) || *s != before {
		t.Fatalf("%d moves accepted; legal are %+v", accepted, legal)
	}
}

func everything(players int) (out []Command) {
	deck := card.Deck()
	for seat := range Seat(players) {
		for suit := card.NoSuit; suit <= card.Humans+1; suit++ {
			out = append(out, NameTrump{Seat: seat, Suit: suit})
		}
		for tricks := -1; tricks <= MaxCards+1; tricks++ {
			out = append(out, PlaceBid{Seat: seat, Tricks: tricks})
		}
		for _, c := range append(deck[:], card.None, card.Hidden) {
			out = append(out, PlayCard{Seat: seat, Card: c})
		}
	}
	return out
}

// wantCode is the contract's order of refusals, judged by the oracle's rules.
func wantCode(s *State, c Command) Code {
	r := &s.Round
	players := s.Rules.Players
	var made []int
	for i := range players {
		if b := r.Bids[(int(r.Dealer)+1+i)%players]; b != NoBid && r.Phase == PlaceBids {
			made = append(made, int(b))
		}
	}
	if s.Status != Playing {
		return GameOver
	}
	switch c := c.(type) {
	case NameTrump:
		switch {
		case r.Phase != ChooseTrump:
			return WrongPhase
		case c.Seat != r.Dealer:
			return NotYourTurn
		case c.Suit < 1 || c.Suit > 4:
			return Invalid
		}
	case PlaceBid:
		inTurn := s.Rules.Bidding == OpenBidding || s.Rules.Bidding == PlusMinusOne
		switch {
		case r.Phase != PlaceBids:
			return WrongPhase
		case r.Bids[c.Seat] != NoBid:
			return AlreadyBid
		case inTurn && int(c.Seat) != (int(r.Dealer)+1+len(made))%players:
			return NotYourTurn
		case !slices.Contains(oracleBids(s.Rules.Bidding.String(), players, int(r.CardsEach), made), c.Tricks):
			return BidNotAllowed
		}
	case PlayCard:
		if r.Phase != PlayTricks {
			return WrongPhase
		}
		if int(c.Seat) != (int(r.Leader)+int(r.Played))%players {
			return NotYourTurn
		}
		blind := s.Rules.Foresight && r.Number == 1 && r.CardsEach == 1
		hand := codes(r.Hands[c.Seat].Cards())
		switch {
		case blind && c.Card == card.Hidden:
			return ""
		case blind:
			return CardIsHidden
		case !slices.Contains(hand, c.Card.String()):
			return CardNotInHand
		case !slices.Contains(oracleMayPlay(hand, codes(r.InTrick())), c.Card.String()):
			return MustFollowSuit
		}
	default:
	}
	return ""
}

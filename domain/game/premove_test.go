package game

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mago/domain/card"
)

func preBid(seat Seat, tricks int) Premove { return Premove{Seat: seat, Bid: tricks} }

func preCards(seat Seat, codes string) Premove {
	return Premove{Seat: seat, Bid: NoBid, Cards: cards(codes)}
}

func preTrump(seat Seat) Premove { return Premove{Seat: seat, Bid: NoBid, Suit: card.Elves} }

// two-card hands of three players in a tournament's first round; seat 0 deals and seat 1 leads.
var (
	inTwos   = Rules{Length: Tournament}
	hands3x2 = []string{"E1 G1", "E2 D2", "E3 H3"}
)

func TestPreparingAPremove(t *testing.T) {
	t.Parallel()
	bids := bidding(inTwos, "H5", hands3x2...)
	plays := playing(inTwos, "H5", []int{0, 1, 0}, hands3x2...)
	lead := then(plays, CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: cards("D2")[0]})
	blind := bidding(Rules{Foresight: true}, "H5", "E1", "E2", "E3")
	wizard := dealt(inTwos, "W1", hands3x2...)
	over := then(bids, GameCancelled{Reason: Agreed})
	meant := func(p Premove, round, trick int) Premove { p.Round, p.Trick = round, trick; return p }
	for _, test := range []struct {
		name    string
		given   []Event
		p       Premove
		trick   int
		refused Code
	}{
		{name: "a bid", given: bids, p: preBid(2, 2)},
		{name: "a bid for this round", given: bids, p: meant(preBid(2, 2), 1, 0)},
		{name: "a bid for the next", given: bids, p: meant(preBid(2, 2), 2, 0), refused: WrongPhase},
		{name: "a bid above the cards", given: bids, p: preBid(2, 3), refused: BidNotAllowed},
		{name: "a bid on turn", given: bids, p: preBid(1, 2)},
		{name: "a second bid", given: then(bids, bid(1, 0)), p: preBid(1, 1), refused: AlreadyBid},
		{name: "a bid too late", given: plays, p: preBid(1, 1), refused: WrongPhase},
		{name: "a bid before the trump", given: wizard, p: preBid(1, 1)},
		{name: "the trump, by the dealer", given: wizard, p: preTrump(0)},
		{name: "the trump, by another", given: wizard, p: preTrump(1), refused: NotYourTurn},
		{name: "the trump too late", given: bids, p: preTrump(0), refused: WrongPhase},
		{name: "a card of one's own", given: plays, p: preCards(2, "H3"), trick: 1},
		{name: "before the bidding is over", given: bids, p: preCards(2, "H3"), trick: 1},
		{name: "somebody else's card", given: plays, p: preCards(2, "H3 E1"), refused: CardNotInHand},
		{name: "??, where cards are known", given: plays, p: preCards(2, "??"), refused: CardNotInHand},
		{name: "one may have to follow when it comes", given: lead, p: preCards(0, "G1"), trick: 1},
		{name: "a card on turn", given: plays, p: preCards(1, "D2"), trick: 1},
		{name: "the next trick, having played to this one", given: lead, p: preCards(1, "E2"), trick: 2},
		{name: "this trick, having played to it", given: lead, p: meant(preCards(1, "E2"), 0, 1), refused: WrongPhase},
		{name: "a later trick", given: plays, p: meant(preCards(2, "H3"), 0, 2), trick: 2},
		{name: "a trick that the round lacks", given: plays, p: meant(preCards(2, "H3"), 0, 3), refused: WrongPhase},
		{name: "a card named in a blind round", given: blind, p: preCards(1, "E2"), refused: CardIsHidden},
		{name: "whatever else is wrong", given: blind, p: meant(preCards(1, "?? W1"), 9, 9), refused: CardIsHidden},
		{name: "the hidden card", given: blind, p: preCards(1, "??"), trick: 1},
		{name: "after the end", given: over, p: preBid(2, 1), refused: GameOver},
		{name: "before the start", given: lobby(inTwos, 2), p: preBid(1, 1), refused: WrongPhase},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := fold(test.given...)
			p, err := s.Prepare(test.p)
			if codeOf(err) != test.refused {
				t.Fatalf("refused with %q, not %q", codeOf(err), test.refused)
			}
			if err == nil && (p.Round != 1 || p.Trick != test.trick) {
				t.Errorf("it is for trick %d of round %d", p.Trick, p.Round)
			}
		})
	}
}

// On turn, what is left must be legal.
func TestAPremoveOnTurnIsLegal(t *testing.T) {
	t.Parallel()
	s := fold(then(playing(inTwos, "H5", []int{0, 1, 0}, hands3x2...), CardPlayed{Round: 1, Trick: 1, Seat: 1, Card: cards("E2")[0]})...)
	if _, err := s.Prepare(preCards(2, "H3")); codeOf(err) != MustFollowSuit {
		t.Errorf("not following suit: %v", err)
	}
	if _, err := s.Prepare(preCards(2, "H3 E3")); err != nil {
		t.Errorf("the second is legal: %v", err)
	}
	s = fold(then(bidding(Rules{Bidding: PlusMinusOne, Length: Tournament}, "H5", hands3x2...), bid(1, 0), bid(2, 1))...)
	if _, err := s.Prepare(preBid(0, 1)); codeOf(err) != BidNotAllowed {
		t.Errorf("the bid that the last may not make: %v", err)
	}
}

// What a premove makes as the game goes on: a move when its turn has come and never in another, and nothing where none of it is legal.
func TestWhatAPremoveMakes(t *testing.T) {
	t.Parallel()
	played := func(trick int, seat Seat, code string) Event {
		return CardPlayed{Round: 1, Trick: trick, Seat: seat, Card: cards(code)[0]}
	}
	plays := playing(inTwos, "H5", []int{0, 1, 0}, hands3x2...)
	lead := then(plays, played(1, 1, "E2"))
	trick := then(lead, played(1, 2, "E3"), played(1, 0, "E1"), TrickWon{Round: 1, Trick: 1, Seat: 2, Card: cards("E3")[0]})
	bids := bidding(inTwos, "H5", hands3x2...)
	move := func(seat Seat, trick int, code string) Command {
		return PlayCard{Seat: seat, Card: cards(code)[0], Auto: AutoPremove, Meant: Meant{Round: 1, Trick: trick}}
	}
	at := func(p Premove, round, trick int) Premove { p.Round, p.Trick = round, trick; return p }
	for _, test := range []struct {
		name  string
		given []Event
		p     Premove
		makes Command
		waits bool
	}{
		{name: "not yet", given: plays, p: at(preCards(2, "H3"), 1, 1), waits: true},
		{name: "the first", given: lead, p: at(preCards(2, "E3 H3"), 1, 1), makes: move(2, 1, "E3")},
		{name: "the first that is legal", given: lead, p: at(preCards(2, "H3 E3"), 1, 1), makes: move(2, 1, "E3")},
		{name: "none is legal", given: lead, p: at(preCards(2, "H3"), 1, 1)},
		{name: "another has a later trick", given: lead, p: at(preCards(2, "E3"), 1, 2), waits: true},
		{name: "another round", given: lead, p: at(preCards(2, "E3"), 2, 1)},
		{name: "the turn has passed", given: then(lead, played(1, 2, "E3")), p: at(preCards(2, "H3"), 1, 1)},
		{name: "the trick has passed", given: trick, p: at(preCards(2, "H3"), 1, 1)},
		{name: "its own trick", given: trick, p: at(preCards(2, "H3"), 1, 2), makes: move(2, 2, "H3")},
		{name: "a bid", given: bids, p: at(preBid(1, 2), 1, 0), makes: PlaceBid{Seat: 1, Tricks: 2, Auto: AutoPremove, Meant: Meant{Round: 1}}},
		{name: "a bid, not yet", given: bids, p: at(preBid(2, 2), 1, 0), waits: true},
		{name: "a card in the bidding", given: bids, p: at(preCards(1, "E2"), 1, 1), waits: true},
		{name: "a bid that was made", given: then(bids, bid(1, 0)), p: at(preBid(1, 2), 1, 0)},
		{name: "the trump", given: dealt(inTwos, "W1", hands3x2...), p: at(preTrump(0), 1, 0), makes: NameTrump{Seat: 0, Suit: card.Elves, Auto: AutoPremove, Meant: Meant{Round: 1}}},
		{name: "of a player who has left", given: then(lead, PlayerResigned{Seat: 2}), p: at(preCards(2, "E3"), 1, 1)},
		{name: "of one whom a bot replaces", given: then(lead, SeatTakenOver{Seat: 2}), p: at(preCards(2, "E3"), 1, 1)},
		{name: "of one whom the bot moves for once more", given: then(lead, SeatTakenOver{Seat: 2}, SeatReclaimed{Seat: 2}), p: at(preCards(2, "E3"), 1, 1), waits: true},
		{name: "after the end", given: then(lead, GameCancelled{Reason: Agreed, InRound: true}), p: at(preCards(2, "E3"), 1, 1)},
		{
			name: "a blind card", given: playing(Rules{Foresight: true}, "H5", []int{0, 1, 0}, "E1", "E2", "E3"), p: at(preCards(1, "??"), 1, 1),
			makes: PlayCard{Seat: 1, Card: card.Hidden, Auto: AutoPremove, Meant: Meant{Round: 1, Trick: 1}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := fold(test.given...)
			c, waits := s.Premoved(test.p)
			if diff := cmp.Diff(test.makes, c); diff != "" || waits != test.waits {
				t.Errorf("waits: %v; %s", waits, diff)
			}
			if c != nil {
				if _, err := Decide(s, c); err != nil {
					t.Errorf("%#v is refused: %v", c, err)
				}
			}
		})
	}
}

// premoves are attempts of a viewer's to find something out.
func premoves(s *State, viewer Seat) (out []Premove) {
	for tricks := range int(s.Round.CardsEach) + 2 {
		out = append(out, preBid(viewer, tricks))
	}
	out = append(out, preTrump(viewer), preCards(viewer, "??"), Premove{Seat: viewer, Bid: NoBid, Cards: cards("??"), Trick: int(s.Round.Trick) + 1})
	for _, k := range card.Deck() {
		out = append(out, Premove{Seat: viewer, Bid: NoBid, Cards: []card.Card{k}})
	}
	return out
}

// What waits for a seat is played when it can be, is legal then, and never in another round than it was left in.
func TestPremovesAtRandom(t *testing.T) {
	t.Parallel()
	played := 0
	for n := range soak(20, 20) {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		r := allRules()[rng.IntN(len(allRules()))]
		g := newTable(t, r, secrets(uint64(n)))
		waiting := map[Seat]Premove{}
		for g.state.Status == Playing {
			seat := Seat(rng.IntN(r.Players))
			tries := premoves(&g.state, seat)
			if p, err := g.state.Prepare(tries[rng.IntN(len(tries))]); err == nil {
				waiting[seat] = p
			}
			if premoveAtRandom(g, waiting) {
				played++
			} else {
				g.step(rng)
			}
		}
	}
	if played < 200 {
		t.Errorf("only %d premoves were played", played)
	}
}

// premoveAtRandom makes a move that waits, if the time of one has come, and drops those whose time has passed.
func premoveAtRandom(g *table, waiting map[Seat]Premove) bool {
	g.tb.Helper()
	for seat := range Seat(MaxPlayers) {
		p, left := waiting[seat]
		if !left {
			continue
		}
		c, waits := g.state.Premoved(p)
		if c == nil && !waits {
			delete(waiting, seat)
		}
		if c == nil {
			continue
		}
		if p.Round != int(g.state.Round.Number) {
			g.tb.Fatalf("%+v was left for another round", p)
		}
		g.must(c)
		delete(waiting, seat)
		return true
	}
	return false
}

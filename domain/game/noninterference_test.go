package game

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mago/domain/card"
)

// Non-interference: of two games that differ only in what a viewer may not know, that viewer sees the same. The pairs are made by
// re-dealing what the viewer can't see (noninterference_pair_test.go), at every version: between the events of one command too,
// since that is what a view as of that version shows.
func TestWhatAViewerMayNotKnowChangesNothingForThem(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			for n := range soak(1, 4) {
				c := &pairCheck{t: t, rng: rng}
				c.game(playedOut(t, r, uint64(i+1000*n), toTheEnd, rng))
				c.sawEnough(r)
				c.game(playedOut(t, r, uint64(i+1000*n), rng.IntN(12), rng))
			}
		})
	}
}

// toTheEnd is more moves than a game can have.
const toTheEnd = MaxPlayers * MaxRounds * MaxCards * 10

// playedOut plays a game at random, with some players resigning on the way and all of them after so many moves: that cancels it.
func playedOut(t *testing.T, r Rules, n uint64, moves int, rng *rand.Rand) []entry {
	t.Helper()
	g := newTable(t, r, secrets(n))
	for move := 0; g.state.Status == Playing; move++ {
		seat := Seat(rng.IntN(r.Players))
		switch {
		case move >= moves:
			_, _ = g.do(Resign{Seat: seat}) // refused to who has left
		case rng.IntN(100) == 0 && g.state.Left[seat] == 0 && len(g.state.people().All()) > 1:
			g.must(Resign{Seat: seat})
		default:
			g.step(rng)
		}
	}
	entries := make([]entry, len(g.stream))
	for i, rec := range g.stream {
		e, err := Decode(rec.name, rec.data, rec.secret)
		if err != nil {
			t.Fatal(err)
		}
		if created, ok := e.(GameCreated); ok {
			created.ID = testID
			e = created
		}
		entries[i] = entry{e, rec.at}
	}
	return entries
}

// pairCheck compares pairs, and counts how many of them there were with different hands and bids.
type pairCheck struct {
	t           *testing.T
	rng         *rand.Rand
	oneIn       int // of how many versions of the later rounds one is looked at
	hands, bids int
}

// game looks at the spectator and at half of the players, drawn anew at each version; in soak at all. Who resigned is a spectator.
func (c *pairCheck) game(entries []entry) {
	c.t.Helper()
	c.oneIn = 1 + len(entries)/soak(16, 60)
	p := newPast()
	for i, e := range entries {
		p.add(e)
		if !c.chosen(p) {
			continue
		}
		settled := i+1 == len(entries) || entries[i+1].at != e.at
		for viewer := Spectator; int(viewer) < p.now.Rules.Players; viewer++ {
			if viewer != Spectator && (p.now.ViewerOf(user(int(viewer))) != viewer || c.rng.IntN(100) >= soak(50, 2)) {
				continue
			}
			c.pair(p, viewer, settled)
			if c.t.Failed() {
				return // one difference says it all
			}
		}
	}
}

// chosen takes every version of the lobby, of the first round and of the game's end, and some of the others.
func (c *pairCheck) chosen(p *past) bool {
	return p.dealt < 0 || p.now.Status.Over() || p.now.Round.Number == 1 || c.rng.IntN(c.oneIn) == 0
}

func (c *pairCheck) pair(p *past, viewer Seat, settled bool) {
	c.t.Helper()
	other, legal := p.retell(viewer, c.rng)
	if !legal {
		c.t.Fatalf("version %d: the other history is not legal", p.now.Version)
	}
	if p.now.Round.Hands != other.now.Round.Hands {
		c.hands++
	}
	if p.now.Round.Bids != other.now.Round.Bids {
		c.bids++
	}
	if a, b := p.now.View(viewer), other.now.View(viewer); !sameView(a, b) {
		c.t.Errorf("version %d: views of %d differ: %s", p.now.Version, viewer, cmp.Diff(a, b))
	}
	c.events(p, other, viewer)
	if settled {
		c.refusals(p, other, viewer)
		c.prepared(p, other, viewer)
	}
}

// sameView compares the scores apart: a view has many of them, and reflection is slow.
func sameView(a, b View) bool {
	if !slices.Equal(a.Rounds, b.Rounds) {
		return false
	}
	a.Rounds, b.Rounds = nil, nil
	return reflect.DeepEqual(a, b)
}

// refusal is all that an error says, "" for none.
func refusal(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// events compares those of the round in play and a few of the others: the first, whose secrets differ, and those of scored rounds,
// which are the same before redaction.
func (c *pairCheck) events(p, other *past, viewer Seat) {
	c.t.Helper()
	for i := range p.entries {
		if i == 0 && c.rng.IntN(8) != 0 || i > 0 && i < p.dealt && c.rng.IntN(50) != 0 {
			continue
		}
		a, wholeA := p.now.Redact(p.entries[i].event, viewer)
		b, wholeB := other.now.Redact(other.entries[i].event, viewer)
		dataA, secretA := Encode(a)
		dataB, secretB := Encode(b)
		if !bytes.Equal(dataA, dataB) || !bytes.Equal(secretA, secretB) || wholeA != wholeB {
			c.t.Errorf("version %d: %d is sent %s (whole: %t) and %x, or %s (%t) and %x",
				p.now.Version, viewer, dataA, wholeA, secretA, dataB, wholeB, secretB)
			return
		}
	}
}

// refusals compares what the games answer to all sorts of commands by the viewer. What is accepted in one is accepted in the other;
// what then becomes known is another version's business.
func (c *pairCheck) refusals(p, other *past, viewer Seat) {
	c.t.Helper()
	for _, command := range c.attempts(&p.now, viewer) {
		_, a := Decide(p.now, command)
		_, b := Decide(other.now, command)
		if refusal(a) != refusal(b) {
			c.t.Errorf("version %d: %#v by %d: %v or %v", p.now.Version, command, viewer, a, b)
		}
		for back := range 4 {
			if v := p.now.Version - back; p.now.Stale(v, command) != other.now.Stale(v, command) {
				c.t.Errorf("version %d: %#v by %d is stale by version %d in only one of two games", p.now.Version, command, viewer, v)
			}
		}
	}
}

// prepared compares what the games answer to premoves.
func (c *pairCheck) prepared(p, other *past, viewer Seat) {
	c.t.Helper()
	if viewer == Spectator {
		return
	}
	for _, move := range premoves(&p.now, viewer) {
		a, failure := p.now.Prepare(move)
		b, otherFailure := other.now.Prepare(move)
		if refusal(failure) != refusal(otherFailure) || a.Round != b.Round || a.Trick != b.Trick {
			c.t.Errorf("version %d: %+v by %d: %v or %v", p.now.Version, move, viewer, failure, otherFailure)
		}
	}
}

func (c *pairCheck) attempts(s *State, viewer Seat) []Command {
	if viewer == Spectator {
		return []Command{JoinGame{User: user(9), Seat: NoSeat}, JoinGame{User: user(9), Seat: 1}, JoinGame{User: user(1), Seat: NoSeat}}
	}
	out := []Command{
		Resign{viewer},
		LeaveLobby{viewer, viewer},
		LeaveLobby{(viewer + 1) % 3, viewer},
		StartGame{viewer},
		CancelGame{viewer},
		SetClientSeed{viewer, "new"},
		JoinGame{User: user(int(viewer)), Seat: NoSeat},
		NameTrump{Seat: viewer, Suit: card.Elves},
		NameTrump{Seat: viewer},
		PlaceBid{Seat: viewer, Tricks: 1, Meant: Meant{Round: int(s.Round.Number) + 1}},
		PlayCard{Seat: viewer, Card: card.Hidden, Meant: Meant{Round: int(s.Round.Number), Trick: int(s.Round.Trick) + 1}},
		PlayCard{Seat: viewer, Card: card.Hidden},
		PlayCard{Seat: viewer, Card: card.None},
	}
	for tricks := -1; tricks <= int(s.Round.CardsEach)+1; tricks++ {
		out = append(out, PlaceBid{Seat: viewer, Tricks: tricks})
	}
	for _, k := range card.Deck() {
		// All of them where a card of one's own is hidden, else one's own and some of the others.
		if s.Rules.Foresight && s.Round.Number == 1 || s.Round.Hands[viewer].Has(k) || c.rng.IntN(5) == 0 {
			out = append(out, PlayCard{Seat: viewer, Card: k})
		}
	}
	return out
}

// sawEnough fails if the pairs were pairs in name only.
func (c *pairCheck) sawEnough(r Rules) {
	c.t.Helper()
	if c.hands < 15 || r.Bidding.Simultaneous() && c.bids < 2 {
		c.t.Errorf("only %d pairs with other hands and %d with other bids", c.hands, c.bids)
	}
}

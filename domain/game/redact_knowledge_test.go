package game

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mago/domain/card"
)

// known is what a viewer may know of the round in play, worked out the slow way from the whole stream up to a version.
type known struct {
	round, scored int
	simultaneous  bool
	blind, over   bool
	revealed      bool
	bids          map[Seat]int
	hands         map[Seat]card.Set // not yet played
	totals        []int
}

func knownFrom(r Rules, entries []entry) *known {
	k := &known{simultaneous: r.Bidding == HiddenBidding || r.Bidding == SecretBidding, totals: make([]int, r.Players)}
	for _, e := range entries {
		if deal, ok := e.event.(Dealt); ok {
			k.round, k.revealed, k.bids, k.hands = deal.Round, false, map[Seat]int{}, map[Seat]card.Set{}
			k.blind = r.Foresight && deal.Round == 1 && deal.CardsEach == 1
			for i, h := range deal.Hands {
				k.hands[Seat(i)] = h.Cards
			}
		}
		if bid, ok := e.event.(BidPlaced); ok {
			k.bids[bid.Seat] = bid.Tricks
		}
		if play, ok := e.event.(CardPlayed); ok {
			k.hands[play.Seat] = k.hands[play.Seat].Without(play.Card)
		}
		if score, ok := e.event.(RoundScored); ok {
			k.scored, k.totals = score.Round, score.Totals
		}
		switch e.event.name() {
		case "bids_revealed":
			k.revealed = true
		case "game_cancelled":
			k.over = true
		case "game_finished":
			k.over, k.bids, k.hands = true, nil, nil
		}
	}
	return k
}

// A view as of any version, between the events of one command too, shows what was known then: all of it, and no more.
func TestAViewShowsWhatWasKnownThen(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(11, uint64(i)))
			for _, moves := range []int{toTheEnd, rng.IntN(20)} {
				entries := playedOut(t, r, uint64(i), moves, rng)
				var s State
				for n, e := range entries {
					s = Evolve(s, e.event, e.at)
					if n > 60 && n+3 < len(entries) && rng.IntN(1+len(entries)/soak(20, 50)) != 0 {
						continue
					}
					k := knownFrom(r, entries[:n+1])
					for viewer := Spectator; int(viewer) < r.Players; viewer++ {
						checkView(t, &s, k, viewer)
					}
				}
			}
		})
	}
}

func checkView(t *testing.T, s *State, k *known, viewer Seat) {
	t.Helper()
	v := s.View(viewer)
	for _, at := range v.Seats {
		bid, has := k.bids[at.Seat]
		if !has || k.simultaneous && !k.revealed && !k.over && at.Seat != viewer {
			bid = NoBid
		}
		if at.HasBid != has || at.Bid != bid || at.Cards != k.hands[at.Seat].Len() || at.Total != k.totals[at.Seat] {
			t.Errorf("version %d seen by %d: %+v, not bid %d (%t), %d cards, total %d",
				s.Version, viewer, at, bid, has, k.hands[at.Seat].Len(), k.totals[at.Seat])
		}
	}
	if len(v.Rounds) != k.scored {
		t.Errorf("version %d: %d rounds for %d scored", s.Version, len(v.Rounds), k.scored)
	}
	if viewer == Spectator {
		if v.You != nil || v.Others != nil {
			t.Errorf("version %d: a spectator sees %+v and %+v", s.Version, v.You, v.Others)
		}
		return
	}
	hand := k.hands[viewer].Cards()
	if k.blind && k.scored < k.round && !k.over {
		hand = slices.Repeat([]card.Card{card.Hidden}, len(hand))
	}
	if !slices.Equal(v.You.Hand, hand) {
		t.Errorf("version %d: %d sees the own hand %v, not %v", s.Version, viewer, v.You.Hand, hand)
	}
	for _, c := range v.You.Can.Play {
		if !slices.Contains(hand, c) {
			t.Errorf("version %d: %d may play %v of %v", s.Version, viewer, c, hand)
		}
	}
	var others []OtherHand
	for seat := range Seat(s.Rules.Players) {
		if h, dealt := k.hands[seat]; dealt && k.blind && seat != viewer {
			others = append(others, OtherHand{seat, h.Cards()})
		}
	}
	if !reflect.DeepEqual(v.Others, others) {
		t.Errorf("version %d: %d sees others' hands %v, not %v", s.Version, viewer, v.Others, others)
	}
}

// What was once shown to a viewer stays shown.
func TestKnowledgeOnlyGrows(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(13, uint64(i)))
			for _, moves := range []int{toTheEnd, rng.IntN(20)} {
				growing(t, r, playedOut(t, r, uint64(i), moves, rng), rng)
			}
		})
	}
}

// growing follows what every viewer is sent of deals and bids from version to version: of this round and the last one each time, of all
// rounds now and then. TestEveryTypeButTwoIsAlwaysWhole has the other events.
func growing(t *testing.T, r Rules, entries []entry, rng *rand.Rand) {
	t.Helper()
	var s State
	seen := make([][]Event, r.Players+1) // by viewer and event
	var deals []int
	for n, e := range entries {
		s = Evolve(s, e.event, e.at)
		if _, ok := e.event.(Dealt); ok {
			deals = append(deals, n)
		}
		from := 0
		if len(deals) > 1 && n+1 < len(entries) && rng.IntN(1+len(entries)/soak(10, 50)) != 0 {
			from = deals[len(deals)-2]
		}
		for viewer := Spectator; int(viewer) < r.Players; viewer++ {
			known := &seen[viewer+1]
			*known = append(*known, nil)
			for i := from; i <= n; i++ {
				if name := TypeOf(entries[i].event); name != "dealt" && name != "bid_placed" {
					continue
				}
				now, _ := s.Redact(entries[i].event, viewer)
				if before := (*known)[i]; before != nil && !atLeast(now, before) {
					t.Fatalf("version %d: %d was shown %+v of event %d and now %+v", s.Version, viewer, before, i+1, now)
				}
				(*known)[i] = now
			}
		}
	}
}

// atLeast tells whether a deal or bid as it is sent now shows all that it showed before.
func atLeast(now, before Event) bool {
	if bid, ok := before.(BidPlaced); ok {
		return now == before || bid.Tricks == NoBid
	}
	a, b := now.(Dealt).Hands, before.(Dealt).Hands
	for i, h := range a {
		if h.Cards&b[i].Cards != b[i].Cards || h.Hidden > b[i].Hidden {
			return false
		}
	}
	return true
}

// In a secret game nothing that follows from bids is seen before the reveal: with every choice of bids the spectator sees the same.
func TestSecretBidsChangeNothingThatIsSeen(t *testing.T) {
	t.Parallel()
	const choices = 3 // bids of 0, 1 and 2
	stream := told(SecretBidding, false, Tournament, afterLastCard)
	for viewer := Spectator; viewer < 3; viewer++ {
		for own := range choices {
			var first []View
			for n := range choices * choices * choices {
				bids := [3]int{n % 3, n / 3 % 3, n / 9}
				if viewer != Spectator && bids[viewer] != own {
					continue
				}
				views := viewsWithBids(stream, bids, viewer)
				if first == nil {
					first = views
				}
				if !reflect.DeepEqual(views, first) {
					t.Errorf("%d can tell the bids %v", viewer, bids)
				}
			}
		}
	}
}

func viewsWithBids(stream []Event, bids [3]int, viewer Seat) (views []View) {
	var s State
	for i, e := range stream {
		if bid, ok := e.(BidPlaced); ok {
			bid.Tricks = bids[bid.Seat]
			e = bid
		}
		s = Evolve(s, e, int64(i))
		views = append(views, s.View(viewer))
	}
	return views
}

func TestWhoResignedSeesWhatASpectatorSees(t *testing.T) {
	t.Parallel()
	events := told(HiddenBidding, false, Tournament, afterFirstBid)
	s := fold(events...)
	if s.ViewerOf(user(1)) != 1 || s.ViewerOf(user(0)) != 0 || s.ViewerOf(user(8)) != Spectator {
		t.Fatal("players see through their seats, strangers don't")
	}
	resigned, err := Decide(s, Resign{Seat: 1})
	if err != nil {
		t.Fatal(err)
	}
	events = then(events, resigned...)
	s = fold(events...)
	if s.ViewerOf(user(1)) != Spectator || s.ViewerOf(user(0)) != 0 {
		t.Error("who resigned sees through no seat, the others as before")
	}
	v := s.View(s.ViewerOf(user(1)))
	if v.You != nil || v.Seats[1].Bid != NoBid || !v.Seats[1].HasBid || !v.Seats[1].Left {
		t.Errorf("%+v of %+v", v.You, v.Seats[1])
	}
	checkSent(t, &s, events, s.ViewerOf(user(1)), map[string]string{"hands": `[["??","??"],["??","??"],["??","??"]]`, "tricks": "null"})
}

package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"

	"mago/api/apitest"
	"mago/domain/card"
	"mago/domain/game"
	"mago/eventstore/testdb"
)

// The faults that servers of such games were found to have, each looked for here.

func TestNoBidBeforeTrumpIsChosen(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, bidding := range []string{"open", "hidden"} {
		table := startedIn(t, r, apitest.Rules{Players: 3, Bidding: bidding, Length: "five"}, "choose_trump")
		g := table.View(t, 0)
		if g.Round.Trump != nil || g.Turn.Action != "choose_trump" || len(g.Turn.Seats) != 1 || g.Turn.Seats[0] != g.Round.Dealer {
			t.Fatalf("%+v", g)
		}
		for seat, p := range table.Players {
			p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/bids"), map[string]int{"tricks": 0})
			p.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/plays"), map[string]string{"card": table.View(t, seat).You.Hand[0]})
			if seat != g.Round.Dealer {
				p.Refused(t, http.StatusConflict, "not_your_turn", "POST", table.Path("/trump"), map[string]string{"suit": "elves"})
			}
		}
		dealer := table.Players[g.Round.Dealer]
		for _, none := range []string{`{"suit":"none"}`, `{"suit":""}`, `{"suit":null}`, `{}`} {
			dealer.Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", table.Path("/trump"), []byte(none))
		}
		dealer.Must(t, http.StatusOK, "POST", table.Path("/trump"), map[string]string{"suit": "giants"}, &g)
		if g.Round.Trump == nil || *g.Round.Trump != "giants" || g.Round.Phase != "bidding" {
			t.Errorf("%+v", g.Round)
		}
		dealer.Refused(t, http.StatusConflict, "wrong_phase", "POST", table.Path("/trump"), map[string]string{"suit": "elves"})
	}
}

func TestNoNegativeBid(t *testing.T) {
	t.Parallel()
	b := besiege(t, start(t))
	for _, tricks := range []string{"-1", "-20", "-2147483649", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "4294967295", "256"} {
		b.refused(t, CodeInvalid, "POST", "GAME/bids", []byte(`{"tricks":`+tricks+`}`))
	}
	for _, tricks := range []int{2, 20} { // a number of tricks, but not of this round
		b.refused(t, CodeBidNotAllowed, "POST", "GAME/bids", fmt.Appendf(nil, `{"tricks":%d}`, tricks))
	}
	b.unmoved(t)
}

// A bid of none and no bid are different things to everybody.
func TestBidOfNoneIsNoMissingBid(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, bidding := range []string{"open", "hidden", "secret"} {
		table := startedBidding(t, r, apitest.Rules{Players: 3, Bidding: bidding, Length: "five"})
		first := table.View(t, 0).Turn.Seats[0]
		for viewer := range 3 {
			if s := table.View(t, viewer).Seats[first]; s.HasBid || s.Bid != nil {
				t.Errorf("%s, before: has_bid %v, bid %v", bidding, s.HasBid, s.Bid)
			}
		}
		table.Players[first].Must(t, http.StatusOK, "POST", table.Path("/bids"), map[string]int{"tricks": 0}, nil)
		for viewer := range 3 {
			s := table.View(t, viewer).Seats[first]
			if known := bidding == "open" || viewer == first; !s.HasBid || known != (s.Bid != nil) || known && *s.Bid != 0 {
				t.Errorf("%s, after, seat %d: has_bid %v, bid %v", bidding, viewer, s.HasBid, s.Bid)
			}
		}
		table.Players[first].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", table.Path("/bids"), []byte(`{}`))
	}
}

// finished plays a whole game of a kind and returns it.
func finished(t *testing.T, r *running, rules apitest.Rules, seed uint64) *apitest.Table {
	t.Helper()
	table := apitest.NewTable(t, r.url, rules)
	rng := rand.New(rand.NewPCG(3, seed))
	for table.Step(t, rng) {
	}
	return table
}

// Points are added once, however often a player comes back to look: the totals are the sums of the points, in the view, the stream and the lists.
func TestReconnectingAddsNoPoints(t *testing.T) {
	t.Parallel()
	path := testdb.New(t)
	r := startOn(t, path)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	rng := rand.New(rand.NewPCG(4, 4))
	for table.Step(t, rng) {
		g := table.View(t, 0)
		if len(g.Rounds) > 0 && g.Turn != nil && rng.IntN(12) == 0 { // everybody comes back, to a server that was started anew
			r.stop()
			r = startOn(t, path)
			for _, p := range table.Players {
				p.Base = r.url
			}
		}
		table.View(t, rng.IntN(3))
	}
	var view struct {
		Seats  []struct{ Total int }
		Rounds []struct{ Points, Totals []int }
	}
	table.Players[0].Must(t, http.StatusOK, "GET", table.Path(""), nil, &view)
	if len(view.Rounds) != 5 {
		t.Fatalf("%d rounds", len(view.Rounds))
	}
	sums := make([]int, 3)
	for n, round := range view.Rounds {
		for seat, p := range round.Points {
			sums[seat] += p
		}
		if !slices.Equal(sums, round.Totals) {
			t.Errorf("round %d: totals %v, the points sum up to %v", n+1, round.Totals, sums)
		}
	}
	for seat := range sums {
		if view.Seats[seat].Total != sums[seat] {
			t.Errorf("seat %d has %d, the points sum up to %d", seat, view.Seats[seat].Total, sums[seat])
		}
	}
	scored := 0
	for _, e := range table.Players[0].Events(t, table.ID) {
		if e.Type == "round_scored" {
			scored++
		}
	}
	if scored != 5 {
		t.Errorf("%d rounds were scored", scored)
	}
}

// The rule of a trick once more: the first wizard, else the highest trump, else the highest of the suit led, else the first jester.
func winner(plays []card.Card, trump card.Suit) int {
	led := card.NoSuit
	for _, c := range plays {
		if led = c.Suit(); !c.IsJester() {
			break
		}
	}
	worth := func(i int) int {
		c := plays[i]
		switch {
		case c.IsWizard():
			return 1000 - i
		case c.IsJester():
			return -i
		case trump != card.NoSuit && c.Suit() == trump:
			return 200 + c.Rank()
		case c.Suit() == led:
			return 100 + c.Rank()
		}
		return -100
	}
	best := 0
	for i := range plays {
		if worth(i) > worth(best) {
			best = i
		}
	}
	return best
}

// Every trick, the last of a round and of the game too, is credited to who won it by the order of play, in the stream, in the score of its
// round and when the game is played back by as_of.
func TestTricksAreCreditedInPlayback(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := finished(t, r, apitest.Rules{Players: 4, Length: "five"}, 5)
	var plays []card.Card
	var seats []int
	trump, taken := card.NoSuit, make([]int, 4)
	for _, e := range table.Players[1].Events(t, table.ID) {
		var d struct {
			Seat           int
			Card, Suit     *string
			Tricks, Totals []int
		}
		if e.Type != "bid_placed" { // of which tricks is a number
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
		}
		switch e.Type {
		case "trump_set":
			trump = card.NoSuit
			if d.Suit != nil {
				trump, _ = card.ParseSuit(*d.Suit)
			}
		case "card_played":
			c, err := card.Parse(*d.Card)
			if err != nil {
				t.Fatal(err)
			}
			plays, seats = append(plays, c), append(seats, d.Seat)
		case "trick_won":
			i := winner(plays, trump)
			if d.Seat != seats[i] || *d.Card != plays[i].String() || len(plays) != 4 {
				t.Errorf("version %d: %v by seats %v, trump %v: credited %s of seat %d", e.Version, plays, seats, trump, *d.Card, d.Seat)
			}
			taken[d.Seat]++
			var past struct {
				LastTrick struct {
					Winner int
					Plays  []struct {
						Seat int
						Card string
					}
				} `json:"last_trick"`
				Seats []struct{ Tricks int }
			}
			table.Players[2].Must(t, http.StatusOK, "GET", table.Path(fmt.Sprint("?as_of=", e.Version)), nil, &past)
			if past.LastTrick.Winner != d.Seat || past.LastTrick.Plays[i].Seat != d.Seat || past.LastTrick.Plays[i].Card != *d.Card || past.Seats[d.Seat].Tricks != taken[d.Seat] {
				t.Errorf("version %d is played back as %+v, seat %d won", e.Version, past, d.Seat)
			}
			plays, seats = nil, nil
		case "round_scored":
			if !slices.Equal(d.Tricks, taken) {
				t.Errorf("version %d: scored %v, taken %v", e.Version, d.Tricks, taken)
			}
			taken = make([]int, 4)
		}
	}
}

// Where wizards meet, or jesters alone, the order of play decides and no seat number does: every leader is tried.
func TestWinnerIsTakenByOrderOfPlay(t *testing.T) {
	t.Parallel()
	r := start(t)
	users := registerAll(t, r, 3)
	ids := []string{users[0].Tokens.User.ID, users[1].Tokens.User.ID, users[2].Tokens.User.ID}
	for _, hands := range [][3]string{{"W1", "W2", "W3"}, {"J3", "J2", "J1"}} {
		for dealer := range game.Seat(3) {
			h := newHistory(t, game.Rules{Players: 3, Length: game.Five}, ids, rand.New(rand.NewPCG(6, 6)))
			h.redeal(t, dealer, hands, "E7")
			for range 3 {
				h.play(t, game.PlaceBid{Seat: h.state.Turn().All()[0], Tricks: 0})
			}
			table := apitest.Table{ID: h.stage(t, r.store), Players: users}
			leader := int(dealer+1) % 3
			for i := range 3 {
				seat := (leader + i) % 3
				users[seat].Must(t, http.StatusOK, "POST", table.Path("/plays"), map[string]string{"card": hands[seat]}, nil)
			}
			var g struct {
				LastTrick struct{ Winner int } `json:"last_trick"`
			}
			users[0].Must(t, http.StatusOK, "GET", table.Path(""), nil, &g)
			if g.LastTrick.Winner != leader {
				t.Errorf("%v led by seat %d: seat %d is said to have won", hands, leader, g.LastTrick.Winner)
			}
		}
	}
}

// redeal replaces the deal of a round in which nothing has happened yet.
func (h *history) redeal(tb testing.TB, dealer game.Seat, hands [3]string, turned string) {
	tb.Helper()
	parse := func(code string) card.Card {
		c, err := card.Parse(code)
		if err != nil {
			tb.Fatal(err)
		}
		return c
	}
	at := h.dealt()
	before := h.events[:at]
	*h = history{}
	for _, e := range before {
		h.add(e)
	}
	deal := game.Dealt{Round: 1, CardsEach: 1, Dealer: dealer, Turned: parse(turned)}
	for _, code := range hands {
		deal.Hands = append(deal.Hands, game.Hand{Cards: card.SetOf(parse(code))})
	}
	h.add(deal)
	h.add(game.TrumpSet{Round: 1, Suit: deal.Turned.Suit(), By: game.ByTurned, Seat: game.NoSeat})
}

// Of two cards that a player sends at the same time one is played.
func TestTwoCardsAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "tournament"}) // rounds of 2, 4, 6 … cards
	rng := rand.New(rand.NewPCG(7, 7))
	for tried := 0; tried < 8; {
		g := table.View(t, table.View(t, 0).Turn.Seats[0])
		if len(g.You.Can.Play) < 2 {
			table.Step(t, rng)
			continue
		}
		tried++
		var wg sync.WaitGroup
		answers := make([]apitest.Answer, 2)
		for i := range answers {
			wg.Go(func() {
				answers[i] = table.Players[g.You.Seat].Do(t, "POST", table.Path("/plays"), map[string]string{"card": g.You.Can.Play[i]})
			})
		}
		wg.Wait()
		lost := answers[0]
		if lost.Status == http.StatusOK {
			lost = answers[1]
		}
		if answers[0].Status == answers[1].Status || lost.Status != http.StatusConflict && lost.Status != http.StatusOK {
			// The last to play of a trick that they win is on turn again: only then are two cards of one player two moves.
			after := table.View(t, 0)
			if answers[0].Status != http.StatusOK || after.Version < g.Version+3 {
				t.Fatalf("%d %s\n%d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
			}
		}
	}
}

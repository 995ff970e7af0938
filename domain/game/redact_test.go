package game

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// moment is a place in a game of three that is told event by event: what everybody may know of the deal and of the bid that seat 1
// made first changes at few of them.
type moment int

const (
	afterDeal moment = iota
	afterFirstBid
	afterLastBid // and before they are revealed
	afterReveal  // of hidden bids
	inTrick
	betweenTricks
	afterLastCard
	afterSecretReveal
	afterScore
	afterNextDeal
	moments
)

var momentNames = [moments]string{
	"after the deal", "after the first bid", "after the last bid", "after hidden bids are shown", "in a trick", "between tricks",
	"after the last card", "after secret bids are shown", "after the score", "after the next deal",
}

// told returns the game up to a moment: a first round of one card, or of two where the game is a tournament.
func told(b Bidding, foresight bool, l Length, until moment) []Event {
	r := Rules{Bidding: b, Length: l, Foresight: foresight}
	hands := []string{"D1", "E1", "G1"}
	if l == Tournament {
		hands = []string{"D1 D2", "E1 E2", "G1 G2"}
	}
	all := bidding(r, "H1", hands...)
	at := [moments]int{afterDeal: len(all)}
	add := func(m moment, events ...Event) {
		all = append(all, events...)
		at[m] = len(all)
	}
	shown := BidsRevealed{Round: 1, Bids: []int{0, 1, 1}}
	add(afterFirstBid, BidPlaced{Round: 1, Seat: 1, Tricks: 1})
	add(afterLastBid, BidPlaced{Round: 1, Seat: 2, Tricks: 1}, BidPlaced{Round: 1, Seat: 0, Tricks: 0})
	add(afterReveal)
	if b == HiddenBidding {
		add(afterReveal, shown)
	}
	add(inTrick, played(1, 1, "E1"))
	add(betweenTricks, played(1, 2, "G1"), played(1, 0, "D1"), TrickWon{Round: 1, Trick: 1, Seat: 1, Card: cards("E1")[0]})
	add(afterLastCard)
	if l == Tournament {
		add(afterLastCard, played(2, 1, "E2"), played(2, 2, "G2"), played(2, 0, "D2"), TrickWon{Round: 1, Trick: 2, Seat: 1, Card: cards("E2")[0]})
	}
	add(afterSecretReveal)
	if b == SecretBidding {
		add(afterSecretReveal, shown)
	}
	add(afterScore, RoundScored{
		Round: 1, Bids: shown.Bids, Tricks: []int{0, 1, 0}, Points: []int{20, 30, -10}, Totals: []int{20, 30, -10}, Seed: secrets(1).Seeds[0],
	})
	add(afterNextDeal, Dealt{Round: 2, CardsEach: 2, Dealer: 1, Hands: []Hand{hand("H2 H3"), hand("H4 H5"), hand("H6 H7")}, Turned: cards("J1")[0]})
	return all[:at[until]]
}

func played(trick int, s Seat, code string) CardPlayed {
	return CardPlayed{Round: 1, Trick: trick, Seat: s, Card: cards(code)[0]}
}

func hand(codes string) (h Hand) {
	for _, c := range cards(codes) {
		h.Cards = h.Cards.With(c)
	}
	return h
}

// Each row is a kind of game: from when on the first bid is seen by others, and the hands of the first deal as each viewer is sent
// them until the round is scored.
func TestRedactionTable(t *testing.T) {
	t.Parallel()
	const whole = `[["D1","D2"],["E1","E2"],["G1","G2"]]`
	plain := map[Seat]string{
		Spectator: `[["??","??"],["??","??"],["??","??"]]`, 0: `[["D1","D2"],["??","??"],["??","??"]]`,
		1: `[["??","??"],["E1","E2"],["??","??"]]`, 2: `[["??","??"],["??","??"],["G1","G2"]]`,
	}
	single := map[Seat]string{
		Spectator: `[["??"],["??"],["??"]]`, 0: `[["D1"],["??"],["??"]]`, 1: `[["??"],["E1"],["??"]]`, 2: `[["??"],["??"],["G1"]]`,
	}
	blind := map[Seat]string{
		Spectator: `[["??"],["??"],["??"]]`, 0: `[["??"],["E1"],["G1"]]`, 1: `[["D1"],["??"],["G1"]]`, 2: `[["D1"],["E1"],["??"]]`,
	}
	const wholeOne = `[["D1"],["E1"],["G1"]]`
	for _, c := range []struct {
		name      string
		bidding   Bidding
		foresight bool
		length    Length
		bidSeen   moment
		deal      map[Seat]string
		whole     string
	}{
		{"open", OpenBidding, false, Tournament, afterFirstBid, plain, whole},
		{"plus minus one", PlusMinusOne, false, Tournament, afterFirstBid, plain, whole},
		{"hidden", HiddenBidding, false, Tournament, afterReveal, plain, whole},
		{"secret", SecretBidding, false, Tournament, afterSecretReveal, plain, whole},
		{"foresight without effect", OpenBidding, true, Tournament, afterFirstBid, plain, whole},
		{"one card", OpenBidding, false, Full, afterFirstBid, single, wholeOne},
		{"foresight", OpenBidding, true, Full, afterFirstBid, blind, wholeOne},
		{"hidden foresight", HiddenBidding, true, Five, afterReveal, blind, wholeOne},
		{"secret foresight", SecretBidding, true, Full, afterSecretReveal, blind, wholeOne},
	} {
		for m := range moments {
			for viewer := Spectator; viewer < 3; viewer++ {
				t.Run(fmt.Sprintf("%s, %s, seen by %d", c.name, momentNames[m], viewer), func(t *testing.T) {
					t.Parallel()
					want := map[string]string{"hands": c.deal[viewer], "tricks": "null"}
					if m >= afterScore {
						want["hands"] = c.whole
					}
					if m >= c.bidSeen || viewer == 1 {
						want["tricks"] = "1"
					}
					events := told(c.bidding, c.foresight, c.length, m)
					s := fold(events...)
					checkSent(t, &s, events, viewer, want)
					over := then(events, GameCancelled{Reason: Abandoned, InRound: true})
					s = fold(over...)
					checkSent(t, &s, over, viewer, map[string]string{"hands": c.whole, "tricks": "1"})
					if m == afterScore {
						over = then(events, GameFinished{Totals: []int{20, 30, -10}, Places: []int{2, 1, 3}, Winners: []Seat{1}})
						s = fold(over...)
						checkSent(t, &s, over, viewer, want)
					}
				})
			}
		}
	}
}

// checkSent checks how the first deal and seat 1's bid in it are sent, that everything else is sent as it is, and that whole means what it says.
func checkSent(t *testing.T, s *State, events []Event, viewer Seat, want map[string]string) {
	t.Helper()
	seeds := secrets(1)
	for _, e := range events {
		seen, whole := s.Redact(e, viewer)
		data, secret := Encode(seen)
		original, _ := Encode(e)
		if whole != bytes.Equal(data, original) {
			t.Errorf("whole is %t for %s, stored as %s", whole, data, original)
		}
		if bytes.Contains(secret, seeds.Seeds[0][:]) {
			t.Errorf("%s is handed out with a seed", TypeOf(e))
		}
		text := string(data)
		deal, isDeal := e.(Dealt)
		bid, isBid := e.(BidPlaced)
		switch {
		case isDeal && deal.Round == 1:
			has(t, text, `"hands":`+want["hands"]+`,`)
		case isBid && bid.Seat == 1:
			has(t, text, `"tricks":`+want["tricks"]+`}`)
		case !isDeal && !isBid && !whole:
			t.Errorf("%s is not whole", text)
		}
	}
}

func has(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s\nhas no %s", text, part)
	}
}

// Every type but two is public as soon as it happens; a new type must be placed here.
func TestEveryTypeButTwoIsAlwaysWhole(t *testing.T) {
	t.Parallel()
	public := []Event{
		GameCreated{Rules: Rules{Players: 3}},
		PlayerJoined{Seat: 1, UserID: user(1), ClientSeed: "x"},
		ClientSeedSet{Seat: 1, ClientSeed: "y"},
		InviteCodeRenewed{Seat: 1},
		PlayerLeft{Seat: 1, By: ByHost},
		GameStarted{Dealer: 2},
		TrumpSet{Round: 1, Seat: NoSeat},
		BidsRevealed{Round: 1, Bids: []int{0, 1, 1}},
		played(1, 1, "E1"),
		TrickWon{Round: 1, Trick: 1, Card: cards("E1")[0]},
		RoundScored{Round: 1, Seed: secrets(1).Seeds[0]},
		GameFinished{BotKey: secrets(1).BotKey},
		PlayerResigned{Seat: 1},
		BotSeated{Seat: 1, Level: EasyBot, Engine: "1"},
		EngineSet{Engine: "1"},
		TurnTimedOut{Seat: 1, Action: PlaceBids},
		SeatTakenOver{Seat: 1},
		SeatReclaimed{Seat: 1},
		EndVoted{Seat: 1, Agree: true},
		PauseVoted{Seat: 1, Agree: true},
		ClockPaused{Seat: 1},
		ClockResumed{Seat: 1},
		ClockExtended{Seats: []Seat{1}, MS: 1},
		GameCancelled{InRound: true, Seed: secrets(1).Seeds[0]},
	}
	names := map[string]bool{"dealt": true, "bid_placed": true}
	for _, e := range public {
		names[TypeOf(e)] = true
		for m := range moments {
			s := fold(told(SecretBidding, true, Full, m)...)
			for viewer := Spectator; viewer < 3; viewer++ {
				if seen, whole := s.Redact(e, viewer); !whole || !reflect.DeepEqual(seen, e) {
					t.Errorf("%s, %d sees %#v of %#v", momentNames[m], viewer, seen, e)
				}
			}
		}
	}
	for _, name := range Types() {
		if !names[name] {
			t.Errorf("who may see what of %s?", name)
		}
	}
}

// A deal must not be changed where it stands when a copy of it is redacted.
func TestRedactLeavesTheEventAlone(t *testing.T) {
	t.Parallel()
	events := told(SecretBidding, false, Tournament, afterLastBid)
	again := told(SecretBidding, false, Tournament, afterLastBid)
	s := fold(events...)
	before := s
	for _, e := range events {
		s.Redact(e, 0)
		s.View(0)
	}
	if !reflect.DeepEqual(events, again) || s != before {
		t.Error("reading changed what was read")
	}
}

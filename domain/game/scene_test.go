package game

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mago/domain/card"
)

// soak is n, or many times n where MAGO_SOAK asks for the long run.
func soak(n, times int) int {
	if os.Getenv("MAGO_SOAK") != "" {
		return n * times
	}
	return n
}

// scene is a test in three sentences: given these events, when this is asked, then these events follow, or it is refused with this code.
type scene struct {
	name    string
	given   []Event
	when    Command
	then    []Event
	refused Code
}

func play(t *testing.T, scenes []scene) {
	t.Helper()
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			got, err := Decide(fold(sc.given...), sc.when)
			if code := codeOf(err); code != sc.refused {
				t.Fatalf("refused with %q, not %q", code, sc.refused)
			}
			if diff := cmp.Diff(sc.then, got); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

// codeOf is the code of a refusal, "" for none.
func codeOf(err error) Code {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	if err != nil {
		return Code("not an *Error: " + err.Error())
	}
	return ""
}

func fold(events ...Event) (s State) {
	for i, e := range events {
		s = Evolve(s, e, int64(1000*(i+1)))
	}
	return s
}

// then is the given events and more, in a slice of its own.
func then(given []Event, more ...Event) []Event { return append(append([]Event{}, given...), more...) }

// lobby is a game with its first n seats taken.
func lobby(r Rules, n int) []Event {
	events := []Event{GameCreated{ID: testID, RulesVersion: RulesVersion, Rules: r, Secrets: secrets(1)}}
	for i := range n {
		events = append(events, PlayerJoined{Seat: Seat(i), UserID: user(i)})
	}
	return events
}

// dealt is a game whose first round has these hands; seat 0 deals.
func dealt(r Rules, turned string, hands ...string) []Event {
	r.Players = len(hands)
	e := Dealt{Round: 1, CardsEach: r.CardsEach(1), Hands: make([]Hand, len(hands))}
	for i, codes := range hands {
		e.Hands[i].Cards = card.SetOf(cards(codes)...)
	}
	if turned != "" {
		e.Turned = cards(turned)[0]
	}
	return then(lobby(r, r.Players), GameStarted{}, e)
}

// bidding is a first round with its trump set, waiting for bids.
func bidding(r Rules, turned string, hands ...string) []Event {
	return then(dealt(r, turned, hands...), TrumpSet{Round: 1, Suit: cards(turned)[0].Suit(), By: ByTurned, Seat: NoSeat})
}

// playing is a first round with all bids made, from the dealer's left.
func playing(r Rules, turned string, bids []int, hands ...string) []Event {
	events := bidding(r, turned, hands...)
	for i, b := range bids {
		events = append(events, BidPlaced{Round: 1, Seat: Seat((i + 1) % len(hands)), Tricks: b})
	}
	return events
}

// cards reads codes separated by spaces.
func cards(codes string) (out []card.Card) {
	for _, code := range strings.Fields(codes) {
		c, err := card.Parse(code)
		if err != nil {
			panic(err)
		}
		out = append(out, c)
	}
	return out
}

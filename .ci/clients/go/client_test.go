package client

import (
	"encoding/json"
	"testing"
)

// What an app in Go relies on: events tell themselves apart, what may be null is a pointer, and every problem is one type.
func TestEventsTellThemselvesApart(t *testing.T) {
	t.Parallel()
	const played = `{"game_id":"0198a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","version":9,"type":"card_played","at":"2026-01-02T03:04:05.678Z",` +
		`"data":{"auto":null,"card":"E5","round":1,"seat":2,"trick":1},"hash":"00","salt":null}`
	var e Event
	if err := json.Unmarshal([]byte(played), &e); err != nil {
		t.Fatal(err)
	}
	value, err := e.ValueByDiscriminator()
	if err != nil {
		t.Fatal(err)
	}
	got, ok := value.(CardPlayedEvent)
	if !ok || got.Data.Card != "E5" || got.Data.Seat != 2 || got.Data.Auto != nil || got.Salt != nil {
		t.Errorf("got %T %+v", value, value)
	}
}

func TestAnswersAreTyped(t *testing.T) {
	t.Parallel()
	var answer PlaceBidResponse
	var view *Game = answer.JSON200
	var refused *Problem = answer.ApplicationproblemJSON409
	if view != nil || refused != nil {
		t.Error("an answer of nothing")
	}
	var game Game
	if err := json.Unmarshal([]byte(`{"round":null,"seats":[{"user":null,"bid":null}]}`), &game); err != nil {
		t.Fatal(err)
	}
	if game.Round != nil || game.Seats[0].User != nil || game.Seats[0].Bid != nil {
		t.Errorf("got %+v", game)
	}
	if CodeStale != Code("stale") {
		t.Error("the code is another")
	}
}

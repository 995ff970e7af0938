package apitest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

// Game is as much of a view as tests need.
type Game struct {
	ID         string  `json:"id"`
	Version    int     `json:"version"`
	Head       string  `json:"head"`
	Name       *string `json:"name"`
	Status     string  `json:"status"`
	InviteCode *string `json:"invite_code"`
	Host       *int    `json:"host"`
	Rules      Rules   `json:"rules"`
	Seats      []struct {
		User   *User `json:"user"`
		Cards  int   `json:"cards"`
		HasBid bool  `json:"has_bid"`
		Bid    *int  `json:"bid"`
		Tricks int   `json:"tricks"`
		Total  int   `json:"total"`
	} `json:"seats"`
	Round *struct {
		Number    int     `json:"number"`
		CardsEach int     `json:"cards_each"`
		Dealer    int     `json:"dealer"`
		Turned    *string `json:"turned"`
		Trump     *string `json:"trump"`
		Phase     string  `json:"phase"`
	} `json:"round"`
	Trick *struct {
		Number int `json:"number"`
	} `json:"trick"`
	Turn *struct {
		Seats  []int  `json:"seats"`
		Action string `json:"action"`
	} `json:"turn"`
	You *struct {
		Seat int      `json:"seat"`
		Hand []string `json:"hand"`
		Can  struct {
			Trump []string `json:"trump"`
			Bid   []int    `json:"bid"`
			Play  []string `json:"play"`
		} `json:"can"`
	} `json:"you"`
	Rounds []json.RawMessage `json:"rounds"`
	Result *struct {
		Places  []int `json:"places"`
		Winners []int `json:"winners"`
	} `json:"result"`
}

// Rules are the options of a game; what is empty is left to the server.
type Rules struct {
	Players   int    `json:"players"`
	Bidding   string `json:"bidding,omitempty"`
	Length    string `json:"length,omitempty"`
	Foresight bool   `json:"foresight,omitempty"`
}

// Table is a game and the clients on its seats.
type Table struct {
	ID      string
	Players []*Client
}

// Path returns the path of something of the game, of the game itself for "".
func (t *Table) Path(what string) string { return "/v1/games/" + t.ID + what }

// NewTable registers players and starts a game.
func NewTable(tb testing.TB, base string, rules Rules) *Table {
	tb.Helper()
	players := make([]*Client, rules.Players)
	for i := range players {
		players[i] = Register(tb, base)
	}
	return Seat(tb, rules, players)
}

// Seat starts a game of players who are registered.
func Seat(tb testing.TB, rules Rules, players []*Client) *Table {
	tb.Helper()
	var g Game
	players[0].Must(tb, http.StatusCreated, http.MethodPost, "/v1/games", map[string]any{"rules": rules}, &g)
	for i, p := range players[1:] {
		p.Must(tb, http.StatusCreated, http.MethodPost, "/v1/games/"+g.ID+"/players", map[string]string{"client_seed": fmt.Sprint("seed-", i)}, nil)
	}
	return &Table{ID: g.ID, Players: players}
}

// View returns the game as a seat sees it.
func (t *Table) View(tb testing.TB, seat int) (g Game) {
	tb.Helper()
	t.Players[seat].Must(tb, http.StatusOK, http.MethodGet, t.Path(""), nil, &g)
	return g
}

// Move is a request that makes a move.
type Move struct {
	Path string // behind the game's
	Body any
}

// Moves lists the moves that the view's owner may make.
func (g *Game) Moves() (out []Move) {
	if g.You == nil || g.Round == nil {
		return nil
	}
	round := g.Round.Number
	for _, s := range g.You.Can.Trump {
		out = append(out, Move{"/trump", map[string]any{"suit": s, "round": round}})
	}
	for _, b := range g.You.Can.Bid {
		out = append(out, Move{"/bids", map[string]any{"tricks": b, "round": round}})
	}
	for _, c := range g.You.Can.Play {
		out = append(out, Move{"/plays", map[string]any{"card": c, "round": round, "trick": g.Trick.Number}})
	}
	return out
}

// Step makes a legal move at random, false when the game is over.
func (t *Table) Step(tb testing.TB, rng *rand.Rand) bool {
	tb.Helper()
	g := t.View(tb, rng.IntN(len(t.Players)))
	if g.Turn == nil {
		return false
	}
	seat := g.Turn.Seats[rng.IntN(len(g.Turn.Seats))]
	g = t.View(tb, seat)
	moves := g.Moves()
	if len(moves) == 0 {
		tb.Fatalf("seat %d is on turn and can do nothing: %+v", seat, g)
	}
	m := moves[rng.IntN(len(moves))]
	t.Players[seat].Must(tb, http.StatusOK, http.MethodPost, t.Path(m.Path), m.Body, nil)
	return true
}

// Event is an event as the API shows it.
type Event struct {
	GameID  string          `json:"game_id"`
	Version int             `json:"version"`
	Type    string          `json:"type"`
	At      string          `json:"at"`
	Data    json.RawMessage `json:"data"`
	Hash    string          `json:"hash"`
	Salt    *string         `json:"salt"`
}

// Events returns a game's stream as a client may see it, read in pages.
func (c *Client) Events(tb testing.TB, id string) (out []Event) {
	tb.Helper()
	after := 0
	for {
		var page struct {
			Items     []Event `json:"items"`
			NextAfter *int    `json:"next_after"`
		}
		c.Must(tb, http.StatusOK, http.MethodGet, fmt.Sprintf("/v1/games/%s/events?after=%d&limit=200", id, after), nil, &page)
		out = append(out, page.Items...)
		if page.NextAfter == nil {
			return out
		}
		after = *page.NextAfter
	}
}

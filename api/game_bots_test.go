package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/bot"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// botsOf is the worker of a server.
func (r *running) botsOf() *projections.Bots {
	return &projections.Bots{Lists: r.Lists, Games: r.Games, Log: slog.New(slog.DiscardHandler)}
}

// withBots opens a game of one person whose other seats are bots of the levels.
func withBots(t *testing.T, r *running, rules apitest.Rules, levels ...string) *apitest.Table {
	t.Helper()
	host := apitest.Register(t, r.url)
	var g apitest.Game
	rules.Players = 1 + len(levels)
	host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": rules}, &g)
	for _, l := range levels {
		host.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/bots", map[string]string{"level": l}, nil)
	}
	return &apitest.Table{ID: g.ID, Players: []*apitest.Client{host}}
}

// playWith makes the person's moves, and between them those of the bots, until the game is over.
func playWith(t *testing.T, table *apitest.Table, move func()) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	for {
		move()
		g := table.View(t, 0)
		if g.Turn == nil {
			return
		}
		if !slices.Contains(g.Turn.Seats, 0) {
			t.Fatalf("version %d waits for %v, which are bots", g.Version, g.Turn.Seats)
		}
		moves := g.Moves()
		m := moves[rng.IntN(len(moves))]
		table.Players[0].Must(t, http.StatusOK, "POST", table.Path(m.Path), m.Body, nil)
	}
}

// moved is what a move in a stream says of itself.
type moved struct {
	Seat *int    `json:"seat"`
	Auto *string `json:"auto"`
}

// checkMoves checks that the person's moves are their own and all others a bot's.
func checkMoves(t *testing.T, events []apitest.Event) {
	t.Helper()
	for _, e := range events {
		var m moved
		if err := json.Unmarshal(e.Data, &m); err != nil {
			t.Fatal(err)
		}
		chosen := e.Type == "bid_placed" || e.Type == "card_played" || e.Type == "trump_set" && m.Seat != nil
		if chosen && (m.Auto == nil) != (*m.Seat == 0) || m.Auto != nil && *m.Auto != "bot" {
			t.Errorf("version %d: %s %s", e.Version, e.Type, e.Data)
		}
	}
}

func TestAPersonAndBots(t *testing.T) {
	t.Parallel()
	r := start(t)
	for i, rules := range combinations() {
		t.Run(nameOf(rules), func(t *testing.T) {
			t.Parallel()
			levels := []string{"easy", "easy", "easy", "easy", "easy"}[:2+i%4]
			table, bots := withBots(t, r, rules, levels...), r.botsOf()
			playWith(t, table, func() {
				if _, err := bots.Move(t.Context(), uuid.MustParse(table.ID), false); err != nil {
					t.Fatal(err)
				}
			})
			checkMoves(t, table.Players[0].Events(t, table.ID))
			var g struct {
				Status string
				Seats  []struct {
					User *apitest.User
					Bot  *struct{ Level string }
				}
			}
			table.Players[0].Must(t, http.StatusOK, "GET", table.Path(""), nil, &g)
			if g.Status != "finished" || g.Seats[0].Bot != nil || g.Seats[1].Bot == nil || g.Seats[1].Bot.Level != "easy" || g.Seats[1].User != nil {
				t.Errorf("the game stands at %+v", g)
			}
		})
	}
}

// Servers that think about the same games at once make each move once; who comes later goes on where another was stopped.
func TestBotsOfTwoServers(t *testing.T) {
	t.Parallel()
	r := start(t)
	other := projections.Bots{Lists: r.Lists, Games: projections.NewGames(r.store, eventstore.Options{}), Log: slog.New(slog.DiscardHandler)}
	table := withBots(t, r, apitest.Rules{Length: "five", Bidding: "hidden"}, "easy", "standard", "easy")
	playWith(t, table, func() {
		both := []*projections.Bots{r.botsOf(), &other}
		var wg sync.WaitGroup
		for _, bots := range both {
			wg.Go(func() {
				if _, err := bots.MoveAll(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	events := table.Players[0].Events(t, table.ID)
	checkMoves(t, events)
	if last := events[len(events)-1]; last.Type != "game_finished" {
		t.Errorf("ends with %s", last.Type)
	}
}

// How long a bot thinks depends on its hand: with one legal card for no time. So it moves no sooner than its pace after it could.
func TestBotsTakeTheirTime(t *testing.T) {
	t.Parallel()
	r := start(t)
	bots := r.botsOf()
	bots.Pace = 40 * time.Millisecond
	table := withBots(t, r, apitest.Rules{Length: "five"}, "standard", "standard")
	playWith(t, table, func() {
		if _, err := bots.MoveAll(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	var before time.Time
	for _, e := range table.Players[0].Events(t, table.ID) {
		at, err := time.Parse(time.RFC3339, e.At)
		if err != nil {
			t.Fatal(err)
		}
		var m moved
		if err := json.Unmarshal(e.Data, &m); err != nil {
			t.Fatal(err)
		}
		if m.Auto != nil && at.Sub(before) < bots.Pace-time.Millisecond { // times are cut to milliseconds
			t.Errorf("version %d: a bot moved %v after it could", e.Version, at.Sub(before))
		}
		before = at
	}
}

var cardCode = regexp.MustCompile(`\b[DEGH](1[0-3]|[1-9])\b|\b[WJ][1-4]\b`)

// A bot that fails is stood in for by the rule of thumb. The stream says so, and no log tells a card.
func TestBotsThatFail(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]func(game.Level, game.View, bot.Seed, int) (bot.Choice, bool){
		"panic":     func(_ game.Level, v game.View, _ bot.Seed, _ int) (bot.Choice, bool) { panic(v.You.Hand[0].String()) },
		"no choice": func(game.Level, game.View, bot.Seed, int) (bot.Choice, bool) { return bot.Choice{}, false },
		"refused": func(_ game.Level, v game.View, _ bot.Seed, _ int) (bot.Choice, bool) {
			c, ok := bot.Easy(v)
			c.Bid += 30
			c.Card = 0
			return c, ok
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			var log bytes.Buffer
			bots := r.botsOf()
			bots.Log, bots.Choose = slog.New(slog.NewTextHandler(&log, nil)), choose
			table := withBots(t, r, apitest.Rules{Length: "five"}, "standard", "standard")
			playWith(t, table, func() {
				if _, err := bots.MoveAll(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
			events := table.Players[0].Events(t, table.ID)
			checkMoves(t, events)
			if !slices.ContainsFunc(events, func(e apitest.Event) bool {
				return e.Type == "engine_set" && string(e.Data) == `{"engine":"`+bot.HurriedEngine+`"}`
			}) {
				t.Error("the stream doesn't tell who chose")
			}
			if log.Len() == 0 || cardCode.Match(log.Bytes()) {
				t.Errorf("the log: %.300s", log.String())
			}
		})
	}
}

func TestSeatingBots(t *testing.T) {
	t.Parallel()
	r := start(t)
	host, guest := apitest.Register(t, r.url), apitest.Register(t, r.url)
	var g apitest.Game
	host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]any{"players": 4}}, &g)
	path := "/v1/games/" + g.ID
	guest.Must(t, http.StatusCreated, "POST", path+"/players", nil, nil)
	guest.Refused(t, http.StatusForbidden, "forbidden", "POST", path+"/bots", nil)
	apitest.Register(t, r.url).Refused(t, http.StatusForbidden, "forbidden", "POST", path+"/bots", nil)
	host.Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", path+"/bots", map[string]any{"level": "perfect"})
	host.Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", path+"/bots", map[string]any{"level": "strong"})
	host.Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", path+"/bots", map[string]any{"seat": 6})
	host.Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", path+"/bots", map[string]any{"seat": 4})
	host.Refused(t, http.StatusConflict, "seat_taken", "POST", path+"/bots", map[string]any{"seat": 1})
	host.Must(t, http.StatusCreated, "POST", path+"/bots", map[string]any{"seat": 3, "level": "easy"}, nil)
	host.Refused(t, http.StatusConflict, "seat_taken", "POST", path+"/bots", map[string]any{"seat": 3})
	host.Must(t, http.StatusOK, "DELETE", path+"/players/3", nil, &g)
	if g.Seats[3].User != nil || g.Status != "lobby" {
		t.Errorf("after the bot left: %+v", g)
	}
	host.Must(t, http.StatusCreated, "POST", path+"/bots", nil, nil)
	host.Must(t, http.StatusCreated, "POST", path+"/bots", nil, &g)
	if g.Status != "playing" {
		t.Errorf("a full table is %s", g.Status)
	}
	host.Refused(t, http.StatusConflict, "not_in_lobby", "POST", path+"/bots", nil)
}

// With no person left there is nobody to play for: in the lobby and in the game.
func TestBotsAlone(t *testing.T) {
	t.Parallel()
	r := start(t)
	host := apitest.Register(t, r.url)
	var g apitest.Game
	host.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]any{"players": 3}}, &g)
	host.Must(t, http.StatusCreated, "POST", "/v1/games/"+g.ID+"/bots", nil, nil)
	host.Must(t, http.StatusOK, "DELETE", "/v1/games/"+g.ID+"/players/0", nil, &g)
	if g.Status != "cancelled" {
		t.Errorf("a lobby of a bot is %s", g.Status)
	}
	table := withBots(t, r, apitest.Rules{}, "easy", "easy")
	table.Players[0].Must(t, http.StatusOK, "POST", table.Path("/resign"), nil, &g)
	events := table.Players[0].Events(t, table.ID)
	if last := events[len(events)-1]; g.Status != "cancelled" || last.Type != "game_cancelled" || !bytes.Contains(last.Data, []byte(`"reason":"abandoned"`)) {
		t.Errorf("a game of bots is %s by %s %s", g.Status, last.Type, last.Data)
	}
	if n, err := r.botsOf().MoveAll(t.Context()); n != 0 || err != nil {
		t.Errorf("bots made %d moves: %v", n, err)
	}
}

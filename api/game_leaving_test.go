package api

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/bot"
	"mago/domain/game"
	"mago/projections"
)

// away makes a bot take a seat over, as three timeouts do.
func (r *running) away(t *testing.T, id string, seat game.Seat) {
	t.Helper()
	_, err := r.Games.Do(t.Context(), uuid.MustParse(id), func(projections.Game) (projections.Decision, error) {
		return projections.Decision{Events: []game.Event{game.SeatTakenOver{Seat: seat}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestResigning(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	leaver := table.Players[1]
	apitest.Register(t, r.url).Refused(t, http.StatusForbidden, "forbidden", "POST", table.Path("/resign"), nil)
	var g apitest.Game
	leaver.Must(t, http.StatusOK, "POST", table.Path("/resign"), nil, &g)
	if g.You != nil || g.Status != "playing" {
		t.Errorf("who resigned sees %+v", g)
	}
	for _, what := range []string{"/resign", "/seats/1/reclaim", "/resume"} {
		leaver.Refused(t, http.StatusForbidden, "forbidden", "POST", table.Path(what), nil)
	}
	leaver.Refused(t, http.StatusForbidden, "forbidden", "POST", table.Path("/end-vote"), map[string]bool{"agree": true})
	leaver.Refused(t, http.StatusForbidden, "forbidden", "POST", table.Path("/bids"), map[string]int{"tricks": 0})

	lobby := apitest.Register(t, r.url)
	lobby.Must(t, http.StatusCreated, "POST", "/v1/games", map[string]any{"rules": map[string]int{"players": 3}}, &g)
	lobby.Refused(t, http.StatusConflict, "wrong_phase", "POST", "/v1/games/"+g.ID+"/resign", nil)
	lobby.Refused(t, http.StatusConflict, "wrong_phase", "POST", "/v1/games/"+g.ID+"/end-vote", map[string]bool{"agree": true})
}

// All people who are left must agree; who resigned and bots have no say. A cancelled game shows its round's seed.
func TestEndingByAgreement(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 4})
	agree, against := map[string]bool{"agree": true}, map[string]bool{"agree": false}
	vote := func(seat int, v map[string]bool) (g struct {
		apitest.Game
		Votes struct{ End []int } `json:"votes"`
	},
	) {
		table.Players[seat].Must(t, http.StatusOK, "POST", table.Path("/end-vote"), v, &g)
		return g
	}
	vote(0, agree)
	version := vote(0, agree).Version // once more changes nothing
	if g := vote(1, agree); len(g.Votes.End) != 2 || g.Version != version+1 {
		t.Errorf("two votes: %+v", g.Votes)
	}
	vote(0, against)
	vote(2, agree)
	vote(0, agree)
	if g := vote(0, agree); g.Status != "playing" {
		t.Errorf("three of four agree: %s", g.Status)
	}
	table.Players[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "POST", table.Path("/end-vote"), map[string]bool{})
	table.Players[3].Must(t, http.StatusOK, "POST", table.Path("/resign"), nil, nil)
	g := table.View(t, 0)
	events := table.Players[0].Events(t, table.ID)
	last := events[len(events)-1]
	if g.Status != "cancelled" || !bytes.Contains(last.Data, []byte(`"reason":"agreed"`)) || bytes.Contains(last.Data, []byte(`"seed":null`)) {
		t.Errorf("all who are left agree: %s, %s %s", g.Status, last.Type, last.Data)
	}
	table.Players[0].Refused(t, http.StatusConflict, "game_over", "POST", table.Path("/end-vote"), agree)
}

func TestReclaiming(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five", Bidding: "hidden"})
	bots := r.botsOf()
	r.away(t, table.ID, 1)
	back := table.Players[1]
	back.Refused(t, http.StatusForbidden, "forbidden", "POST", table.Path("/bids"), map[string]int{"tricks": 0})
	table.Players[0].Refused(t, http.StatusForbidden, "forbidden", "POST", table.Path("/seats/1/reclaim"), nil)
	table.Players[0].Refused(t, http.StatusNotFound, "not_found", "POST", table.Path("/seats/3/reclaim"), nil)
	table.Players[0].Refused(t, http.StatusNotFound, "not_found", "POST", table.Path("/seats/x/reclaim"), nil)
	var g apitest.Game
	if g = table.View(t, 1); g.You == nil || len(g.You.Hand) != 1 {
		t.Errorf("whom a bot stands in for sees %+v", g.You)
	}
	if len(g.Moves()) > 0 {
		t.Errorf("whom a bot stands in for is told to move: %+v", g.You.Can)
	}

	onTurn := g.Turn.Action == "bid" // else the dealer names the trump first
	back.Must(t, http.StatusOK, "POST", table.Path("/seats/1/reclaim"), nil, &g)
	version := g.Version
	back.Must(t, http.StatusOK, "POST", table.Path("/seats/1/reclaim"), nil, &g)
	if g.Version != version {
		t.Errorf("reclaimed twice: version %d after %d", g.Version, version)
	}
	if onTurn {
		if len(g.Moves()) > 0 {
			t.Errorf("the bot's move is offered: %+v", g.You.Can)
		}
		back.Refused(t, http.StatusConflict, "not_your_turn", "POST", table.Path("/bids"), map[string]int{"tricks": 0})
	}
	if _, err := bots.MoveAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	g = table.View(t, 1)
	if onTurn && !g.Seats[1].HasBid {
		t.Error("the bot did not make the move it was at")
	}
	loaded, err := r.Games.Load(t.Context(), uuid.MustParse(table.ID))
	if err != nil || loaded.State.BotTurn() != 0 || loaded.State.Left[1] != 0 {
		t.Errorf("a bot is still on turn: %v", err)
	}
	if events := back.Events(t, table.ID); onTurn && !bytes.Contains(events[len(events)-1].Data, []byte(`"auto":"bot"`)) {
		t.Errorf("ends with %s", events[len(events)-1].Data)
	}
	if want := bot.Engine; onTurn && loaded.State.Engine != want {
		t.Errorf("engine %q", loaded.State.Engine)
	}
}

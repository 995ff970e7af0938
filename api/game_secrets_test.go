package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/eventstore"
	"mago/eventstore/testdb"
)

// A server that is started anew between two hidden bids deals the same cards and has forgotten no bid.
func TestRestartBetweenHiddenBids(t *testing.T) {
	t.Parallel()
	for _, bidding := range []string{"hidden", "secret"} {
		path := testdb.New(t)
		r := startOn(t, path)
		table := startedBidding(t, r, apitest.Rules{Players: 3, Bidding: bidding, Length: "five"})
		for seat := range 3 {
			before := make([][]byte, 3)
			for i, p := range table.Players {
				before[i] = p.Must(t, http.StatusOK, "GET", table.Path(""), nil, nil).Body
			}
			r.stop()
			r = startOn(t, path)
			for i, p := range table.Players {
				p.Base = r.url
				if diff := cmp.Diff(string(before[i]), string(p.Must(t, http.StatusOK, "GET", table.Path(""), nil, nil).Body)); diff != "" {
					t.Errorf("%s: seat %d sees after the restart %s", bidding, i, diff)
				}
			}
			bid := map[string]int{"tricks": seat % 2}
			table.Players[seat].Must(t, http.StatusOK, "POST", table.Path("/bids"), bid, nil)
			again := "already_bid"
			if seat == 2 {
				again = "wrong_phase" // all have bid
			}
			table.Players[seat].Refused(t, http.StatusConflict, again, "POST", table.Path("/bids"), bid)
		}
		if g := table.View(t, 0); g.Round.Phase != "playing" || g.Seats[1].Bid != nil != (bidding == "hidden") {
			t.Errorf("%s: %+v", bidding, g)
		}
		r.stop()
	}
}

// A spectator sees no hand and no hidden bid, at any time of a round, in the view or in the stream.
func TestSpectatorsSeeNoHand(t *testing.T) {
	t.Parallel()
	r := start(t)
	w := watch(t, r, apitest.Rules{Players: 3, Bidding: "secret", Length: "five", Foresight: true})
	rng := rand.New(rand.NewPCG(8, 8))
	for looks := 0; ; looks++ {
		views := w.look(t)
		if views[0].Status != "playing" {
			if looks < 50 {
				t.Errorf("looked %d times", looks)
			}
			return
		}
		var view struct {
			You, Others json.RawMessage
			Seats       []struct{ Bid *int }
		}
		if err := json.Unmarshal(w.seen[3][views[3].Version], &view); err != nil {
			t.Fatal(err)
		}
		if string(view.You) != "null" || view.Others != nil {
			t.Errorf("a spectator sees %s and %s", view.You, view.Others)
		}
		for _, s := range view.Seats {
			if s.Bid != nil {
				t.Error("a spectator sees a secret bid")
			}
		}
		events := w.viewers[3].Events(t, w.ID)
		deal := slices.IndexFunc(events, func(e apitest.Event) bool {
			return e.Type == "dealt" && strings.Contains(string(e.Data), fmt.Sprintf(`"round":%d,`, views[0].Round.Number))
		})
		cards := strings.Count(string(events[deal].Data), `"??"`)
		if want := 3 * views[0].Round.CardsEach; cards != want {
			t.Errorf("a spectator is dealt %s", events[deal].Data)
		}
		w.move(t, rng)
	}
}

// The salt of an event is shown exactly where all of its data is: then its hash can be checked, and else a hidden bid can't be found by trying.
func TestSaltsOfHiddenBids(t *testing.T) {
	t.Parallel()
	r := start(t)
	w := watch(t, r, apitest.Rules{Players: 3, Bidding: "hidden", Length: "five"})
	rng := rand.New(rand.NewPCG(9, 9))
	hidden := 0
	for w.move(t, rng) {
		if rng.IntN(5) != 0 && hidden > 0 { // at every move until a bid was hidden
			continue
		}
		for _, c := range w.viewers {
			events := c.Events(t, w.ID)
			salts := []eventstore.Salt{{}}
			for i, e := range events {
				prev := make([]byte, 32)
				if i > 0 {
					unhex(t, prev, events[i-1].Hash)
				}
				if e.Salt != nil {
					var salt eventstore.Salt
					unhex(t, salt[:], *e.Salt)
					salts = append(salts, salt)
					if e.Hash != hashOf(t, prev, salt, e, string(e.Data)) {
						t.Errorf("%s: the hash of version %d, shown with its salt, does not match", c, e.Version)
					}
					continue
				}
				if redacted := strings.Contains(string(e.Data), `"tricks":null`) || strings.Contains(string(e.Data), `"??"`); !redacted {
					t.Errorf("%s: version %d is whole but has no salt: %s", c, e.Version, e.Data)
				}
				if e.Type != "bid_placed" {
					continue
				}
				hidden++
				for bid := range 6 {
					for _, salt := range salts {
						guess := strings.Replace(string(e.Data), `"tricks":null`, fmt.Sprintf(`"tricks":%d`, bid), 1)
						if e.Hash == hashOf(t, prev, salt, e, guess) {
							t.Errorf("%s found the hidden bid of version %d by trying", c, e.Version)
						}
					}
				}
			}
		}
	}
	if hidden == 0 {
		t.Error("no bid was hidden")
	}
}

func hashOf(t *testing.T, prev []byte, salt eventstore.Salt, e apitest.Event, data string) string {
	t.Helper()
	envelope := fmt.Sprintf(`{"at":%q,"data":%s,"game_id":%q,"type":%q,"version":%d}`, e.At, data, e.GameID, e.Type, e.Version)
	sum := sha256.Sum256(slices.Concat(prev, salt[:], []byte(envelope)))
	return hex.EncodeToString(sum[:])
}

// Nothing of a game that anybody may not know, and nothing that proves who somebody is, gets into the log at its most talkative.
func TestLogHoldsNoHands(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	r := start(t, func(c *Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	u := registerAll(t, r, 3)
	l := open(t, u[0], map[string]any{"visibility": "private", "rules": map[string]any{"players": 3, "length": "five", "bidding": "secret", "foresight": true}})
	code := *l.view(u[0]).InviteCode
	l.join(u[1], map[string]any{"invite_code": code, "client_seed": "canary-seed"})
	u[2].Refused(t, http.StatusNotFound, "not_found", "POST", l.path+"/players", map[string]any{"invite_code": code + "x"})
	l.join(u[2], map[string]any{"invite_code": code})
	table := apitest.Table{ID: strings.TrimPrefix(l.path, "/v1/games/"), Players: u}
	rng := rand.New(rand.NewPCG(10, 10))
	for table.Step(t, rng) {
		seat := rng.IntN(3)
		for _, c := range []string{"W1", "D1", "J4", "H13"} {
			u[seat].Do(t, "POST", table.Path("/plays"), map[string]string{"card": c + "x"})
			u[seat].Do(t, "POST", table.Path("/plays?card="+c), []byte(`{"card":"`+c))
		}
	}
	secrets := []string{code, "canary-seed", apitest.Password}
	for _, c := range u {
		secrets = append(secrets, c.Tokens.AccessToken, c.Tokens.RefreshToken)
	}
	g, err := r.Games.Load(t.Context(), uuid.MustParse(table.ID))
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range append(g.State.Secrets.Seeds[:5:5], g.State.Secrets.BotKey) {
		secrets = append(secrets, hex.EncodeToString(seed[:]))
	}
	text := log.String()
	for _, s := range secrets {
		if strings.Contains(text, s) {
			t.Errorf("%q is in the log", s)
		}
	}
	for _, c := range regexp.MustCompile(`[":,\[ ]([DEGH](1[0-3]|[1-9])|[WJ][1-4])x?[",\] \\]`).FindAllString(text, -1) {
		t.Errorf("the card %s is in the log", c)
	}
	if !strings.Contains(text, `"route":"/v1/games/:id/plays"`) {
		t.Error("nothing was logged")
	}
}

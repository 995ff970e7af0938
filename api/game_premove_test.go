package api

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// auto returns a game's moves that the server made, as "type seat auto".
func auto(tb testing.TB, c *apitest.Client, id string) (out []string) {
	tb.Helper()
	for _, e := range c.Events(tb, id) {
		var data struct {
			Seat int     `json:"seat"`
			Auto *string `json:"auto"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			tb.Fatal(err)
		}
		if data.Auto != nil {
			out = append(out, fmt.Sprintf("%s %d %s", e.Type, data.Seat, *data.Auto))
		}
	}
	return out
}

// onTurn returns the seat that is on turn; the game bids in turn.
func (r *running) onTurn(tb testing.TB, t *apitest.Table) int {
	tb.Helper()
	return int(r.state(tb, t).Turn().All()[0])
}

// untilBidding plays until bids of a round are awaited, and nobody has made one.
func (r *running) untilBidding(tb testing.TB, t *apitest.Table, round int, rng *rand.Rand) {
	tb.Helper()
	for {
		g := t.View(tb, 0)
		if g.Round.Number == round && g.Turn.Action == "bid" {
			return
		}
		t.Step(tb, rng)
	}
}

// waiting returns what waits for a seat.
func waiting(tb testing.TB, t *apitest.Table, seat int) (out premoveState) {
	tb.Helper()
	t.Players[seat].Must(tb, http.StatusOK, "GET", t.Path("/premove"), nil, &out)
	return out
}

func playAll(tb testing.TB, r *running, want int) {
	tb.Helper()
	if n, err := r.Premoves.PlayAll(tb.Context()); err != nil || n != want {
		tb.Fatalf("%d premoves were played, not %d: %v", n, want, err)
	}
}

// A whole round of two cards by premoves alone, but for who begins: each is played when its turn comes, in the name of its player.
func TestPremovesArePlayed(t *testing.T) {
	t.Parallel()
	r := start(t)
	rng := rand.New(rand.NewPCG(1, 1))
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	r.untilBidding(t, table, 2, rng)
	first := r.onTurn(t, table)
	second, third := (first+1)%3, (first+2)%3
	before := len(auto(t, table.Players[0], table.ID))
	var st premoveState
	table.Players[third].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 2}, &st)
	if st.Premove == nil || st.Premove.Round != 2 || *st.Premove.Tricks != 2 || st.Premove.Trick != nil {
		t.Errorf("left: %+v", st.Premove)
	}
	table.Players[second].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 0, "round": 2}, nil)
	table.Players[second].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 1, "round": 2}, nil) // in its place
	playAll(t, r, 0)
	moveFirst(t, table, game.Seat(first))
	for range 2 {
		playAll(t, r, 1)
	}
	playAll(t, r, 0)
	g := table.View(t, third)
	if g.Turn.Action != "play" || *g.Seats[second].Bid != 1 || *g.Seats[third].Bid != 2 {
		t.Fatalf("bids: %+v", g.Seats)
	}
	if st = waiting(t, table, second); st.Premove != nil || st.Version != g.Version {
		t.Errorf("what was played still waits: %+v", st.Premove)
	}
	for _, seat := range []int{second, third} { // all cards of the hand: the first that is legal
		hand := table.View(t, seat).You.Hand
		table.Players[seat].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"cards": hand}, &st)
		if *st.Premove.Trick != 1 || strings.Join(st.Premove.Cards, " ") != strings.Join(hand, " ") {
			t.Errorf("left: %+v", st.Premove)
		}
	}
	moveFirst(t, table, game.Seat(first))
	playAll(t, r, 1)
	playAll(t, r, 1)
	playAll(t, r, 0)
	want := fmt.Sprint([]string{
		fmt.Sprintf("bid_placed %d premove", second), fmt.Sprintf("bid_placed %d premove", third),
		fmt.Sprintf("card_played %d premove", second), fmt.Sprintf("card_played %d premove", third),
	})
	if got := fmt.Sprint(auto(t, table.Players[0], table.ID)[before:]); got != want {
		t.Errorf("moves: %s, not %s", got, want)
	}
}

// A premove set when it is one's turn is played at once, the trump too; and is refused as the move would be.
func TestAPremoveOnTurnIsPlayedAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]bool{}
	for table.View(t, 0).Status == "playing" {
		seat := r.onTurn(t, table)
		g := table.View(t, seat)
		var body map[string]any
		switch can := g.You.Can; {
		case len(can.Trump) > 0:
			body = map[string]any{"suit": can.Trump[0]}
		case len(can.Bid) > 0:
			body = map[string]any{"tricks": can.Bid[0]}
		default:
			body = map[string]any{"cards": []string{can.Play[0]}}
		}
		var st premoveState
		table.Players[seat].Must(t, http.StatusOK, "PUT", table.Path("/premove"), body, &st)
		if st.Version <= g.Version || st.Premove != nil {
			t.Fatalf("%v: %+v", body, st)
		}
		kinds[g.Turn.Action] = true
		if rng.IntN(3) == 0 {
			table.Step(t, rng)
		}
	}
	if !kinds["bid"] || !kinds["play"] {
		t.Errorf("%v", kinds)
	}
}

// What is not played in its turn is dropped: none of it legal, the turn passed, the round over, the player gone, the game over. It is never carried into another round.
func TestPremovesAreDropped(t *testing.T) {
	t.Parallel()
	r := start(t)
	rng := rand.New(rand.NewPCG(1, 3))
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	for round := 1; round <= 3; round++ {
		r.untilBidding(t, table, round, rng)
		seat := (r.onTurn(t, table) + 1) % 3
		c := table.Players[seat]
		hand := table.View(t, seat).You.Hand
		c.Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"cards": hand, "trick": round}, nil) // the last trick
		for table.View(t, 0).Round.Number == round {
			table.Step(t, rng) // who is slow is overtaken by the player's own moves
			if st := waiting(t, table, seat); st.Premove != nil && st.Premove.Round != table.View(t, 0).Round.Number {
				t.Fatalf("of another round: %+v", st.Premove)
			}
		}
		if n := r.rows(t, table); n != 0 {
			t.Errorf("%d premoves are kept after the round", n)
		}
		playAll(t, r, 0)
	}
	r.untilBidding(t, table, 4, rng)
	seat := (r.onTurn(t, table) + 1) % 3
	table.Players[seat].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 1}, nil)
	r.do(t, table, game.Resign{Seat: game.Seat(seat)})
	if n := r.rows(t, table); n != 0 {
		t.Errorf("%d premoves of who has left", n)
	}
	table.Players[seat].Refused(t, http.StatusForbidden, "forbidden", "PUT", table.Path("/premove"), map[string]any{"tricks": 1})
	last := (seat + 1) % 3
	if last == r.onTurn(t, table) {
		last = (last + 1) % 3
	}
	table.Players[last].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 1}, nil)
	for s := range game.Seat(3) {
		if int(s) != seat {
			r.do(t, table, game.VoteEnd{Seat: s, Agree: true})
		}
	}
	if n := r.rows(t, table); n != 0 {
		t.Errorf("%d premoves of a game that is over", n)
	}
	table.Players[last].Refused(t, http.StatusConflict, "game_over", "PUT", table.Path("/premove"), map[string]any{"tricks": 1})
	if moves := auto(t, table.Players[0], table.ID); strings.Contains(fmt.Sprint(moves), "premove") {
		t.Errorf("%v", moves)
	}
}

// One of which nothing can be played when its turn comes goes, and makes no move: here one that was stored in the moment in which its round ended.
func TestAPremoveThatCantBePlayedGoes(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
	r.untilBidding(t, table, 2, rand.New(rand.NewPCG(1, 6)))
	seat := r.onTurn(t, table)
	if err := r.Premoves.Set(t.Context(), uuid.MustParse(table.ID), game.Premove{Seat: game.Seat(seat), Round: 1, Bid: 0}); err != nil {
		t.Fatal(err)
	}
	if st := waiting(t, table, seat); st.Premove != nil {
		t.Errorf("%+v", st.Premove)
	}
	playAll(t, r, 0)
	if n := r.rows(t, table); n != 0 || r.onTurn(t, table) != seat {
		t.Errorf("%d are left; seat %d is on turn", n, r.onTurn(t, table))
	}
}

// rows counts what is stored of premoves of a game.
func (r *running) rows(tb testing.TB, t *apitest.Table) (n int) {
	tb.Helper()
	if err := r.store.Reader().QueryRowContext(tb.Context(), `SELECT count(*) FROM premoves WHERE game_id = $1`, t.ID).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

func TestPremoveRequests(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	table := apitest.Seat(t, apitest.Rules{Players: 3, Foresight: true}, u[:3])
	path := table.Path("/premove")
	for _, body := range []string{
		`{}`, `{"tricks":1,"suit":"elves"}`, `{"tricks":1,"cards":["E5"]}`, `{"tricks":-1}`, `{"tricks":21}`, `{"tricks":"1"}`, `{"suit":"hearts"}`, `{"cards":[]}`,
		`{"cards":"E5"}`, `{"cards":["E5","E5"]}`, `{"cards":["e5"]}`, `{"cards":[5]}`, `{"cards":["E14"]}`, `{"tricks":1,"round":0}`, `{"tricks":1,"trick":1}`, `{"cards":["??"],"trick":21}`,
		`{"cards":null}`, `{"tricks":1,"seat":2}`,
	} {
		u[0].Refused(t, http.StatusUnprocessableEntity, "invalid", "PUT", path, []byte(body))
	}
	for _, route := range []struct {
		method string
		body   any
	}{{"GET", nil}, {"PUT", map[string]any{"tricks": 1}}, {"DELETE", nil}} {
		u[3].Refused(t, http.StatusForbidden, "forbidden", route.method, path, route.body)
		u[0].Refused(t, http.StatusNotFound, "not_found", route.method, "/v1/games/"+uuid.NewString()+"/premove", route.body)
	}
	u[0].Refused(t, http.StatusConflict, "card_is_hidden", "PUT", path, []byte(`{"cards":["E5"],"round":7}`))
	u[0].Refused(t, http.StatusPreconditionFailed, "stale", "PUT", path, []byte(`{"tricks":1}`), header("If-Match", `"1"`))
	for _, c := range u[:3] {
		c.Must(t, http.StatusNoContent, "DELETE", path, nil, nil)
	}
}

// A premove leaves no trace for anybody else: every answer that they can get is the same before and after, byte for byte.
func TestNobodyElseSeesAPremove(t *testing.T) {
	t.Parallel()
	for _, rules := range []apitest.Rules{{Players: 4, Length: "five"}, {Players: 3, Length: "five", Bidding: "hidden"}, {Players: 3, Length: "five", Foresight: true}} {
		t.Run(fmt.Sprint(rules), func(t *testing.T) {
			t.Parallel()
			r := start(t)
			u := registerAll(t, r, rules.Players+1)
			table := apitest.Seat(t, rules, u[:rules.Players])
			rng := rand.New(rand.NewPCG(4, uint64(rules.Players)))
			looks := func() (out []string) {
				for i, c := range u {
					for _, what := range []string{table.Path(""), table.Path("?as_of=3"), table.Path("/events"), "/v1/games", "/v1/games?status=playing", "/v1/games?mine=true", "/v1/games?my_turn=true", "/v1/me/sync", "/v1/users/" + u[0].Tokens.User.ID, table.Path("/premove")} {
						if strings.HasSuffix(what, "premove") && i == 1 {
							continue // their own
						}
						a := c.Do(t, "GET", what, nil)
						out = append(out, fmt.Sprint(i, what, a.Status, a.Header.Get("ETag"), syncToken.ReplaceAllString(string(a.Body), "")))
					}
				}
				return out
			}
			seen := 0
			for n := 0; n < 12 || seen < 3; n++ {
				if table.View(t, 0).Status != "playing" {
					break
				}
				s := r.state(t, table)
				if s.Turn().Has(1) { // then it would be played
					table.Step(t, rng)
					continue
				}
				before := looks()
				body := map[string]any{"cards": table.View(t, 1).You.Hand}
				a := u[1].Do(t, "PUT", table.Path("/premove"), body)
				if a.Status == http.StatusOK {
					seen++
				}
				tag := etag(s.Version)
				u[0].Must(t, http.StatusNotModified, "GET", table.Path(""), nil, nil, header("If-None-Match", tag))
				playAll(t, r, 0)
				after := looks()
				for i := range before {
					if before[i] != after[i] {
						t.Errorf("%v %d: before\n%s\nafter\n%s", body, a.Status, before[i], after[i])
					}
				}
				u[1].Must(t, http.StatusNoContent, "DELETE", table.Path("/premove"), nil, nil)
				table.Step(t, rng)
			}
			if seen < 3 {
				t.Errorf("only %d premoves were left", seen)
			}
		})
	}
}

// Several servers play the premoves of several tables at once while players take theirs back: each is played once or not at all, and none after it was taken back.
func TestPremovesArePlayedOnce(t *testing.T) {
	t.Parallel()
	url := testdb.New(t)
	servers := []*running{startOn(t, url), startOn(t, url), startOn(t, url)}
	r := servers[0]
	tables := 4
	if soak() {
		tables = 40
	}
	for n := range tables {
		rng := rand.New(rand.NewPCG(5, uint64(n)))
		table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
		r.untilBidding(t, table, 3, rng)
		for table.View(t, 0).Turn.Action == "bid" {
			table.Step(t, rng)
		}
		first := r.onTurn(t, table)
		next := table.Players[(first+1)%3]
		hand := table.View(t, (first+1)%3).You.Hand
		next.Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"cards": hand}, nil)
		moveFirst(t, table, game.Seat(first))
		var wg sync.WaitGroup
		if n%2 == 0 {
			wg.Go(func() { next.Must(t, http.StatusNoContent, "DELETE", table.Path("/premove"), nil, nil) })
		}
		for _, s := range servers {
			wg.Go(func() {
				if _, err := s.Premoves.PlayAll(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		moves := len(auto(t, next, table.ID))
		if moves > 1 || n%2 == 1 && moves != 1 {
			t.Errorf("%d moves of one premove", moves)
		}
		if n := r.rows(t, table); n != 0 {
			t.Errorf("%d premoves are left", n)
		}
	}
}

// slowStore does something else before each append.
type slowStore struct {
	eventstore.Store
	before  func()
	appends int
}

func (s *slowStore) Append(ctx context.Context, b eventstore.Batch) error {
	if s.before != nil {
		s.appends++
		s.before()
	}
	return s.Store.Append(ctx, b)
}

// A server that has read a premove and comes too late plays nothing: not after it was taken back, not after it was replaced, and not in a later turn.
func TestALatePremoveIsNotPlayed(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(t *testing.T, r *running, id uuid.UUID, seat game.Seat){
		"taken back": func(t *testing.T, r *running, id uuid.UUID, seat game.Seat) {
			t.Helper()
			if err := r.Premoves.Drop(t.Context(), id, seat); err != nil {
				t.Error(err)
			}
		},
		"replaced": func(t *testing.T, r *running, id uuid.UUID, seat game.Seat) {
			t.Helper()
			if err := r.Premoves.Set(t.Context(), id, game.Premove{Seat: seat, Round: 2, Bid: 1}); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			late := new(slowStore)
			r := start(t, func(c *Config) {
				late.Store = c.Store
				c.Premoves = &projections.Premoves{Lists: c.Lists, Games: projections.NewGames(late, eventstore.Options{Appended: c.Bell.Ring})}
			})
			table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Length: "five"})
			r.untilBidding(t, table, 2, rand.New(rand.NewPCG(1, 5)))
			first := r.onTurn(t, table)
			seat := (first + 1) % 3
			table.Players[seat].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 2}, nil)
			moveFirst(t, table, game.Seat(first))
			late.before = func() { meanwhile(t, r, uuid.MustParse(table.ID), game.Seat(seat)) }
			playAll(t, r, 0)
			if moves := auto(t, table.Players[0], table.ID); strings.Contains(fmt.Sprint(moves), "premove") {
				t.Errorf("%v", moves)
			}
			if late.appends != 1 {
				t.Errorf("%d appends", late.appends)
			}
		})
	}
}

package api

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"mago/api/apitest"
	"mago/domain/card"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

var (
	hashes = regexp.MustCompile(`"(head|hash)":"[0-9a-f]{64}"`)
	codes  = regexp.MustCompile(`\b([DEGH](1[0-3]|[1-9])|[WJ][1-4])\b`)
)

// twins are two games that differ only in what the viewer may not know.
type twins struct {
	*running
	c      *apitest.Client
	viewer game.Seat
	told   [2]*history
	id     [2]string
	about  string
}

// A viewer can't tell two games apart that differ in hidden cards, hidden bids and secrets alone: views of every version, events, lists,
// refusals and the answers to moves are the same, byte for byte but for the id and the hashes. And no answer holds a hidden card or secret.
func TestNobodySeesWhatIsHidden(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *Config) {
		c.Games = projections.NewGames(c.Store, eventstore.Options{Now: func() time.Time { return stagedAt }})
	})
	users := registerAll(t, r, game.MaxPlayers+1)
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = u.Tokens.User.ID
	}
	stops := 2
	if soak() {
		stops = 30
	}
	for n := range 4 * 3 * 2 {
		rules := game.Rules{Bidding: game.Bidding(n % 4), Length: game.Length(n / 4 % 3), Foresight: n/12 == 1}
		rng := rand.New(rand.NewPCG(2, uint64(n)))
		rules.Players = game.MinPlayers + rng.IntN(4)
		t.Run(fmt.Sprint(rules.Bidding, rules.Length, rules.Foresight, rules.Players), func(t *testing.T) {
			t.Parallel()
			for stop := range stops {
				h := newHistory(t, rules, ids, rng)
				for range rng.IntN(2 * rules.Players * rules.CardsEach(1)) { // in the first round, mostly
					h.step(t, rng)
				}
				for h.state.Scored < stop%4 { // or later
					h.step(t, rng)
				}
				viewer := rng.IntN(rules.Players)
				if (n+stop)%3 == 0 {
					viewer = rules.Players
				}
				x := twins{running: r, viewer: game.Seat(viewer), c: users[viewer]}
				if viewer == rules.Players {
					x.viewer, x.c = game.Spectator, users[len(users)-1]
				}
				x.told = [2]*history{h, h.retold(t, x.viewer, rng)}
				x.about = fmt.Sprintf("viewer %d in round %d, phase %d", x.viewer, h.state.Round.Number, h.state.Round.Phase)
				for i, told := range x.told {
					x.id[i] = told.stage(t, r.store)
				}
				x.reads(t)
				x.lists(t)
				x.refusals(t, rng)
				x.moves(t, rng)
			}
		})
	}
}

// ask sends one request about both games and compares the answers.
func (x *twins) ask(t *testing.T, method, path, body string, headers ...apitest.Header) [2]apitest.Answer {
	t.Helper()
	var answers [2]apitest.Answer
	for i, id := range x.id {
		a := x.c.Do(t, method, "/v1/games/"+id+path, raw(body), headers...)
		a.Header.Del("Date")
		a.Header.Del("X-Request-Id")
		answers[i] = a
	}
	x.same(t, method+" "+path+" "+body, answers)
	return answers
}

func (x *twins) same(t *testing.T, what string, answers [2]apitest.Answer) {
	t.Helper()
	one, two := masked(answers[0].Body, x.id[0]), masked(answers[1].Body, x.id[1])
	if answers[0].Status != answers[1].Status || one != two {
		t.Errorf("%s: %s differs: %d\n%s\n%d\n%s", x.about, what, answers[0].Status, one, answers[1].Status, two)
	}
	if h0, h1 := fmt.Sprint(answers[0].Header), fmt.Sprint(answers[1].Header); h0 != h1 {
		t.Errorf("%s: headers of %s differ:\n%s\n%s", x.about, what, h0, h1)
	}
	for i, a := range answers {
		x.clean(t, what, x.told[i], a)
	}
}

// clean checks that nothing in an answer is a secret or, as far as the answer is about this round alone, a hidden card.
func (x *twins) clean(t *testing.T, what string, h *history, a apitest.Answer) {
	t.Helper()
	text := fmt.Sprint(a.Header) + string(a.Body)
	for i := h.state.Scored; i < len(h.state.Secrets.Seeds); i++ {
		if strings.Contains(text, hex.EncodeToString(h.state.Secrets.Seeds[i][:])) {
			t.Errorf("%s: %s shows the seed of round %d", x.about, what, i+1)
		}
	}
	if strings.Contains(text, hex.EncodeToString(h.state.Secrets.BotKey[:])) {
		t.Errorf("%s: %s shows the bot key", x.about, what)
	}
	if h.state.Scored > 0 || a.Status == http.StatusUnprocessableEntity { // earlier rounds may be in it; the text of a 422 names cards
		return
	}
	hidden := card.SetOf(h.hidden(x.viewer)...)
	for _, code := range codes.FindAllString(text, -1) {
		if c, err := card.Parse(code); err == nil && hidden.Has(c) {
			t.Errorf("%s: %s shows %s", x.about, what, code)
		}
	}
}

func (x *twins) reads(t *testing.T) {
	t.Helper()
	x.ask(t, "GET", "", "")
	x.ask(t, "GET", "/events?limit=1000", "")
	x.ask(t, "GET", "/events", "", header("Accept", "application/x-ndjson"))
	versions := len(x.told[0].events)
	for v := versions; v > 0; v -= oneIn(4) {
		x.ask(t, "GET", fmt.Sprint("?as_of=", v), "")
	}
	x.ask(t, "GET", fmt.Sprint("?as_of=", versions+1), "")
	x.round(t)
}

// round looks at the round in play alone, so that hidden cards can be told from those of rounds before.
func (x *twins) round(t *testing.T) {
	t.Helper()
	at := x.told[0].dealt()
	for i, a := range x.ask(t, "GET", fmt.Sprintf("/events?after=%d", at), "") {
		x.noHidden(t, x.told[i], a.Body)
	}
	for i, a := range x.ask(t, "GET", "", "") {
		var view map[string]json.RawMessage
		a.Decode(t, &view)
		if last := x.told[i].state.LastTrick; last.Round != int(x.told[i].state.Round.Number) {
			delete(view, "last_trick")
		}
		body, err := json.Marshal(view)
		if err != nil {
			t.Fatal(err)
		}
		x.noHidden(t, x.told[i], body)
	}
}

func (x *twins) noHidden(t *testing.T, h *history, body []byte) {
	t.Helper()
	hidden := card.SetOf(h.hidden(x.viewer)...)
	for _, code := range codes.FindAllString(string(body), -1) {
		if c, err := card.Parse(code); err == nil && hidden.Has(c) {
			t.Errorf("%s: %s is shown: %s", x.about, code, body)
		}
	}
}

func (x *twins) lists(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/v1/games?status=playing", "/v1/games?mine=true", "/v1/games?my_turn=true"} {
		var answers [2]apitest.Answer
		for i, id := range x.id {
			answers[i] = apitest.Answer{Status: http.StatusOK, Body: itemOf(t, x.c, path, id)}
		}
		x.same(t, path, answers)
	}
}

// itemOf returns a game's item of a list, nil if the list lacks it.
func itemOf(t *testing.T, c *apitest.Client, path, id string) []byte {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for cursor := ""; ; {
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor *string           `json:"next_cursor"`
		}
		c.Must(t, http.StatusOK, "GET", path+sep+"limit=100"+cursor, nil, &page)
		for _, item := range page.Items {
			if bytes.Contains(item, []byte(id)) {
				return item
			}
		}
		if page.NextCursor == nil {
			return nil
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// oneIn is one in how many is tried: all in soak.
func oneIn(n int) int {
	if soak() {
		return 1
	}
	return n
}

// refusals sends what is refused in the first game: it must be refused in the same way in the other.
func (x *twins) refusals(t *testing.T, rng *rand.Rand) {
	t.Helper()
	s := &x.told[0].state
	var can game.Actions
	if x.viewer != game.Spectator {
		can = s.Round.Legal(x.viewer)
	}
	blind := s.Rules.Blind(int(s.Round.Number))
	for _, c := range card.Deck() {
		if (blind || !can.Plays.Has(c)) && rng.IntN(oneIn(8)) == 0 {
			x.ask(t, "POST", "/plays", fmt.Sprintf(`{"card":%q}`, c))
		}
	}
	if !blind || can.Plays == 0 {
		x.ask(t, "POST", "/plays", `{"card":"??"}`)
	}
	for bid := range game.MaxCards + 2 {
		if !can.Bids.Has(bid) && rng.IntN(oneIn(3)) == 0 {
			x.ask(t, "POST", "/bids", fmt.Sprintf(`{"tricks":%d}`, bid))
		}
	}
	if !can.Trump {
		x.ask(t, "POST", "/trump", `{"suit":"elves"}`)
	}
	x.ask(t, "POST", "/bids", `{"tricks":0}`, header("If-Match", `"1"`))
	x.ask(t, "POST", "/start", "")
	x.ask(t, "POST", "/players", "")
}

// moves makes a move of the viewer's in both games, unless it is one that shows what was hidden.
func (x *twins) moves(t *testing.T, rng *rand.Rand) {
	t.Helper()
	s := &x.told[0].state
	if x.viewer == game.Spectator || !s.Turn().Has(x.viewer) {
		return
	}
	moves := x.told[0].moves(x.viewer)
	m := moves[rng.IntN(len(moves))]
	events, err := game.Decide(*s, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		switch e := e.(type) {
		case game.BidsRevealed, game.RoundScored:
			return
		case game.CardPlayed:
			if s.Rules.Blind(e.Round) {
				return
			}
		}
	}
	switch m := m.(type) {
	case game.NameTrump:
		x.ask(t, "POST", "/trump", fmt.Sprintf(`{"suit":%q}`, m.Suit))
	case game.PlaceBid:
		x.ask(t, "POST", "/bids", fmt.Sprintf(`{"tricks":%d}`, m.Tricks))
	case game.PlayCard:
		x.ask(t, "POST", "/plays", fmt.Sprintf(`{"card":%q}`, m.Card))
	}
	for _, told := range x.told {
		told.play(t, m)
	}
	x.ask(t, "GET", "", "")
	x.lists(t)
}

package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mago/api/apitest"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// listed is a page of a list.
type listed struct {
	Items []struct {
		ID         string
		Status     string
		Visibility string
	}
	NextCursor *string `json:"next_cursor"`
}

func (l listed) ids() (out []string) {
	for _, item := range l.Items {
		out = append(out, item.ID)
	}
	return out
}

func list(t *testing.T, c *apitest.Client, query string) (l listed) {
	t.Helper()
	c.Must(t, http.StatusOK, "GET", "/v1/games"+query, nil, &l)
	return l
}

// inList is a view without what lists leave out.
func inList(t *testing.T, view []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(view, &v); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"head", "trick", "rounds", "others"} {
		delete(v, left)
	}
	if you, ok := v["you"].(map[string]any); ok {
		delete(you, "hand")
	}
	return v
}

// Through whole games of every bidding, an item is what the same user's view is, without head, hands, trick and rounds; and a game is in exactly
// the lists it belongs to.
func TestItemsAreViews(t *testing.T) {
	t.Parallel()
	r := start(t)
	for i, rules := range combinations() {
		t.Run(nameOf(rules), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(12, uint64(i)))
			w := watch(t, r, rules)
			for goes := true; goes; goes = w.move(t, rng) {
				if soak() || rng.IntN(16) == 0 {
					w.compareAll(t, rng)
				}
			}
			w.compareAll(t, rng)
		})
	}
}

func (w *watched) compareAll(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for viewer, view := range w.look(t) {
		w.compare(t, viewer, view, rng)
	}
}

func (w *watched) compare(t *testing.T, viewer int, view apitest.Game, rng *rand.Rand) {
	t.Helper()
	want := inList(t, w.seen[viewer][view.Version])
	player := viewer < len(w.Players)
	onTurn := player && view.Turn != nil && slices.Contains(view.Turn.Seats, viewer)
	for query, in := range map[string]bool{
		"": true, "?status=playing": view.Status == "playing", "?status=finished": view.Status == "finished", "?status=lobby": false,
		"?mine=true": player, "?my_turn=true": onTurn, "?mine=true&status=playing&my_turn=true": onTurn, "?mine=true&status=finished": player && view.Status == "finished",
	} {
		if rng.IntN(oneIn(3)) != 0 {
			continue
		}
		item := itemOf(t, w.viewers[viewer], "/v1/games"+query, w.ID)
		if (item != nil) != in {
			t.Errorf("version %d, viewer %d: listed in %q: %v", view.Version, viewer, query, item != nil)
		}
		if item == nil {
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(item, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("version %d, viewer %d, %q: %s", view.Version, viewer, query, diff)
		}
	}
}

// Public games come newest created first, one's own newest activity first, in pages that neither repeat nor leave out.
func TestPagesOfLists(t *testing.T) {
	t.Parallel()
	h := newCalendar()
	r := startWith(t, h, testdb.New(t))
	u := registerAll(t, r, 2)
	if got := u[1].Must(t, http.StatusOK, "GET", "/v1/games", nil, nil); string(got.Body) != `{"items":[],"next_cursor":null}` {
		t.Errorf("%s", got.Body)
	}
	var created, private []string
	for i := range 13 {
		options := map[string]any{}
		if i%4 == 3 {
			options["visibility"] = "private"
		}
		l := open(t, u[0], options)
		id := strings.TrimPrefix(l.path, "/v1/games/")
		if i%4 == 3 {
			private = append(private, id)
		} else {
			created = append(created, id)
		}
	}
	slices.Reverse(created)
	if diff := cmp.Diff(created, list(t, u[1], "").ids()); diff != "" {
		t.Errorf("public: %s", diff)
	}
	touched := []string{created[7], private[0], created[2]}
	for i, id := range touched {
		h.forward(time.Millisecond)
		u[0].Must(t, http.StatusOK, "PUT", "/v1/games/"+id+"/client-seed", map[string]any{"client_seed": fmt.Sprint("s", i)}, nil)
	}
	mine := list(t, u[0], "?mine=true").ids()
	if len(mine) != 13 {
		t.Fatalf("%d games of one's own", len(mine))
	}
	for i, id := range touched { // at the head, the last touched first
		if got := slices.Index(mine, id); got != 2-i {
			t.Errorf("the game touched as number %d is at %d", i, got)
		}
	}
	for query, want := range map[string][]string{"?": created, "?mine=true&": mine, "?status=lobby&": created} {
		for _, limit := range []int{1, 2, 5, 10, 13, 100} {
			var got []string
			for cursor, pages := "", 0; ; pages++ {
				page := list(t, u[0], fmt.Sprintf("%slimit=%d%s", query, limit, cursor))
				if len(page.Items) > limit || pages > len(want) {
					t.Fatalf("%s limit %d: %d items on page %d", query, limit, len(page.Items), pages)
				}
				got = append(got, page.ids()...)
				if page.NextCursor == nil {
					break
				}
				cursor = "&cursor=" + *page.NextCursor
				if pages == 0 && query == "?" { // what comes in between doesn't move the pages
					newer := open(t, u[0], map[string]any{"visibility": "private"})
					u[0].Must(t, http.StatusOK, "DELETE", newer.path+"/players/0", nil, nil)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s limit %d: %s", query, limit, diff)
			}
		}
	}
}

// What is not public is in the lists of its players alone.
func TestListsByStatusAndPlayer(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := registerAll(t, r, 4)
	playing := apitest.Seat(t, apitest.Rules{Players: 3}, u[:3])
	waiting := open(t, u[0], map[string]any{"name": "here"})
	private := open(t, u[0], map[string]any{"visibility": "private"})
	cancelled := open(t, u[1], nil)
	u[1].Must(t, http.StatusOK, "DELETE", cancelled.path, nil, nil)
	id := func(l lobby) string { return strings.TrimPrefix(l.path, "/v1/games/") }
	for _, tt := range []struct {
		user  int
		query string
		want  []string
	}{
		{3, "", []string{id(cancelled), id(waiting), playing.ID}},
		{3, "?status=lobby", []string{id(waiting)}},
		{0, "?status=lobby", []string{id(waiting)}},
		{3, "?status=playing", []string{playing.ID}},
		{3, "?status=cancelled", []string{id(cancelled)}},
		{3, "?status=finished", nil},
		{3, "?mine=true", nil},
		{3, "?my_turn=true", nil},
		{3, "?mine=false", []string{id(cancelled), id(waiting), playing.ID}},
		{0, "?mine=true", []string{id(private), id(waiting), playing.ID}},
		{0, "?mine=true&status=lobby", []string{id(private), id(waiting)}},
		{1, "?mine=true", []string{id(cancelled), playing.ID}},
		{0, "?mine=true&status=finished", nil},
	} {
		if diff := cmp.Diff(tt.want, list(t, u[tt.user], tt.query).ids()); diff != "" {
			t.Errorf("user %d, %q: %s", tt.user, tt.query, diff)
		}
	}
	turns := 0
	for seat := range 3 {
		turns += len(list(t, u[seat], "?my_turn=true").Items)
	}
	if want := len(playing.View(t, 0).Turn.Seats); turns != want {
		t.Errorf("%d players are said to be on turn, %d are", turns, want)
	}
}

// A lobby is cancelled seven days after it was last touched, and not a millisecond before; what is no lobby is left alone.
func TestLobbiesExpire(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	now := stagedAt
	r := start(t, func(c *Config) {
		c.Games = projections.NewGames(c.Store, eventstore.Options{Now: func() time.Time { return now }})
	})
	u := registerAll(t, r, 3)
	old, touched := open(t, u[0], nil), open(t, u[0], map[string]any{"visibility": "private"})
	playing := apitest.Seat(t, apitest.Rules{Players: 3}, u)
	expire := func(at time.Time) int {
		t.Helper()
		n, err := projections.ExpireLobbies(t.Context(), r.Lists, r.Games, at)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	now = now.Add(24 * time.Hour)
	u[0].Must(t, http.StatusOK, "PUT", touched.path+"/client-seed", map[string]string{"client_seed": "x"}, nil)
	last := now
	now = stagedAt.Add(week)
	for _, tt := range []struct {
		at   time.Time
		want int
	}{
		{stagedAt.Add(week - time.Millisecond), 0},
		{stagedAt.Add(week), 1},
		{stagedAt.Add(week), 0},
		{last.Add(week - time.Millisecond), 0},
		{last.Add(week + 24*time.Hour), 1},
		{last.Add(100 * week), 0},
	} {
		if got := expire(tt.at); got != tt.want {
			t.Errorf("%v after the opening %d lobbies expired, want %d", tt.at.Sub(stagedAt), got, tt.want)
		}
	}
	for path, want := range map[string]string{old.path: "cancelled", touched.path: "cancelled", playing.Path(""): "playing"} {
		var g apitest.Game
		u[0].Must(t, http.StatusOK, "GET", path, nil, &g)
		if g.Status != want {
			t.Errorf("%s: %s, want %s", path, g.Status, want)
		}
	}
	events := u[0].Events(t, strings.TrimPrefix(old.path, "/v1/games/"))
	if e := events[len(events)-1]; e.Type != "game_cancelled" || !strings.Contains(string(e.Data), `"reason":"expired","seed":null`) {
		t.Errorf("%s %s", e.Type, e.Data)
	}
}

package projections_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mago/domain/game"
	"mago/eventstore/testdb"
	"mago/projections"
)

// TestListsOverManyGames compares lists over 1,000 games with those over 1,000,000 (in soak). The figures are logged; what is held is that no list
// reads or sorts the whole table. SQLite keeps the table in the order of the public list and goes along it as far as the page needs.
func TestListsOverManyGames(t *testing.T) {
	t.Parallel()
	few, many := 400, 4_000
	if os.Getenv("MAGO_SOAK") == "1" {
		few, many = 1_000, 1_000_000
	}
	h := newHall(t)
	user := userID(0, 0)
	ids, _ := h.played(t, 1)
	lists := projections.NewLists(h.store.Reader(), h.store.Writer())
	queries := map[string]func(after string) ([]projections.Listed, string, error){
		"public": func(after string) ([]projections.Listed, string, error) {
			return lists.Public(t.Context(), user, game.NoGame, projections.Page{Limit: 20, After: after})
		},
		"public lobbies": func(after string) ([]projections.Listed, string, error) {
			return lists.Public(t.Context(), user, game.Lobby, projections.Page{Limit: 20, After: after})
		},
		"mine": func(after string) ([]projections.Listed, string, error) {
			return lists.Mine(t.Context(), user, game.NoGame, false, projections.Page{Limit: 20, After: after})
		},
		"my turn": func(after string) ([]projections.Listed, string, error) {
			return lists.Mine(t.Context(), user, game.Playing, true, projections.Page{Limit: 20, After: after})
		},
	}
	h.multiply(t, ids[0].String(), 1, few)
	before := timed(t, queries)
	h.multiply(t, ids[0].String(), few+1, many)
	after := timed(t, queries)
	for name := range queries {
		t.Logf("%s: %v over %d games, %v over %d: ratio %.2f", name, before[name], few, after[name], many, float64(after[name])/float64(before[name]))
	}
	for name, plan := range h.plans(t, user) {
		t.Logf("%s:\n%s", name, plan)
		if testdb.Postgres() && many >= 1_000_000 && (strings.Contains(plan, "Seq Scan on games") || name == "public" && strings.Contains(plan, "Sort")) ||
			!testdb.Postgres() && name == "public" && strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s goes through the whole table:\n%s", name, plan)
		}
	}
}

// multiply adds rows of games first to last like that of one that is there, every tenth a lobby; the user sits in 100 of the first 400.
func (h hall) multiply(t *testing.T, id string, first, last int) {
	t.Helper()
	series := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)`, first, last)
	key := `'0190b2a4-0000-7000-9000-' || substr('000000000000' || i, length('000000000000' || i) - 11)`
	if testdb.Postgres() {
		key = `('0190b2a4-0000-7000-9000-' || lpad(i::text, 12, '0'))::uuid`
	}
	h.exec(t, fmt.Sprintf(`INSERT INTO games (game_id, version, status, visibility, updated_at, turn, bot_turn, summary) %s
 SELECT %s, g.version, CASE WHEN i %% 10 = 0 THEN 'lobby' ELSE 'playing' END, 'public', g.updated_at + i, 63, 0, g.summary FROM n, games g WHERE g.game_id = '%s'`, series, key, id))
	h.exec(t, fmt.Sprintf(`INSERT INTO game_players (user_id, game_id, seat) %s SELECT '%s', %s, 0 FROM n WHERE i <= 400 AND i %% 4 = 0`, series, userID(0, 0), key))
	h.exec(t, `ANALYZE`)
}

// timed runs each list's first and second page some times and returns the quickest.
func timed(t *testing.T, queries map[string]func(string) ([]projections.Listed, string, error)) map[string]time.Duration {
	t.Helper()
	out := map[string]time.Duration{}
	for name, query := range queries {
		for range 10 {
			began := time.Now()
			first, next, err := query("")
			if err != nil || len(first) == 0 || next == "" {
				t.Fatalf("%s: %d games, next %q: %v", name, len(first), next, err)
			}
			if _, _, err := query(next); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); out[name] == 0 || took < out[name] {
				out[name] = took
			}
		}
	}
	return out
}

func (h hall) plans(t *testing.T, user string) map[string]string {
	t.Helper()
	explain := "EXPLAIN QUERY PLAN "
	if testdb.Postgres() {
		explain = "EXPLAIN "
	}
	out := map[string]string{}
	for name, query := range map[string]string{
		"public": `SELECT g.summary FROM games g LEFT JOIN game_settings s ON s.game_id = g.game_id WHERE g.visibility = 'public'
 AND (g.status <> 'lobby' OR g.game_id NOT IN (SELECT p.game_id FROM blocks b JOIN game_players p ON p.user_id = b.user_id WHERE b.blocked_id = '` + user + `'))
 ORDER BY g.game_id DESC LIMIT 21`,
		"mine": `SELECT g.summary FROM game_players p JOIN games g ON g.game_id = p.game_id WHERE p.user_id = '` + user + `'
 ORDER BY g.updated_at DESC, g.game_id DESC LIMIT 21`,
	} {
		out[name] = h.explained(t, explain+query)
	}
	return out
}

func (h hall) explained(t *testing.T, query string) (plan string) {
	t.Helper()
	rows, err := h.store.Reader().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		plan += fmt.Sprint(*values[len(values)-1].(*any)) + "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

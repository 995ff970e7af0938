package projections

import (
	"slices"

	"mago/domain/game"
)

// Statistics is the projection of what players have played and how well.
var Statistics = Projection{
	Name: "statistics", Version: 1,
	Tables:  []string{"player_stats", "player_totals"},
	Types:   []string{game.TypeOf(game.GameFinished{})},
	Project: statistics,
}

const (
	addStats = `INSERT INTO player_stats (build, user_id, players, bidding, length, foresight, games, wins, score, places, bids, met, abandoned)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
 ON CONFLICT (build, user_id, players, bidding, length, foresight) DO UPDATE SET games = player_stats.games + excluded.games,
  wins = player_stats.wins + excluded.wins, score = player_stats.score + excluded.score, places = player_stats.places + excluded.places,
  bids = player_stats.bids + excluded.bids, met = player_stats.met + excluded.met, abandoned = player_stats.abandoned + excluded.abandoned`
	addTotals = `INSERT INTO player_totals (build, players, user_id, games, wins, score, mean) VALUES ($1, $2, $3, 1, $4, $5, $6)
 ON CONFLICT (build, players, user_id) DO UPDATE SET games = player_totals.games + 1, wins = player_totals.wins + excluded.wins,
  score = player_totals.score + excluded.score, mean = 1000 * (player_totals.score + excluded.score) / (player_totals.games + 1)`
)

// statistics adds a finished game to each player's rows. Who had left counts the game as abandoned, and nothing that a bot did for them. A game in which
// a bot had a seat of its own does not count for the leaderboard: the host chooses the bots.
func statistics(build int64, s *game.State, _ game.Event) (out []Statement) {
	r := s.Rules
	bots := slices.ContainsFunc(s.Seats[:], func(p game.Player) bool { return p.Bot != game.NoBot })
	for seat := range r.Players {
		user := s.Seats[seat].User
		if user == "" {
			continue
		}
		key := []any{build, user, int64(r.Players), r.Bidding.String(), r.Length.String(), number(r.Foresight)}
		if s.Left[seat] != 0 {
			out = append(out, Statement{SQL: addStats, Args: append(key, zero, zero, zero, zero, zero, zero, int64(1))})
			continue
		}
		won, score := number(s.Places[seat] == 1), int64(s.Totals[seat])
		met := int64(0)
		for _, round := range s.Scores[:s.Scored] {
			met += number(round.Bids[seat] == round.Tricks[seat])
		}
		out = append(out, Statement{SQL: addStats, Args: append(key, int64(1), won, score, int64(s.Places[seat]), int64(s.Scored), met, zero)})
		if !bots {
			out = append(out, Statement{SQL: addTotals, Args: []any{build, int64(r.Players), user, won, score, 1000 * score}})
		}
	}
	return out
}

const zero = int64(0)

// number is how SQL that runs on every engine keeps a truth.
func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

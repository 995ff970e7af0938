package projections

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mago/domain/game"
)

// PlayerStats is what a player has played with one set of options.
type PlayerStats struct {
	Rules     game.Rules
	Games     int // played to the end
	Wins      int
	Score     int // sum over the games
	Places    int // sum over the games
	Bids, Met int
	Abandoned int // finished games that the player had left
}

// Stats returns a player's statistics by option, none for who has finished no game.
func (l *Lists) Stats(ctx context.Context, user string) ([]PlayerStats, error) {
	rows, err := l.reader.QueryContext(ctx, `SELECT players, bidding, length, foresight, games, wins, score, places, bids, met, abandoned FROM player_stats
 WHERE build = (SELECT live FROM projections WHERE name = $1) AND user_id = $2 ORDER BY players, bidding, length, foresight`, Statistics.Name, user)
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	out := []PlayerStats{}
	for rows.Next() {
		var s PlayerStats
		var bidding, length string
		var foresight int
		if err := rows.Scan(&s.Rules.Players, &bidding, &length, &foresight, &s.Games, &s.Wins, &s.Score, &s.Places, &s.Bids, &s.Met, &s.Abandoned); err != nil {
			return nil, fmt.Errorf("read statistics: %w", err)
		}
		s.Rules.Bidding, _ = game.ParseBidding(bidding)
		s.Rules.Length, _ = game.ParseLength(length)
		s.Rules.Foresight = foresight != 0
		out = append(out, s)
	}
	return out, rows.Err()
}

// Rank is a player's line in the leaderboard.
type Rank struct {
	User        string
	Games, Wins int
	Score       int
	Mean        int // score a game, in thousandths
}

// Leaderboard returns who has the highest mean score in games of a number of players, of those with at least minGames of them, and the cursor behind them.
func (l *Lists) Leaderboard(ctx context.Context, players, minGames int, page Page) ([]Rank, string, error) {
	where, args := "", []any{Statistics.Name, players, minGames}
	if page.After != "" {
		mean, user, _ := strings.Cut(page.After, "_")
		m, err := strconv.Atoi(mean)
		if err != nil || !isID(user) {
			return nil, "", ErrBadCursor
		}
		where, args = " AND (mean, user_id) < ($4, $5)", append(args, m, user)
	}
	rows, err := l.reader.QueryContext(ctx, fmt.Sprintf(`SELECT user_id, games, wins, score, mean FROM player_totals
 WHERE build = (SELECT live FROM projections WHERE name = $1) AND players = $2 AND games >= $3%s ORDER BY mean DESC, user_id DESC LIMIT %d`,
		where, page.Limit+1), args...)
	if err != nil {
		return nil, "", fmt.Errorf("read the leaderboard: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	out := []Rank{}
	for rows.Next() {
		if len(out) == page.Limit {
			last := out[len(out)-1]
			return out, strconv.Itoa(last.Mean) + "_" + last.User, nil
		}
		var r Rank
		if err := rows.Scan(&r.User, &r.Games, &r.Wins, &r.Score, &r.Mean); err != nil {
			return nil, "", fmt.Errorf("read the leaderboard: %w", err)
		}
		out = append(out, r)
	}
	return out, "", rows.Err()
}

package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/projections"
)

// tally sums up finished games. Means are null where there is nothing to divide by.
type tally struct {
	Games     int      `json:"games" validate:"required"` // finished and played to the end by the player
	Wins      int      `json:"wins" validate:"required"`
	MeanScore *float64 `json:"mean_score" validate:"required" extensions:"x-nullable" example:"212.5"`
	MeanPlace *float64 `json:"mean_place" validate:"required" extensions:"x-nullable" example:"1.75"`
	Bids      int      `json:"bids" validate:"required"`
	BidsMet   int      `json:"bids_met" validate:"required"`
	Abandoned int      `json:"abandoned" validate:"required"` // finished games that the player had left
	score     int
	places    int
} // @name Tally

// optionTally is a tally of games with one set of options.
type optionTally struct {
	tally
	Players   int    `json:"players" validate:"required"`
	Bidding   string `json:"bidding" validate:"required" enums:"open,plus_minus_one,hidden,secret"`
	Length    string `json:"length" validate:"required" enums:"full,five,tournament"`
	Foresight bool   `json:"foresight" validate:"required"`
} // @name OptionTally

// playersTally is a tally of games with a number of players.
type playersTally struct {
	tally
	Players int `json:"players" validate:"required"`
} // @name PlayersTally

// userStats is what a user has played.
type userStats struct {
	User      user           `json:"user" validate:"required"`
	Total     tally          `json:"total" validate:"required"`
	ByPlayers []playersTally `json:"by_players" validate:"required"`
	ByOption  []optionTally  `json:"by_option" validate:"required"`
} // @name UserStats

func (t *tally) add(s *projections.PlayerStats) {
	t.Games, t.Wins, t.Abandoned = t.Games+s.Games, t.Wins+s.Wins, t.Abandoned+s.Abandoned
	t.Bids, t.BidsMet = t.Bids+s.Bids, t.BidsMet+s.Met
	t.score, t.places = t.score+s.Score, t.places+s.Places
	t.MeanScore, t.MeanPlace = mean(t.score, t.Games), mean(t.places, t.Games)
}

func mean(sum, n int) *float64 {
	if n == 0 {
		return nil
	}
	m := float64(sum) / float64(n)
	return &m
}

// getUserStats shows what a user has played and how well.
//
// @ID getUserStats
// @Summary Somebody's statistics
// @Description Of finished games. They follow the games with a short delay.
// @Tags statistics
// @Produce json
// @Security BearerAuth
// @Param id path string true "the user's id" format(uuid)
// @Success 200 {object} userStats
// @Failure 401,404,503 {object} Problem
// @Router /v1/users/{id}/stats [get]
func (s *Server) getUserStats(c echo.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	profile, err := s.Auth.Profile(c.Request().Context(), id)
	if err != nil {
		return err
	}
	stats, err := s.Lists.Stats(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, statsOf(userOf(profile), stats))
}

func statsOf(u user, stats []projections.PlayerStats) userStats {
	out := userStats{User: u, ByPlayers: []playersTally{}, ByOption: make([]optionTally, len(stats))}
	for i := range stats {
		s := &stats[i]
		r := s.Rules
		out.ByOption[i] = optionTally{Players: r.Players, Bidding: r.Bidding.String(), Length: r.Length.String(), Foresight: r.Foresight}
		out.ByOption[i].add(s)
		if n := len(out.ByPlayers); n == 0 || out.ByPlayers[n-1].Players != r.Players { // they come in the order of players
			out.ByPlayers = append(out.ByPlayers, playersTally{Players: r.Players})
		}
		out.ByPlayers[len(out.ByPlayers)-1].add(s)
		out.Total.add(s)
	}
	return out
}

// rankView is a line of the leaderboard.
type rankView struct {
	User      user    `json:"user" validate:"required"`
	Games     int     `json:"games" validate:"required"`
	Wins      int     `json:"wins" validate:"required"`
	MeanScore float64 `json:"mean_score" validate:"required"`
} // @name Rank

// leaderboard is a page of the leaderboard.
type leaderboard struct {
	Items      []rankView `json:"items" validate:"required"` // highest mean score first
	NextCursor *string    `json:"next_cursor" validate:"required" extensions:"x-nullable"`
} // @name Leaderboard

// getLeaderboard shows who plays best.
//
// @ID getLeaderboard
// @Summary Leaderboard
// @Description The highest mean scores in finished games with a number of players.
// @Tags statistics
// @Produce json
// @Security BearerAuth
// @Param players query int true "number of players" minimum(3) maximum(6)
// @Param min_games query int false "least number of games" minimum(1) default(1)
// @Param limit query int false "size of the page" minimum(1) maximum(100) default(20)
// @Param cursor query string false "next_cursor of the page before"
// @Success 200 {object} leaderboard
// @Failure 401,422,503 {object} Problem
// @Router /v1/leaderboard [get]
func (s *Server) getLeaderboard(c echo.Context) error {
	q := queryOf(c)
	players := q.optionalInt("players", game.MinPlayers, game.MaxPlayers)
	minGames := q.int("min_games", 1, 1, 1<<30)
	page := projections.Page{Limit: q.limit()}
	page.After, _ = q.text("cursor")
	if players == nil {
		q.invalid("/players", "is required")
	}
	if err := q.err(); err != nil {
		return err
	}
	ranks, next, err := s.Lists.Leaderboard(c.Request().Context(), *players, minGames, page)
	if err != nil {
		return err
	}
	ids := make([]string, len(ranks))
	for i := range ranks {
		ids[i] = ranks[i].User
	}
	profiles, err := s.Auth.Profiles(c.Request().Context(), ids)
	if err != nil {
		return err
	}
	items := make([]rankView, len(ranks))
	for i, r := range ranks {
		items[i] = rankView{User: userOf(profiles[r.User]), Games: r.Games, Wins: r.Wins, MeanScore: float64(r.Score) / float64(r.Games)}
	}
	return c.JSON(http.StatusOK, leaderboard{Items: items, NextCursor: nonEmpty(next)})
}

package projections

import (
	"encoding/json"
	"fmt"

	"mago/domain/game"
)

// summary is what a list needs of a game, as it stands in a game's row: the whole table without the scored rounds and the secrets. It is
// never shown: the state made from it goes through the one redaction, like any other.
type summary struct {
	Rules      game.Rules
	Visibility game.Visibility
	Clock      game.Clock
	Host       game.Seat
	CreatedAt  int64
	Users      [game.MaxPlayers]string
	Totals     [game.MaxPlayers]int
	Left       [game.MaxPlayers]int
	Places     [game.MaxPlayers]int
	Scored     int
	Round      game.Round
	LastTrick  game.Trick
	Bots       [game.MaxPlayers]game.Level
	Away       [game.MaxPlayers]game.Away
	Clocks     *clocks `json:",omitempty"` // nil without a clock
	EndVotes   game.SeatSet
}

// clocks is what a game with a clock has beside.
type clocks struct {
	Timers     [game.MaxPlayers]game.Timer
	Banks      [game.MaxPlayers]int64
	Rested     [game.MaxPlayers]int64
	Vacations  game.SeatSet
	PauseVotes game.SeatSet
	Paused     bool
}

func summarize(s *game.State) []byte {
	sum := summary{
		Rules: s.Rules, Visibility: s.Visibility, Clock: s.Clock, Host: s.Host, CreatedAt: s.CreatedAt,
		Totals: s.Totals, Left: s.Left, Places: s.Places, Scored: s.Scored, Round: s.Round, LastTrick: s.LastTrick,
		Away: s.Away, EndVotes: s.EndVotes,
	}
	for i, p := range s.Seats {
		sum.Users[i], sum.Bots[i] = p.User, p.Bot
	}
	if s.Clock.Kind != game.NoClock {
		sum.Clocks = &clocks{s.Timers, s.Banks, s.Rested, s.Vacations, s.PauseVotes, s.Paused}
	}
	out, err := json.Marshal(sum)
	if err != nil {
		panic(err) // numbers and strings alone
	}
	return out
}

// restore returns the state that a row is the summary of, without what summaries leave out: the scores of earlier rounds, client seeds, secrets.
func restore(id string, version int, status string, updatedAt int64, data []byte) (s game.State, err error) {
	var sum summary
	if err := json.Unmarshal(data, &sum); err != nil {
		return s, fmt.Errorf("read the summary of game %s: %w", id, err)
	}
	st, ok := game.ParseStatus(status)
	if !ok {
		return s, fmt.Errorf("read the summary of game %s: no status %q", id, status)
	}
	s = game.State{
		ID: id, Version: version, Status: st, UpdatedAt: updatedAt, CreatedAt: sum.CreatedAt,
		Rules: sum.Rules, Visibility: sum.Visibility, Clock: sum.Clock, Host: sum.Host,
		Totals: sum.Totals, Left: sum.Left, Places: sum.Places, Round: sum.Round, LastTrick: sum.LastTrick,
		Away: sum.Away, EndVotes: sum.EndVotes,
	}
	for i, u := range sum.Users {
		s.Seats[i].User, s.Seats[i].Bot = u, sum.Bots[i]
	}
	if c := sum.Clocks; c != nil {
		s.Timers, s.Banks, s.Rested, s.Vacations, s.PauseVotes, s.Paused = c.Timers, c.Banks, c.Rested, c.Vacations, c.PauseVotes, c.Paused
	}
	return s, nil
}

package api

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// syncAnswer is what has changed for a user.
type syncAnswer struct {
	Items []changedGame `json:"items" validate:"required"` // newest activity first
	Next  string        `json:"next" validate:"required"`  // what to send as since next time
} // @name Sync

// changedGame is one of a user's games that has changed.
type changedGame struct {
	ID       string  `json:"id" validate:"required" format:"uuid"`
	Version  int     `json:"version" validate:"required" example:"57"`                                 // of a game that is gone, when it went
	Status   string  `json:"status" validate:"required" enums:"lobby,playing,finished,cancelled,gone"` // gone: you left, or were removed from the lobby
	MyTurn   bool    `json:"my_turn" validate:"required"`                                              // the game waits for you
	Deadline *string `json:"deadline" validate:"required" format:"date-time" extensions:"x-nullable"`  // until when, if there is a clock
} // @name ChangedGame

// syncGames tells a user what has changed.
//
// @ID syncGames
// @Summary Which of your games have changed
// @Description Without since all your games that are not over; with next of the answer before, those that have changed meanwhile, ended ones and those that you left or were removed from among them. Nothing is left out, whichever server answers; a game may be told twice. A token that is older than 30 days or from before a restore of the database is 410 resync: ask without it. Another user's is 422.
// @Tags games
// @Produce json
// @Security BearerAuth
// @Param since query string false "next of the answer before"
// @Success 200 {object} syncAnswer
// @Failure 401,410,422,503 {object} Problem
// @Router /v1/me/sync [get]
func (s *Server) syncGames(c echo.Context) error {
	q := queryOf(c)
	since, given := q.text("since")
	if err := q.err(); err != nil {
		return err
	}
	ctx, user := c.Request().Context(), caller(c).UserID
	secret, err := s.Sync.Secret(ctx)
	if err != nil {
		return err
	}
	var changes []projections.Change
	var mark eventstore.Mark
	if given {
		if mark, err = openToken(secret, user, s.Now(), since); err == nil {
			changes, mark, err = s.Sync.Since(ctx, user, mark)
		}
	} else {
		changes, mark, err = s.Sync.Unfinished(ctx, user)
	}
	switch {
	case errors.Is(err, errBadToken):
		q.invalid("/since", "was not given out to you by this call")
		return q.err()
	case errors.Is(err, errResync), errors.Is(err, eventstore.ErrOtherHistory), errors.Is(err, eventstore.ErrBadMark):
		return problem(CodeResync, "The token is too old, or from before a restore of the database: ask without since.").because(err)
	case err != nil:
		return err
	}
	items := make([]changedGame, len(changes))
	for i := range changes {
		items[i] = changedGameOf(&changes[i], user)
	}
	return c.JSON(http.StatusOK, syncAnswer{Items: items, Next: sealToken(secret, user, s.Now(), mark)})
}

func changedGameOf(change *projections.Change, user string) changedGame {
	g := &change.State
	out := changedGame{ID: g.ID, Version: g.Version, Status: "gone"}
	if change.Gone {
		return out
	}
	out.Status = g.Status.String()
	seat := g.SeatOf(user)
	if seat == game.NoSeat || !(g.Turn() &^ g.BotTurn()).Has(seat) {
		return out
	}
	out.MyTurn = true
	if at, runs := g.Deadline(seat); runs {
		deadline := formatTime(at)
		out.Deadline = &deadline
	}
	return out
}

package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/api/idempotency"
	"mago/domain/game"
	"mago/projections"
)

// gameAnswer is what is kept of an answer that shows a game.
func gameAnswer(status int, id uuid.UUID, version int) idempotency.Answer {
	return idempotency.Answer{Status: status, Subject: id.String(), Version: version}
}

// answerCommand answers with g, or with what was answered before: the game as it stood then, as the caller may see that now.
func (s *Server) answerCommand(c echo.Context, a idempotency.Answer, g *projections.Game, replayed bool) error {
	if !replayed {
		return s.answerGame(c, a.Status, g)
	}
	ctx, user := c.Request().Context(), caller(c).UserID
	id, err := uuid.Parse(a.Subject)
	if err != nil {
		return fmt.Errorf("the game of a kept answer: %w", err)
	}
	now, err := s.Games.Load(ctx, id)
	if err != nil {
		return err
	}
	if !maySee(&now.State, now.State.SeatOf(user)) {
		return notFound() // it is private, and they have left
	}
	then, err := s.gameAt(ctx, &now, a.Version)
	if err != nil {
		return err
	}
	return s.answerGameAt(c, a.Status, &then, viewerThen(&now, &then, user), 0)
}

// refuseAgain refuses a command as it was refused before, for which it is decided again on the game as it stood.
func (s *Server) refuseAgain(ctx context.Context, a idempotency.Answer, admit admit) error {
	id, err := uuid.Parse(a.Subject)
	if err != nil {
		return fmt.Errorf("the game of a kept answer: %w", err)
	}
	now, err := s.Games.Load(ctx, id)
	if err != nil {
		return err
	}
	then, err := s.gameAt(ctx, &now, a.Version)
	if err != nil {
		return err
	}
	cmd, _, err := admit(ctx, &then)
	if err == nil {
		_, err = game.Decide(then.State, cmd)
		err = refusal(err, then.Version)
	}
	var p *Problem
	if errors.As(err, &p) && string(p.Code) == a.Code {
		return p
	}
	return problem(Code(a.Code), "").at(a.Version)
}

// gameAt returns a game as it stood at a version that it has come to.
func (s *Server) gameAt(ctx context.Context, now *projections.Game, version int) (projections.Game, error) {
	if version == now.Version {
		return *now, nil
	}
	return s.Games.LoadAt(ctx, uuid.MustParse(now.State.ID), version)
}

// viewerThen returns whose eyes a user sees an earlier state of a game with: their own of then, but those of a spectator if that is what they are now.
func viewerThen(now, then *projections.Game, user string) game.Seat {
	if now.State.ViewerOf(user) == game.Spectator {
		return game.Spectator
	}
	return then.State.ViewerOf(user)
}

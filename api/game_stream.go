package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/projections"
)

// mimeEventStream is server-sent events (WHATWG HTML, 9.2).
const mimeEventStream = "text/event-stream"

const (
	// lookAgain is how often a live stream looks for events when no ring came: rings between servers can be lost.
	lookAgain = time.Second
	// heartbeat is how often a silent stream sends a comment, so that proxies keep it open and a dead one is noticed.
	heartbeat = 15 * time.Second
	// slowest is how long a client may take to receive what there is.
	slowest = 30 * time.Second
)

// streamEvents sends a game's events as they happen: id is the version, event the type. It ends with the game, the caller's session, or the server.
func (s *Server) streamEvents(c echo.Context, g *projections.Game, after int) error {
	if id := c.Request().Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 {
			var v validator
			v.invalid("/Last-Event-ID", "must be the version of an event")
			return v.err()
		}
		after = n
	}
	closed, err := s.openStream(c) // HEAD as well: it is answered as GET would be
	if err != nil {
		return err
	}
	defer closed()
	if whole, ok := c.Get(keyUnbound).(context.Context); ok {
		c.SetRequest(c.Request().WithContext(whole)) // each look has an end of its own
	}
	id := uuid.MustParse(g.State.ID)
	rung, stop := s.Bell.Listen(id)
	defer stop()
	res := c.Response()
	// The server's time limits are for whole answers, these for each part of one; where they can't be changed the client connects again.
	control := http.NewResponseController(res)
	_ = control.SetReadDeadline(time.Time{})
	res.Header().Set(echo.HeaderContentType, mimeEventStream)
	res.Header().Set("X-Accel-Buffering", "no")
	res.WriteHeader(http.StatusOK)
	res.Flush()
	if c.Request().Method == http.MethodHead {
		return nil
	}

	look, beat := time.NewTicker(lookAgain), time.NewTicker(heartbeat)
	defer look.Stop()
	defer beat.Stop()
	for {
		_ = control.SetWriteDeadline(time.Now().Add(slowest))
		sent, over, err := s.sendNew(c, id, after)
		if err != nil || over {
			return err
		}
		after = sent
		select {
		case <-rung:
		case <-look.C:
		case <-beat.C:
			if _, err := fmt.Fprint(res, ":\n\n"); err != nil {
				return err
			}
			res.Flush()
		case <-s.closing:
			return nil
		case <-c.Request().Context().Done():
			return nil
		}
	}
}

// sendNew sends what the caller has not seen and may see now. It returns the version of the newest event sent, and whether nothing can follow.
func (s *Server) sendNew(c echo.Context, id uuid.UUID, after int) (sent int, over bool, err error) {
	defer within(c, longest)()
	if _, err := s.whoCalls(c); err != nil {
		return after, true, err
	}
	g, err := s.Games.Load(c.Request().Context(), id)
	if err != nil {
		return after, true, err
	}
	if !maySee(&g.State, g.State.SeatOf(caller(c).UserID)) { // they were removed from a private lobby
		return after, true, nil
	}
	for after < g.Version {
		items, _, err := s.eventsFor(c, &g, after, eventsAtOnce)
		if err != nil {
			return after, true, err
		}
		for i := range items {
			data, err := encode(&items[i])
			if err != nil {
				return after, true, err
			}
			if _, err := fmt.Fprintf(c.Response(), "id: %d\nevent: %s\ndata: %s\n\n", items[i].Version, items[i].Type, data); err != nil {
				return after, true, err
			}
			after = items[i].Version
		}
		c.Response().Flush()
	}
	return after, g.State.Status.Over(), nil
}

package api

import (
	"bufio"
	"encoding/hex"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// event is an event of a game as the caller may know it. The document has one schema for each type, made of this one.
type event struct {
	GameID  string         `json:"game_id" validate:"required" format:"uuid"`
	Version int            `json:"version" validate:"required" minimum:"1" example:"57"`
	Type    string         `json:"type" validate:"required"` // tells what data holds
	At      string         `json:"at" validate:"required" format:"date-time" example:"2026-01-02T03:04:05.678Z"`
	Data    jsontext.Value `json:"data" validate:"required" swaggertype:"object"`
	Hash    *string        `json:"hash" validate:"required" extensions:"x-nullable,x-pattern=^[0-9a-f]{64}$" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"` // null where bare events were asked for
	Salt    *string        `json:"salt" validate:"required" extensions:"x-nullable,x-pattern=^[0-9a-f]{32}$" example:"0123456789abcdef0123456789abcdef"`                                 // null while you may not know all of data
} // @name Event

// eventPage is a part of a game's stream.
type eventPage struct {
	Items     []event `json:"items" validate:"required"`
	NextAfter *int    `json:"next_after" validate:"required" extensions:"x-nullable"` // where the next page begins; null at the end
} // @name EventPage

// mimeNDJSON is one JSON value a line.
const mimeNDJSON = "application/x-ndjson"

// listEvents shows a game's stream.
//
// @ID listEvents
// @Summary A game's events as you may know them
// @Description Hidden cards are ??, hidden bids null; a deal is whole from its round's scoring, everything from the game's end. As application/x-ndjson it is one event a line, to the end; as text/event-stream the events come as they happen, with the version as id and the type as event, until the game ends.
// @Tags games
// @Produce json
// @Produce application/x-ndjson
// @Produce text/event-stream
// @Security BearerAuth
// @Param id path string true "the game's id" format(uuid)
// @Param after query int false "events above this version" minimum(0) default(0)
// @Param Last-Event-ID header int false "for text/event-stream: the version received last"
// @Param limit query int false "size of the page, for application/json" minimum(1) maximum(1000) default(500)
// @Param bare query boolean false "true for events without hash and salt, which are null then: what a phone needs that doesn't check the chain" default(false)
// @Success 200 {object} eventPage
// @Failure 401,404,406,422,503 {object} Problem
// @Router /v1/games/{id}/events [get]
func (s *Server) listEvents(c echo.Context) error {
	q := queryOf(c)
	after, limit := q.int("after", 0, 0, 1<<30), q.int("limit", 500, 1, 1000)
	q.bool("bare") // which eventsFor reads
	if err := q.err(); err != nil {
		return err
	}
	form := preferred(c, echo.MIMEApplicationJSON, mimeNDJSON, mimeEventStream)
	if form == "" {
		return problem(CodeNotAcceptable, "There is application/json, application/x-ndjson and text/event-stream.")
	}
	g, err := s.visibleGame(c)
	if err != nil {
		return err
	}
	c.Response().Header().Add(echo.HeaderVary, "Accept, Authorization")
	switch form {
	case mimeNDJSON:
		return s.writeEvents(c, &g, after)
	case mimeEventStream:
		return s.streamEvents(c, &g, after)
	}
	items, more, err := s.eventsFor(c, &g, after, limit)
	if err != nil {
		return err
	}
	page := eventPage{Items: items}
	if more {
		page.NextAfter = &items[len(items)-1].Version
	}
	return c.JSON(http.StatusOK, page)
}

// eventsFor returns a page of a game's events as the caller may know them with the game standing as it was loaded, and whether there are more.
func (s *Server) eventsFor(c echo.Context, g *projections.Game, after, limit int) ([]event, bool, error) {
	if after >= g.Version {
		return []event{}, false, nil
	}
	records, err := s.Store.Read(c.Request().Context(), uuid.MustParse(g.State.ID), after, min(limit, g.Version-after))
	if err != nil {
		return nil, false, err
	}
	viewer, bare := g.State.ViewerOf(caller(c).UserID), queryOf(c).bool("bare")
	items := make([]event, len(records))
	for i, r := range records {
		if items[i], err = eventFor(&g.State, r, viewer); err != nil {
			return nil, false, err
		}
		if bare {
			items[i].Hash, items[i].Salt = nil, nil
		}
	}
	return items, after+len(items) < g.Version, nil
}

// eventFor returns a record as a viewer may know it. Its salt is shown exactly when all of its data is: with the salt, what is hidden could be guessed
// from the hash.
func eventFor(s *game.State, r eventstore.Record, viewer game.Seat) (event, error) {
	hash := hex.EncodeToString(r.Hash[:])
	out := event{GameID: r.Stream.String(), Version: r.Version, Type: r.Type, At: formatTime(r.At), Data: r.Data, Hash: &hash}
	e, err := projections.Decode(r)
	if err != nil {
		return out, err
	}
	seen, whole := s.Redact(e, viewer)
	if !whole {
		out.Data, _ = game.Encode(seen)
		return out, nil
	}
	salt := hex.EncodeToString(r.Salt[:])
	out.Salt = &salt
	return out, nil
}

// eventsAtOnce is how many events of a long answer are in memory at a time.
const eventsAtOnce = 500

// writeEvents writes all events behind a version, one a line.
func (s *Server) writeEvents(c echo.Context, g *projections.Game, after int) error {
	items, more, err := s.eventsFor(c, g, after, eventsAtOnce)
	if err != nil {
		return err
	}
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, mimeNDJSON)
	res.WriteHeader(http.StatusOK)
	w := bufio.NewWriter(res)
	for {
		for i := range items {
			line, err := encode(&items[i])
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if !more {
			return w.Flush()
		}
		after = items[len(items)-1].Version
		if items, more, err = s.eventsFor(c, g, after, eventsAtOnce); err != nil {
			s.log.ErrorContext(c.Request().Context(), "events cut off", "game_id", g.State.ID, "error", err)
			panic(http.ErrAbortHandler) // or the part would look like the whole
		}
	}
}

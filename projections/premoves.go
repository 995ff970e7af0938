package projections

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mago/domain/card"
	"mago/domain/game"
	"mago/eventstore"
)

// Premoves keeps the moves that players leave with the server, and makes each as soon as its seat is on turn. They stand in no stream and hold cards: nobody but
// their player is ever shown one. Any number of servers may play them at once: a premove goes in the transaction of the move that it makes, so it makes one at most.
// PlayAll is not to be called twice at once on the same Premoves.
type Premoves struct {
	Lists   *Lists
	Games   *Games
	Outages func(context.Context) ([]game.Outage, error) // that clocks may have to be given back first; none without it
	Now     func() time.Time                             // the wall clock by default
	AtOnce  int                                          // how many premoves are looked up at a time, 1000 by default

	seen    map[string]int          // by premove, at which version of its game there was nothing to do
	resting map[uuid.UUID]time.Time // games in which a premove failed, and until when they are let be
}

// premoveText is what is stored of a move.
type premoveText struct {
	Tricks *int     `json:"tricks,omitempty"`
	Suit   string   `json:"suit,omitempty"`
	Cards  []string `json:"cards,omitempty"`
}

func writePremove(p game.Premove) string {
	var t premoveText
	switch {
	case p.Cards != nil:
		for _, c := range p.Cards {
			t.Cards = append(t.Cards, c.String())
		}
	case p.Bid != game.NoBid:
		t.Tricks = &p.Bid
	default:
		t.Suit = p.Suit.String()
	}
	out, err := json.Marshal(t)
	if err != nil {
		panic(err) // numbers and strings alone
	}
	return string(out)
}

func readPremove(text string, p *game.Premove) (err error) {
	var t premoveText
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return errors.New("a premove can't be read") // and says nothing of what it holds
	}
	p.Bid = game.NoBid
	switch {
	case t.Tricks != nil:
		p.Bid = *t.Tricks
	case t.Suit != "":
		p.Suit, err = card.ParseSuit(t.Suit)
	}
	for _, code := range t.Cards {
		c, bad := card.Parse(code)
		if bad != nil {
			return bad
		}
		p.Cards = append(p.Cards, c)
	}
	return err
}

// Set stores a prepared premove in the place of the seat's last one.
func (m *Premoves) Set(ctx context.Context, id uuid.UUID, p game.Premove) error {
	_, err := m.Lists.writer.ExecContext(ctx, `INSERT INTO premoves (game_id, seat, id, round, trick, move, spent) VALUES ($1, $2, $3, $4, $5, $6, 0)
 ON CONFLICT (game_id, seat) DO UPDATE SET id = excluded.id, round = excluded.round, trick = excluded.trick, move = excluded.move`,
		id.String(), int64(p.Seat), uuid.NewString(), int64(p.Round), int64(p.Trick), writePremove(p))
	if err != nil {
		return fmt.Errorf("set a premove in game %s: %w", id, err)
	}
	return nil
}

// Drop removes a seat's premove, if there is one. When it has returned, the premove is not played any more.
func (m *Premoves) Drop(ctx context.Context, id uuid.UUID, seat game.Seat) error {
	if _, err := m.Lists.writer.ExecContext(ctx, `DELETE FROM premoves WHERE game_id = $1 AND seat = $2`, id.String(), int64(seat)); err != nil {
		return fmt.Errorf("drop a premove in game %s: %w", id, err)
	}
	return nil
}

// Of returns what waits of a seat in a game as it stands, false if nothing does.
func (m *Premoves) Of(ctx context.Context, g *Game, seat game.Seat) (game.Premove, bool, error) {
	found, err := m.find(ctx, `p.game_id = $1 AND p.seat = $2`, g.State.ID, int64(seat))
	if err != nil || len(found) == 0 {
		return game.Premove{}, false, err
	}
	c, waits := g.State.Premoved(found[0].move)
	return found[0].move, c != nil || waits, nil
}

// stored is a premove in the database.
type stored struct {
	game    uuid.UUID
	id      string
	version int // of the game
	move    game.Premove
}

func (m *Premoves) find(ctx context.Context, where string, args ...any) (out []stored, err error) {
	rows, err := m.Lists.reader.QueryContext(ctx, `SELECT p.game_id, p.id, g.version, p.seat, p.round, p.trick, p.move FROM premoves p JOIN games g ON g.game_id = p.game_id WHERE `+where, args...) //nolint:gosec // conditions from the code
	if err != nil {
		return nil, fmt.Errorf("look up premoves: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		s, err := scanPremove(rows)
		if err != nil {
			return nil, fmt.Errorf("look up premoves: %w", err)
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

func scanPremove(rows *sql.Rows) (s stored, err error) {
	var text string
	if err := rows.Scan(&s.game, &s.id, &s.version, &s.move.Seat, &s.move.Round, &s.move.Trick, &text); err != nil {
		return s, err
	}
	return s, readPremove(text, &s.move)
}

// withoutPremoves are the statements that remove what can't be played any more: at a round's end all of the game's, of a seat that a bot gets that seat's. The
// one that made a move of these events goes by itself, and last.
func withoutPremoves(id string, events []game.Event) (out []eventstore.Statement) {
	for _, e := range events {
		switch e := e.(type) { //nolint:gochecksumtype // what ends premoves
		case game.RoundScored, game.GameCancelled:
			out = append(out, eventstore.Statement{
				SQL: `DELETE FROM premoves WHERE game_id = $1 AND seat <> $2`, Args: []any{id, int64(premoved(events))},
			})
		case game.PlayerResigned:
			out = append(out, dropPremove(id, e.Seat))
		case game.SeatTakenOver:
			out = append(out, dropPremove(id, e.Seat))
		}
	}
	return out
}

func dropPremove(id string, seat game.Seat) eventstore.Statement {
	return eventstore.Statement{SQL: `DELETE FROM premoves WHERE game_id = $1 AND seat = $2`, Args: []any{id, int64(seat)}}
}

// premoved returns the seat whose premove is among the events, NoSeat if there is none.
func premoved(events []game.Event) game.Seat {
	for _, e := range events {
		switch e := e.(type) { //nolint:gochecksumtype // the moves
		case game.TrumpSet:
			if e.Auto == game.AutoPremove {
				return e.Seat
			}
		case game.BidPlaced:
			if e.Auto == game.AutoPremove {
				return e.Seat
			}
		case game.CardPlayed:
			if e.Auto == game.AutoPremove {
				return e.Seat
			}
		}
	}
	return game.NoSeat
}

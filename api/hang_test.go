package api

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/apitest"
	"mago/domain/card"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// unsteady is a store that does something else before it reads or appends, and may fail at it. Its fields are set while nobody asks it.
type unsteady struct {
	eventstore.Store
	reading   func(after int) error
	appending func() error
}

func (s *unsteady) Read(ctx context.Context, stream uuid.UUID, after, limit int) ([]eventstore.Record, error) {
	if s.reading != nil {
		if err := s.reading(after); err != nil {
			return nil, err
		}
	}
	return s.Store.Read(ctx, stream, after, limit)
}

func (s *unsteady) Append(ctx context.Context, b eventstore.Batch) error {
	if s.appending != nil {
		if err := s.appending(); err != nil {
			return err
		}
	}
	return s.Store.Append(ctx, b)
}

// A database that hangs while a move waits for its game is an outage like another: nobody is charged with it, neither who moves nor who has left a move.
func TestAMoveIsNotChargedWithAHang(t *testing.T) {
	t.Parallel()
	for _, premove := range []bool{false, true} {
		t.Run(fmt.Sprintf("premove %t", premove), func(t *testing.T) {
			t.Parallel()
			h, store := newCalendar(), new(unsteady)
			var outages []game.Outage
			r := startOn(t, testdb.New(t), func(c *Config) {
				store.Store = c.Store
				c.Games = projections.NewGames(store, eventstore.Options{Now: h.Now, Appended: c.Bell.Ring, CacheSize: 1})
				c.Now = h.Now
				c.Outages = func(context.Context) ([]game.Outage, error) { return outages, nil }
				c.Premoves = &projections.Premoves{Lists: c.Lists, Games: c.Games, Outages: c.Outages}
			})
			u := registerAll(t, r, 3)
			k := game.Clock{Kind: game.Bank, Initial: 600, Increment: 60, Max: 7200, MaxTimeouts: 3}
			table := r.stagedGame(t, game.Rules{Players: 3}, k, u...)
			seat := table.View(t, 0).Turn.Seats[0]
			own := table.View(t, seat)
			if premove {
				p := game.Premove{Seat: game.Seat(seat), Round: 1, Bid: 0}
				if own.Turn.Action == "choose_trump" { // a wizard was turned
					p.Bid, p.Suit = game.NoBid, card.Dwarves
				}
				if err := r.Premoves.Set(t.Context(), uuid.MustParse(table.ID), p); err != nil {
					t.Fatal(err)
				}
			}
			r.stagedGame(t, game.Rules{Players: 3}, k, u...) // takes the other's place in memory
			from := h.Now().UnixMilli()
			store.reading = func(int) error {
				store.reading = nil
				h.forward(2 * time.Hour)
				outages = []game.Outage{{From: from, To: h.Now().UnixMilli()}}
				return nil
			}
			if premove {
				playAll(t, r, 1)
			} else {
				u[seat].Must(t, http.StatusOK, "POST", table.Path(own.Moves()[0].Path), own.Moves()[0].Body, nil)
			}
			if e := u[0].Events(t, table.ID)[own.Version]; e.Type != "clock_extended" {
				t.Errorf("before the move stands %s", e.Type)
			}
			if bank := r.state(t, table).Banks[seat]; bank != 660_000 {
				t.Errorf("the bank is %d", bank)
			}
		})
	}
}

// A premove that is stored is answered so, whether it can be played at once or not: the server does it later.
func TestAPremoveThatIsStoredIsNotRefused(t *testing.T) {
	t.Parallel()
	store := new(unsteady)
	r := start(t, func(c *Config) {
		store.Store = c.Store
		c.Premoves = &projections.Premoves{Lists: c.Lists, Games: projections.NewGames(store, eventstore.Options{Appended: c.Bell.Ring})}
	})
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3, Bidding: "hidden"})
	for table.View(t, 0).Turn.Action == "choose_trump" {
		moveFirst(t, table, game.Seat(r.onTurn(t, table)))
	}
	store.appending = func() error { return fmt.Errorf("the disk is full: %w", eventstore.ErrUnavailable) }
	var st premoveState
	table.Players[0].Must(t, http.StatusOK, "PUT", table.Path("/premove"), map[string]any{"tricks": 1}, &st)
	if v := table.View(t, 0).Version; st.Version != v || st.Premove == nil || *st.Premove.Tricks != 1 {
		t.Errorf("%+v", st)
	}
	store.appending = nil
	playAll(t, r, 1)
}

// A premove that fails is tried again, but not whenever the bell rings; the others are played, however few are looked up at a time.
func TestAPremoveThatFailsRests(t *testing.T) {
	t.Parallel()
	h, store, tries := newCalendar(), new(unsteady), 0
	r := start(t, func(c *Config) {
		store.Store = c.Store
		c.Premoves = &projections.Premoves{Lists: c.Lists, Games: projections.NewGames(store, eventstore.Options{}), Now: h.Now, AtOnce: 1}
	})
	var tables []*apitest.Table
	for range 3 {
		table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
		for table.View(t, 0).Turn.Action == "choose_trump" {
			moveFirst(t, table, game.Seat(r.onTurn(t, table)))
		}
		p := game.Premove{Seat: game.Seat(r.onTurn(t, table)), Round: 1, Bid: 0}
		if err := r.Premoves.Set(t.Context(), uuid.MustParse(table.ID), p); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	store.appending = func() error {
		if tries++; tries == 1 {
			return fmt.Errorf("the disk is full: %w", eventstore.ErrUnavailable)
		}
		return nil
	}
	if n, err := r.Premoves.PlayAll(t.Context()); n != 2 || err == nil {
		t.Errorf("%d were played: %v", n, err)
	}
	playAll(t, r, 0)
	if tries != 3 {
		t.Errorf("%d tries", tries)
	}
	h.forward(projections.Poll)
	playAll(t, r, 1)
	for _, table := range tables {
		if n := r.rows(t, table); n != 0 {
			t.Errorf("%d premoves are left", n)
		}
	}
}

// Who has what a past version looks like is told so without the whole stream being read.
func TestAnUnchangedPastIsNotRead(t *testing.T) {
	t.Parallel()
	store := new(unsteady)
	r := start(t, func(c *Config) {
		store.Store = c.Store
		c.Games = projections.NewGames(store, eventstore.Options{Appended: c.Bell.Ring})
	})
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	store.reading = func(after int) error {
		if after == 0 {
			return fmt.Errorf("read from the beginning: %w", eventstore.ErrUnavailable)
		}
		return nil
	}
	c := table.Players[0]
	if a := c.Must(t, http.StatusNotModified, "GET", table.Path("?as_of=2"), nil, nil, header("If-None-Match", `"2"`)); a.Header.Get("ETag") != `"2"` {
		t.Errorf("%v", a.Header)
	}
	if a := c.Refused(t, http.StatusServiceUnavailable, "unavailable", "GET", table.Path("?as_of=2"), nil, header("If-None-Match", `"3"`)); a.Header.Get("ETag") != "" {
		t.Errorf("%v", a.Header)
	}
	c.Refused(t, http.StatusUnprocessableEntity, "invalid", "GET", table.Path("?as_of=9999"), nil, header("If-None-Match", `"9999"`))
}

package main

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/api/auth"
	"mago/domain/game"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

// A user who sat down while they were erased, so that nobody took them out, is taken out all the same.
func TestErasedUsersKeepNoSeat(t *testing.T) {
	t.Parallel()
	store := testdb.Open(t, testdb.New(t))
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	accounts, err := auth.New(t.Context(), auth.Config{
		Reader: store.Reader(), Writer: store.Writer(), Hash: auth.HashParams{Memory: 8, Passes: 1, Threads: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	const password = "a horse of four colours"
	tokens, err := accounts.Register(t.Context(), "uxia", password, "")
	if err != nil {
		t.Fatal(err)
	}
	who, err := accounts.Authenticate(t.Context(), tokens.Access)
	if err != nil {
		t.Fatal(err)
	}
	games, lists := projections.NewGames(store, eventstore.Options{}), projections.NewLists(store.Reader(), store.Writer())
	id := uuid.Must(uuid.NewV7())
	_, err = games.Do(t.Context(), id, func(g projections.Game) (projections.Decision, error) {
		events, err := game.Decide(g.State, game.CreateGame{ID: id.String(), Host: who.UserID, Rules: game.Rules{Players: 3}})
		return projections.Decision{Events: events}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := accounts.Delete(t.Context(), who, password); err != nil {
		t.Fatal(err)
	}
	j := jobs{log: slog.New(slog.DiscardHandler), accounts: accounts, lists: lists, games: games, time: new(projections.Time)}
	for range 2 {
		if n, err := j.leaveErased(t.Context()); n != 1 || err != nil {
			t.Errorf("%d users: %v", n, err)
		}
	}
	if g, err := games.Load(t.Context(), id); err != nil || g.State.Status != game.Cancelled {
		t.Errorf("the lobby of an erased user is %v: %v", g.State.Status, err)
	}
}

// What waits for a database that says nothing does not keep the server from ending.
func TestTheEndIsNotWaitedForTooLong(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	late, forever := make(chan struct{}), make(chan struct{})
	close(late)
	if err := end(log, late, func() error { <-forever; return nil }); err != nil {
		t.Error(err)
	}
	close(forever)
	failure := errors.New("the disk is on fire")
	if err := end(log, make(chan struct{}), func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("what went wrong at the end: %v", err)
	}
	if lastMoment >= 10*time.Second {
		t.Errorf("the end may take %v", lastMoment)
	}
}

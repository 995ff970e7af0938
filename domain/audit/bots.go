// Package audit checks finished games by their streams alone.
package audit

import (
	"errors"
	"fmt"

	"mago/domain/bot"
	"mago/domain/card"
	"mago/domain/game"
	"mago/domain/shuffle"
)

// Verdict is what came out when a move was chosen again.
type Verdict uint8

// The verdicts.
const (
	Same    Verdict = iota // the bot chooses the same move again
	Differs                // it chooses another
	Unknown                // another engine chose, which is not at hand
)

// Move is a move that the server chose for a seat.
type Move struct {
	Version int // of its event
	Seat    game.Seat
	Level   game.Level
	Engine  string
	Made    bot.Choice
	Again   bot.Choice
	Verdict Verdict
}

// Bots chooses all moves again that the server chose in a game, from its unredacted events in order, the first of which must name the game. It fails if the stream does
// not reveal the bot key that it committed to: before the end of a game nobody can check its bots.
func Bots(events []game.Event) ([]Move, error) {
	key, err := botKey(events)
	if err != nil {
		return nil, err
	}
	var out []Move
	var s game.State
	for _, e := range events {
		if made, ok := choiceIn(e); ok && s.Status == game.Playing {
			m := again(&s, made, key)
			out = append(out, m)
		}
		s = game.Evolve(s, e, 0)
	}
	return out, nil
}

func botKey(events []game.Event) (key shuffle.Seed, err error) {
	if len(events) == 0 {
		return key, errors.New("the stream is empty")
	}
	created, ok := events[0].(game.GameCreated)
	if !ok {
		return key, fmt.Errorf("the stream begins with %s", game.TypeOf(events[0]))
	}
	last := events[len(events)-1]
	if end, ok := last.(game.GameFinished); ok {
		key = end.BotKey
	} else if end, ok := last.(game.GameCancelled); ok {
		key = end.BotKey
	} else {
		return key, errors.New("the game is not over: its bot key is not revealed")
	}
	if shuffle.CommitBot(key) != created.BotCommitment {
		return key, errors.New("the bot key is not the one that was committed to")
	}
	return key, nil
}

// choiceIn returns the choice in an event if the server made it: for a bot, or for a player whose time was up.
func choiceIn(e game.Event) (bot.Choice, bool) {
	if e, ok := e.(game.TrumpSet); ok {
		return bot.Choice{Seat: e.Seat, Phase: game.ChooseTrump, Suit: e.Suit}, chosen(e.Auto)
	}
	if e, ok := e.(game.BidPlaced); ok {
		return bot.Choice{Seat: e.Seat, Phase: game.PlaceBids, Bid: e.Tricks}, chosen(e.Auto)
	}
	if e, ok := e.(game.CardPlayed); ok {
		return bot.Choice{Seat: e.Seat, Phase: game.PlayTricks, Card: e.Card}, chosen(e.Auto)
	}
	return bot.Choice{}, false
}

func chosen(a game.Auto) bool { return a == game.AutoBot || a == game.AutoTimeout }

// again chooses a move again in the state before it.
func again(s *game.State, made bot.Choice, key shuffle.Seed) Move {
	m := Move{Version: s.Version + 1, Seat: made.Seat, Engine: s.Engine, Made: made, Level: s.BotAt(made.Seat)}
	switch s.Engine {
	case bot.Engine:
	case bot.HurriedEngine:
		m.Level = game.EasyBot
	default:
		m.Verdict = Unknown
		return m
	}
	v := s.View(made.Seat)
	c, ok := bot.Decide(m.Level, v, bot.SeedFor(key, &v), bot.Samples(m.Level))
	if c.Card == card.Hidden && made.Phase == game.PlayTricks {
		c.Card = s.Round.Hands[made.Seat].First() // the only card of a blind round
	}
	c.Meant = made.Meant
	if m.Again = c; !ok || c != made {
		m.Verdict = Differs
	}
	return m
}

package audit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mago/domain/audit"
	"mago/domain/bot"
	"mago/domain/game"
	"mago/domain/shuffle"
)

// played is a game of two bots and others who play at random, as its events.
func played(t *testing.T, r game.Rules, seed uint64) (events []game.Event) {
	t.Helper()
	var s game.State
	do := func(c game.Command) {
		t.Helper()
		decided, err := game.Decide(s, c)
		if err != nil {
			t.Fatalf("%#v: %v", c, err)
		}
		for _, e := range decided {
			events = append(events, e)
			s = game.Evolve(s, e, 1)
		}
	}
	secrets := game.Secrets{BotKey: shuffle.Seed{1, byte(seed)}}
	for i := range secrets.Seeds {
		secrets.Seeds[i] = shuffle.Seed{2, byte(seed), byte(i)}
	}
	do(game.CreateGame{ID: "0190b2a4-0000-7000-8000-000000000001", Host: "0", Rules: r, AutoStart: true, Secrets: secrets})
	do(game.SeatBot{Seat: 1, Level: game.StandardBot, Engine: bot.Engine})
	do(game.SeatBot{Seat: 2, Level: game.EasyBot, Engine: bot.Engine})
	for i := 3; i < r.Players; i++ {
		do(game.JoinGame{User: fmt.Sprint(i), Seat: game.NoSeat})
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for s.Status == game.Playing {
		seats := s.Turn().All()
		seat := seats[rng.IntN(len(seats))]
		v := s.View(seat)
		level, engine := s.BotAt(seat), bot.Engine
		if s.BotAt(seat) == game.StandardBot && rng.IntN(8) == 0 {
			level, engine = game.EasyBot, bot.HurriedEngine
		}
		c, _ := bot.Decide(level, v, bot.SeedFor(s.Secrets.BotKey, &v), bot.Samples(level))
		if s.BotAt(seat) != game.NoBot {
			do(game.BotMove{Move: c.Command(), Engine: engine})
			continue
		}
		switch can := v.You.Can; {
		case len(can.Trump) > 0:
			do(game.NameTrump{Seat: seat, Suit: can.Trump[rng.IntN(4)]})
		case len(can.Bid) > 0:
			do(game.PlaceBid{Seat: seat, Tricks: can.Bid[rng.IntN(len(can.Bid))]})
		default:
			do(game.PlayCard{Seat: seat, Card: can.Play[rng.IntN(len(can.Play))]})
		}
	}
	return events
}

// A finished game's bot moves are chosen again from its stream, in all ways of bidding, with bids of others in between: all are the same. A move that was
// changed, and a key that was not committed to, come out.
func TestBotsAreCheckedByTheStream(t *testing.T) {
	t.Parallel()
	for i, bidding := range []game.Bidding{game.OpenBidding, game.PlusMinusOne, game.HiddenBidding, game.SecretBidding} {
		t.Run(bidding.String(), func(t *testing.T) {
			t.Parallel()
			events := played(t, game.Rules{Players: 4, Bidding: bidding, Length: game.Five, Foresight: true}, uint64(i))
			moves, err := audit.Bots(events)
			if err != nil {
				t.Fatal(err)
			}
			if len(moves) < 30 { // of some 40, but for moves that are forced
				t.Errorf("%d moves of bots", len(moves))
			}
			for _, m := range moves {
				if m.Verdict != audit.Same {
					t.Errorf("%+v", m)
				}
			}
			if _, err := audit.Bots(events[:len(events)-1]); err == nil {
				t.Error("a game that is not over was checked")
			}
			forged := slices.Clone(events)
			end := forged[len(forged)-1].(game.GameFinished)
			end.BotKey[5]++
			forged[len(forged)-1] = end
			if _, err := audit.Bots(forged); err == nil {
				t.Error("another key was taken")
			}
		})
	}
}

func TestAMoveThatNoBotMadeIsFound(t *testing.T) {
	t.Parallel()
	events := played(t, game.Rules{Players: 3, Length: game.Five}, 9)
	for i, e := range events {
		bid, ok := e.(game.BidPlaced)
		if !ok || bid.Auto != game.AutoBot || bid.Round < 5 {
			continue
		}
		bid.Tricks = (bid.Tricks + 1) % 6
		events[i] = bid
		moves, err := audit.Bots(events)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moves {
			if m.Version == i+1 {
				if m.Verdict != audit.Differs || m.Made.Bid != bid.Tricks {
					t.Errorf("%+v", m)
				}
				return
			}
		}
	}
	t.Error("no bid of a bot in the last round")
}

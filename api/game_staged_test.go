package api

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"mago/domain/card"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// history is a game that a test plays without a server, to stage it in a database afterwards.
type history struct {
	events []game.Event
	state  game.State
}

// play decides a command, which must be accepted.
func (h *history) play(tb testing.TB, c game.Command) {
	tb.Helper()
	events, err := game.Decide(h.state, c)
	if err != nil {
		tb.Fatalf("%#v: %v", c, err)
	}
	for _, e := range events {
		h.add(e)
	}
}

func (h *history) add(e game.Event) {
	h.events = append(h.events, e)
	h.state = game.Evolve(h.state, e, stagedAt.UnixMilli())
}

// stagedAt is when everything in a staged game happens.
var stagedAt = time.UnixMilli(1_790_000_000_000)

// newHistory starts a game of users.
func newHistory(tb testing.TB, rules game.Rules, users []string, rng *rand.Rand) *history {
	tb.Helper()
	h := new(history)
	h.play(tb, game.CreateGame{ID: uuid.NewString(), Host: users[0], Rules: rules, AutoStart: true, Secrets: drawSecrets(game.Secrets{}, 0, rng)})
	for _, u := range users[1:rules.Players] {
		h.play(tb, game.JoinGame{User: u, Seat: game.NoSeat, ClientSeed: "seed"})
	}
	return h
}

// drawSecrets draws the seeds of all rounds behind the scored ones, and the bot key.
func drawSecrets(s game.Secrets, scored int, rng *rand.Rand) game.Secrets {
	draw := func(b []byte) {
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
	}
	for i := scored; i < len(s.Seeds); i++ {
		draw(s.Seeds[i][:])
	}
	draw(s.BotKey[:])
	return s
}

// moves lists what a seat may do now.
func (h *history) moves(seat game.Seat) (out []game.Command) {
	s := &h.state
	legal := s.Round.Legal(seat)
	if legal.Trump {
		for _, suit := range card.Suits {
			out = append(out, game.NameTrump{Seat: seat, Suit: suit})
		}
	}
	for _, b := range legal.Bids.All() {
		out = append(out, game.PlaceBid{Seat: seat, Tricks: b})
	}
	for _, c := range legal.Plays.Cards() {
		if s.Rules.Blind(int(s.Round.Number)) {
			c = card.Hidden
		}
		out = append(out, game.PlayCard{Seat: seat, Card: c})
	}
	return out
}

// step makes a move at random; false when the game is over.
func (h *history) step(tb testing.TB, rng *rand.Rand) bool {
	tb.Helper()
	turn := h.state.Turn().All()
	if len(turn) == 0 {
		return false
	}
	moves := h.moves(turn[rng.IntN(len(turn))])
	h.play(tb, moves[rng.IntN(len(moves))])
	return true
}

// stage stores the history as a game of its own and returns its id. Its salts are the same each time.
func (h *history) stage(tb testing.TB, store eventstore.Store) string {
	tb.Helper()
	id := uuid.Must(uuid.NewV7())
	games := projections.NewGames(store, eventstore.Options{Now: func() time.Time { return stagedAt }, Rand: rand.NewChaCha8([32]byte{1})})
	_, err := games.Do(tb.Context(), id, func(projections.Game) (projections.Decision, error) {
		events := append([]game.Event{}, h.events...)
		created, _ := events[0].(game.GameCreated)
		created.ID = id.String()
		events[0] = created
		return projections.Decision{
			Events: events, With: []projections.Statement{projections.InsertSettings(created.ID, projections.Settings{})},
		}, nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return id.String()
}

// dealt returns where the deal of the round in play is among the events, -1 if no round is in play.
func (h *history) dealt() int {
	for i := len(h.events) - 1; i >= 0 && h.state.Status == game.Playing; i-- {
		if _, ok := h.events[i].(game.Dealt); ok {
			return i
		}
	}
	return -1
}

// retold is the history as it may have been for all that a viewer knows: other secrets, other cards and bids where they see none.
func (h *history) retold(tb testing.TB, viewer game.Seat, rng *rand.Rand) *history {
	tb.Helper()
	out := &history{}
	created, _ := h.events[0].(game.GameCreated)
	created.Secrets = drawSecrets(created.Secrets, h.state.Scored, rng)
	out.add(created)
	at := h.dealt()
	for _, e := range h.events[1:at] {
		out.add(e)
	}
	deal, _ := h.events[at].(game.Dealt)
	rest := make([]game.Event, 0, len(h.events)-at)
	for _, e := range h.events[at+1:] {
		bid, ok := e.(game.BidPlaced)
		if ok && h.state.Rules.Bidding.Simultaneous() && !h.state.Round.Revealed && bid.Seat != viewer {
			bid.Tricks = rng.IntN(deal.CardsEach + 1)
			e = bid
		}
		rest = append(rest, e)
	}
	before := out.state
	hidden := h.hidden(viewer)
	for range 2 * len(hidden) { // swaps, those kept after which everything played is still legal
		swapped := swap(deal, hidden[rng.IntN(len(hidden))], hidden[rng.IntN(len(hidden))])
		if legal(before, swapped, rest) {
			deal = swapped
		}
	}
	out.add(deal)
	for _, e := range rest {
		out.add(e)
	}
	return out
}

// hidden lists the cards of the round in play that a viewer has not seen: in the hands they may not look into, and undealt. The rule is said
// here once more, apart from the code that is tested.
func (h *history) hidden(viewer game.Seat) []card.Card {
	r := &h.state.Round
	deal, _ := h.events[h.dealt()].(game.Dealt)
	blind := h.state.Rules.Foresight && r.Number == 1 && r.CardsEach == 1
	deck := card.Deck()
	unseen := card.SetOf(deck[:]...).Without(deal.Turned)
	for seat, hand := range deal.Hands {
		mine := game.Seat(seat) == viewer
		played := hand.Cards &^ r.Hands[seat]
		unseen &^= played
		if viewer != game.Spectator && mine != blind {
			unseen &^= hand.Cards
		}
	}
	return unseen.Cards()
}

// swap exchanges two cards wherever they are.
func swap(deal game.Dealt, a, b card.Card) game.Dealt {
	hands := append([]game.Hand{}, deal.Hands...)
	for i := range hands {
		hasA, hasB := hands[i].Cards.Has(a), hands[i].Cards.Has(b)
		if hasA != hasB {
			hands[i].Cards ^= card.SetOf(a, b)
		}
	}
	deal.Hands = hands
	return deal
}

// legal tells whether every card played after a deal was allowed.
func legal(s game.State, deal game.Dealt, events []game.Event) bool {
	s = game.Evolve(s, deal, 0)
	for _, e := range events {
		if play, ok := e.(game.CardPlayed); ok && !s.Round.Legal(play.Seat).Plays.Has(play.Card) {
			return false
		}
		s = game.Evolve(s, e, 0)
	}
	return true
}

// masked is an answer without what may differ between two games that a viewer can't tell apart: the game's id and the hashes.
func masked(body []byte, id string) string {
	body = bytes.ReplaceAll(body, []byte(id), []byte("ID"))
	return hashes.ReplaceAllString(string(body), `"$1":"HASH"`)
}

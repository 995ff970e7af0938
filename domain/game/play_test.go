package game

import (
	"math/rand/v2"
	"testing"

	"mago/domain/card"
)

const testID = "0190b2a4-0000-7000-8000-000000000001"

// recorded is an event as it would be stored.
type recorded struct {
	name         string
	data, secret []byte
	at           int64
}

// table is a game that is played by hand in a test, together with its stream.
type table struct {
	tb     testing.TB
	state  State
	stream []recorded
	now    int64
}

// secrets returns seeds that differ by n and round, the same each time.
func secrets(n uint64) (out Secrets) {
	rng := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	for i := range out.Seeds {
		_, _ = rng.Read(out.Seeds[i][:])
	}
	_, _ = rng.Read(out.BotKey[:])
	return out
}

func user(i int) string { return "0190b2a4-0000-7000-8000-0000000000" + string(rune('a'+i)) + "0" }

// newLobby opens a game without filling it.
func newLobby(tb testing.TB, r Rules, s Secrets, autoStart bool) *table {
	tb.Helper()
	t := &table{tb: tb, now: 1_790_000_000_000}
	t.must(CreateGame{ID: testID, Host: user(0), Rules: r, AutoStart: autoStart, Secrets: s})
	return t
}

// newTable opens a game, fills it and so starts it.
func newTable(tb testing.TB, r Rules, s Secrets) *table {
	tb.Helper()
	t := newLobby(tb, r, s, true)
	for i := 1; i < r.Players; i++ {
		t.must(JoinGame{User: user(i), Seat: NoSeat, ClientSeed: "seed-" + user(i)[34:]})
	}
	return t
}

// do decides a command and applies its events one by one through their stored bytes.
func (t *table) do(c Command) ([]Event, error) {
	t.tb.Helper()
	events, err := Decide(t.state, c)
	if err != nil {
		return nil, err
	}
	t.now += 1000
	for _, e := range events {
		t.record(e)
	}
	return events, nil
}

func (t *table) record(e Event) {
	t.tb.Helper()
	data, secret := Encode(e)
	t.stream = append(t.stream, recorded{TypeOf(e), data, secret, t.now})
	got, err := Decode(TypeOf(e), data, secret)
	if err != nil {
		t.tb.Fatalf("decode %s: %v", data, err)
	}
	if created, ok := got.(GameCreated); ok {
		created.ID = testID
		got = created
	}
	t.state = Evolve(t.state, got, t.now)
}

func (t *table) must(c Command) []Event {
	t.tb.Helper()
	events, err := t.do(c)
	if err != nil {
		t.tb.Fatalf("%#v: %v", c, err)
	}
	return events
}

// moves lists every move that is legal now as commands.
func (t *table) moves() (out []Command) {
	s := &t.state
	for _, seat := range s.Turn().All() {
		legal := s.Round.Legal(seat)
		if legal.Trump {
			for _, suit := range card.Suits {
				out = append(out, NameTrump{Seat: seat, Suit: suit})
			}
		}
		for _, b := range legal.Bids.All() {
			out = append(out, PlaceBid{Seat: seat, Tricks: b})
		}
		if s.Rules.Blind(int(s.Round.Number)) && legal.Plays != 0 {
			out = append(out, PlayCard{Seat: seat, Card: card.Hidden})
			continue
		}
		for _, c := range legal.Plays.Cards() {
			out = append(out, PlayCard{Seat: seat, Card: c})
		}
	}
	return out
}

// step makes a legal move at random; false when the game is over.
func (t *table) step(rng *rand.Rand) bool {
	t.tb.Helper()
	if t.state.Status != Playing {
		return false
	}
	moves := t.moves()
	if len(moves) == 0 {
		t.tb.Fatalf("nobody can move: %+v", t.state.Round)
	}
	t.must(moves[rng.IntN(len(moves))])
	return true
}

func allRules() (out []Rules) {
	for players := MinPlayers; players <= MaxPlayers; players++ {
		for b := range biddings {
			for l := range lengths {
				for _, foresight := range []bool{false, true} {
					out = append(out, Rules{Players: players, Bidding: Bidding(b), Length: Length(l), Foresight: foresight})
				}
			}
		}
	}
	return out
}

// wholeGame is a game played to its end by legal moves at random.
func wholeGame(tb testing.TB, r Rules, seed uint64) *table {
	tb.Helper()
	g := newTable(tb, r, secrets(seed))
	rng := rand.New(rand.NewPCG(1, seed))
	for g.step(rng) {
	}
	return g
}

// decoded reads a stream back.
func decoded(tb testing.TB, stream []recorded) (out []Event) {
	tb.Helper()
	for _, rec := range stream {
		e, err := Decode(rec.name, rec.data, rec.secret)
		if err != nil {
			tb.Fatalf("decode %s: %v", rec.data, err)
		}
		if created, ok := e.(GameCreated); ok {
			created.ID = testID
			e = created
		}
		out = append(out, e)
	}
	return out
}

package game

import (
	"errors"
	"fmt"

	"mago/domain/shuffle"
)

// ErrUnknownEvent is wrapped by Decode for a type that this version doesn't know: the game can't be played on by it.
var ErrUnknownEvent = errors.New("unknown event type")

// Encode returns an event's data as canonical JSON (RFC 8785), and what is to be stored apart from it, nil for most.
func Encode(e Event) (data, secret []byte) {
	c := codec{}
	c.begin()
	kinds[e.name()].encode(e, &c)
	c.end()
	if created, ok := e.(GameCreated); ok {
		secret = created.Secrets.bytes(created.Rules.Rounds())
	}
	return c.out, secret
}

// Decode is the inverse of Encode. Members that this version doesn't know are passed over; missing ones are zero. It takes
// canonical JSON only, and data that is no such thing, or that no game could have stored, is an error.
func Decode(name string, data, secret []byte) (Event, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownEvent, name)
	}
	c := codec{in: parser{data: data}, decoding: true}
	c.begin()
	e := k.decode(&c)
	c.end()
	c.in.endData()
	if c.in.err != nil {
		return nil, fmt.Errorf("decode %s: %w", name, c.in.err)
	}
	created, ok := e.(GameCreated)
	if !ok {
		return e, nil
	}
	if err := created.check(); err != nil {
		return nil, fmt.Errorf("decode %s: %w", name, err)
	}
	if secret != nil { // an exported stream has none
		if err := created.Secrets.read(secret, created.Rules.Rounds()); err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
	}
	return created, nil
}

// Types returns the stored names of all event types.
func Types() []string {
	out := make([]string, 0, len(kinds))
	for name := range kinds {
		out = append(out, name)
	}
	return out
}

// kind is how one type of event is written and read.
type kind struct {
	encode func(Event, *codec)
	decode func(*codec) Event
}

// fields is an event by pointer: one list of its members, in the order of their names, for writing and for reading.
type fields[E Event] interface {
	*E
	fields(c *codec)
}

func kindOf[E Event, P fields[E]]() (string, kind) {
	var zero E
	return zero.name(), kind{
		encode: func(e Event, c *codec) {
			v := e.(E) // never fails: the registry is keyed by the type's own name
			P(&v).fields(c)
		},
		decode: func(c *codec) Event {
			var v E
			P(&v).fields(c)
			return v
		},
	}
}

var kinds = func() map[string]kind {
	m := map[string]kind{}
	add := func(name string, k kind) { m[name] = k }
	add(kindOf[GameCreated]())
	add(kindOf[PlayerJoined]())
	add(kindOf[ClientSeedSet]())
	add(kindOf[InviteCodeRenewed]())
	add(kindOf[PlayerLeft]())
	add(kindOf[GameStarted]())
	add(kindOf[Dealt]())
	add(kindOf[TrumpSet]())
	add(kindOf[BidPlaced]())
	add(kindOf[BidsRevealed]())
	add(kindOf[CardPlayed]())
	add(kindOf[TrickWon]())
	add(kindOf[RoundScored]())
	add(kindOf[GameFinished]())
	add(kindOf[PlayerResigned]())
	add(kindOf[GameCancelled]())
	add(kindOf[BotSeated]())
	add(kindOf[EngineSet]())
	add(kindOf[TurnTimedOut]())
	add(kindOf[SeatTakenOver]())
	add(kindOf[SeatReclaimed]())
	add(kindOf[EndVoted]())
	add(kindOf[PauseVoted]())
	add(kindOf[ClockPaused]())
	add(kindOf[ClockResumed]())
	add(kindOf[ClockExtended]())
	return m
}()

func (e *GameCreated) check() error {
	if e.RulesVersion != RulesVersion {
		return fmt.Errorf("played by version %d of the rules, of which nothing is known here", e.RulesVersion)
	}
	if err := e.Rules.Valid(); err != nil {
		return err
	}
	if err := e.Clock.Valid(); err != nil {
		return err
	}
	if len(e.Commitments) != e.Rules.Rounds() {
		return fmt.Errorf("%d commitments for %d rounds", len(e.Commitments), e.Rules.Rounds())
	}
	return nil
}

// bytes returns the seeds of the rounds, then the bot key.
func (s *Secrets) bytes(rounds int) []byte {
	out := make([]byte, 0, 32*(rounds+1))
	for _, seed := range s.Seeds[:rounds] {
		out = append(out, seed[:]...)
	}
	return append(out, s.BotKey[:]...)
}

func (s *Secrets) read(b []byte, rounds int) error {
	if len(b) != 32*(rounds+1) {
		return fmt.Errorf("secrets of %d bytes for %d rounds", len(b), rounds)
	}
	for i := range rounds {
		s.Seeds[i] = shuffle.Seed(b[32*i:])
	}
	s.BotKey = shuffle.Seed(b[32*rounds:])
	return nil
}

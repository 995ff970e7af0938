package storetest

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mago/eventstore"
)

// testRandom compares the store with a model of it, step by step.
func testRandom(f *fixture) {
	t := f.t
	kept := 0
	var start eventstore.Cursor // behind what the checks before have written
	written := 0                // behind start
	rapid.Check(t, func(rt *rapid.T) {
		var err error
		if _, start, err = f.tail(t.Context(), start, written); err != nil {
			rt.Fatal(err)
		}
		written = 0
		streams := []*stream{newStream(), newStream(), newStream()}
		commands := map[uuid.UUID]int{}
		var all []eventstore.Record
		pick := rapid.SampledFrom(streams)
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				s := pick.Draw(rt, "stream")
				expected := s.tip.Version
				if rapid.IntRange(0, 3).Draw(rt, "wrong") == 0 {
					expected = rapid.IntRange(0, s.tip.Version+2).Draw(rt, "expected")
				}
				at := &stream{id: s.id, tip: s.tip}
				at.tip.Version = expected
				b := at.seal(t, rapid.SliceOfN(genEvent(), 1, 4).Draw(rt, "events")...)
				fails := rapid.IntRange(0, 4).Draw(rt, "fails") == 0
				b.With = []eventstore.Statement{keep(b.Command.String(), 1)}
				if fails {
					b.With = append(b.With, keep(b.Command.String(), 2))
				}
				err := f.Append(t.Context(), b)
				var conflict *eventstore.ConflictError
				switch wrong := expected != s.tip.Version; {
				case wrong != errors.As(err, &conflict):
					rt.Fatalf("expected %d at %d: %v", expected, s.tip.Version, err)
				case (wrong || fails) != (err != nil):
					rt.Fatalf("fails: %v, got %v", fails, err)
				case err == nil:
					s.stored(b)
					all = append(all, b.Records...)
					written += len(b.Records)
					commands[b.Command] = b.Records[0].Version
					kept++
				default:
					commands[b.Command] = 0
				}
			},
			"read": func(rt *rapid.T) {
				s := pick.Draw(rt, "stream")
				after := rapid.IntRange(0, len(s.records)).Draw(rt, "after")
				limit := rapid.IntRange(1, 5).Draw(rt, "limit")
				same(t, f.mustRead(t, s.id, after, limit), s.records[after:min(after+limit, len(s.records))])
			},
			"read all": func(rt *rapid.T) {
				got, next, err := f.tail(t.Context(), start, len(all))
				if err != nil || (len(all) > 0) != (next > start) {
					rt.Fatalf("cursor %q after %q: %v", next, start, err)
				}
				same(t, got, all)
			},
			"lookup": func(rt *rapid.T) {
				for command, version := range commands {
					found := 0
					for _, s := range streams {
						v, err := f.Lookup(t.Context(), s.id, command)
						if err != nil {
							rt.Fatal(err)
						}
						found += v
					}
					if found != version {
						rt.Fatalf("found at %d, want %d", found, version)
					}
					return // a map's first key is any of them
				}
			},
		})
		for _, s := range streams {
			f.chained(rt, s)
		}
	})
	f.keeps(t, kept)
}

// chained is like holds, but for batches sealed at a wrong version too, of which none may be in the stream.
func (f *fixture) chained(rt *rapid.T, s *stream) {
	got, err := f.Read(rt.Context(), s.id, 0, 0)
	if err != nil {
		rt.Fatal(err)
	}
	if _, err := eventstore.VerifyChain(s.id, eventstore.Tip{}, got); err != nil || len(got) != len(s.records) {
		rt.Fatalf("%d events, want %d: %v", len(got), len(s.records), err)
	}
}

func genEvent() *rapid.Generator[eventstore.Event] {
	return rapid.Custom(func(rt *rapid.T) eventstore.Event {
		return eventstore.Event{
			Type:   rapid.StringMatching(`[a-z_]{1,12}`).Draw(rt, "type"),
			Data:   fmt.Appendf(nil, `{"n":%d}`, rapid.Int().Draw(rt, "n")),
			Secret: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "secret"),
		}
	})
}

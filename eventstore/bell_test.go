package eventstore

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// heard reports whether there is word, and takes it.
func heard(rung <-chan struct{}) bool {
	select {
	case <-rung:
		return true
	default:
		return false
	}
}

func TestBell(t *testing.T) {
	t.Parallel()
	var b Bell
	one, other := uuid.New(), uuid.New()
	b.Ring(one, 1) // to nobody
	first, stopFirst := b.Listen(one)
	second, stopSecond := b.Listen(one)
	all, stopAll := b.ListenAll()
	hears := func(what string, wantFirst, wantSecond, wantAll bool) {
		t.Helper()
		if f, s, a := heard(first), heard(second), heard(all); f != wantFirst || s != wantSecond || a != wantAll {
			t.Errorf("%s: heard %v, %v, %v", what, f, s, a)
		}
	}
	hears("before any ring", false, false, false)
	b.Ring(one, 2)
	b.Ring(one, 3)
	hears("two rings are one word", true, true, true)
	hears("taken", false, false, false)
	b.Ring(one, 3)
	hears("the same version again", false, false, true)
	b.Ring(other, 7)
	hears("another stream", false, false, true)
	b.RingAll()
	hears("everybody", true, true, true)
	stopFirst()
	b.Ring(one, 4)
	hears("one has stopped", false, true, true)
	stopSecond()
	stopSecond() // does nothing
	stopAll()
	b.Ring(one, 5)
	b.RingAll()
	hears("all have stopped", false, false, false)
	if len(b.streams)+len(b.all) != 0 {
		t.Errorf("left behind: %v, %v", b.streams, b.all)
	}
	again, stop := b.Listen(one)
	defer stop()
	b.Ring(one, 1) // a store that was put back
	if !heard(again) {
		t.Error("a new listener doesn't hear")
	}
}

// TestBellMissesNothing: who listens, reads and waits in turn sees the last version.
func TestBellMissesNothing(t *testing.T) {
	t.Parallel()
	const versions = 2000
	var b Bell
	var mu sync.Mutex
	stored, stream := 0, uuid.New()
	var wg sync.WaitGroup
	for range 4 {
		rung, stop := b.Listen(stream)
		wg.Go(func() {
			defer stop()
			for {
				mu.Lock()
				seen := stored
				mu.Unlock()
				if seen == versions {
					return
				}
				<-rung
			}
		})
	}
	for version := 1; version <= versions; version++ {
		mu.Lock()
		stored = version
		mu.Unlock()
		b.Ring(stream, version)
	}
	wg.Wait()
}

// TestAppended: whoever waits is told of every append that is known to be stored, and of no other.
func TestAppended(t *testing.T) {
	t.Parallel()
	m := newMemory()
	var rung []int
	r := NewRunner(m, counters, Options{Appended: func(stream uuid.UUID, version int) {
		if stream != testStream {
			t.Errorf("rung for %s", stream)
		}
		rung = append(rung, version)
	}})
	mustDo(t, r, testStream, 1, 2)
	m.onAppend = once(func(m *memory, b Batch) error { return errors.Join(m.put(b), errLost) })
	mustDo(t, r, testStream, 3)
	m.onAppend = nil
	mustDo(t, NewRunner(m, counters, Options{}), testStream, 1) // another process, which rings for itself
	mustDo(t, r, testStream, 4)
	if _, err := r.Do(t.Context(), testStream, add(0, 1)); err == nil {
		t.Error("was not refused")
	}
	if !slices.Equal(rung, []int{2, 3, 5}) {
		t.Errorf("rung %v", rung)
	}
}

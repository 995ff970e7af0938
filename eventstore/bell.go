package eventstore

import (
	"sync"

	"github.com/google/uuid"
)

// Bell tells waiting readers in this process that a stream has new events; what they are, the store says. The zero Bell is ready.
//
// A ring may be lost on its way from another server, so who waits also looks once a second.
type Bell struct {
	mu      sync.Mutex
	streams map[uuid.UUID]*bellRope
	all     map[chan struct{}]struct{}
}

// bellRope is a stream that somebody listens to.
type bellRope struct {
	version   int // the newest rung
	listeners map[chan struct{}]struct{}
}

// Ring tells that a stream has come to a version. A version that was told before is not told again to who listens to that stream.
func (b *Bell) Ring(stream uuid.UUID, version int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pull(b.all)
	if rope := b.streams[stream]; rope != nil && version > rope.version {
		rope.version = version
		pull(rope.listeners)
	}
}

// RingAll tells everybody to look: any stream may have new events.
func (b *Bell) RingAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	pull(b.all)
	for _, rope := range b.streams {
		pull(rope.listeners)
	}
}

// pull leaves word with each listener. Who has not yet heard the last ring hears one for both.
func pull(listeners map[chan struct{}]struct{}) {
	for rung := range listeners {
		select {
		case rung <- struct{}{}:
		default:
		}
	}
}

// Listen returns a channel that has word when the stream may have events that it had not when Listen was called: who listens first and reads then
// misses none. stop ends it.
func (b *Bell) Listen(stream uuid.UUID) (rung <-chan struct{}, stop func()) {
	own := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams == nil {
		b.streams = make(map[uuid.UUID]*bellRope)
	}
	rope := b.streams[stream]
	if rope == nil {
		rope = &bellRope{listeners: make(map[chan struct{}]struct{})}
		b.streams[stream] = rope
	}
	rope.listeners[own] = struct{}{}
	return own, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(rope.listeners, own)
		if len(rope.listeners) == 0 && b.streams[stream] == rope {
			delete(b.streams, stream)
		}
	}
}

// ListenAll is Listen for all streams together.
func (b *Bell) ListenAll() (rung <-chan struct{}, stop func()) {
	own := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = make(map[chan struct{}]struct{})
	}
	b.all[own] = struct{}{}
	return own, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.all, own)
	}
}

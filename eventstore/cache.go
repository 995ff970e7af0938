package eventstore

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps the newest known state of the streams used last. A state never gives way to an older one.
type cache[S any] struct {
	mu  sync.Mutex
	lru *simplelru.LRU[uuid.UUID, Loaded[S]]
}

func newCache[S any](size int) *cache[S] {
	lru, err := simplelru.NewLRU[uuid.UUID, Loaded[S]](size, nil)
	if err != nil {
		panic(err) // only a size below 1 is refused
	}
	return &cache[S]{lru: lru}
}

func (c *cache[S]) get(id uuid.UUID) (Loaded[S], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lru.Get(id)
}

func (c *cache[S]) put(id uuid.UUID, l Loaded[S]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.lru.Get(id); ok && old.Version >= l.Version {
		return
	}
	c.lru.Add(id, l)
}

func (c *cache[S]) remove(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(id)
}

// keyedLock is one lock a stream; the zero keyedLock is ready. It holds memory only for streams that are locked or waited for.
type keyedLock struct {
	mu    sync.Mutex
	locks map[uuid.UUID]*streamLock
}

type streamLock struct {
	held  chan struct{} // full while somebody holds the lock
	users int           // who holds it and who waits; guarded by keyedLock.mu
}

// lock waits until the caller alone holds the stream's lock, or until ctx ends. unlock gives it back.
func (k *keyedLock) lock(ctx context.Context, id uuid.UUID) (unlock func(), err error) {
	k.mu.Lock()
	if k.locks == nil {
		k.locks = make(map[uuid.UUID]*streamLock)
	}
	l := k.locks[id]
	if l == nil {
		l = &streamLock{held: make(chan struct{}, 1)}
		k.locks[id] = l
	}
	l.users++
	k.mu.Unlock()

	select {
	case l.held <- struct{}{}:
		return func() {
			<-l.held
			k.leave(id, l)
		}, nil
	case <-ctx.Done():
		k.leave(id, l)
		return nil, ctx.Err()
	}
}

func (k *keyedLock) leave(id uuid.UUID, l *streamLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, id)
	}
}

package eventstore

import (
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

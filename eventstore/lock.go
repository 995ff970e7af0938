package eventstore

import (
	"context"
	"sync"
)

// KeyedLock is one lock a key; the zero KeyedLock is ready. It holds memory only for keys that are locked or waited for.
type KeyedLock[K comparable] struct {
	mu    sync.Mutex
	locks map[K]*oneLock
}

type oneLock struct {
	held  chan struct{} // full while somebody holds the lock
	users int           // who holds it and who waits; guarded by KeyedLock.mu
}

// Lock waits until the caller alone holds the key's lock, or until ctx ends. unlock gives it back.
func (k *KeyedLock[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	k.mu.Lock()
	if k.locks == nil {
		k.locks = make(map[K]*oneLock)
	}
	l := k.locks[key]
	if l == nil {
		l = &oneLock{held: make(chan struct{}, 1)}
		k.locks[key] = l
	}
	l.users++
	k.mu.Unlock()

	select {
	case l.held <- struct{}{}:
		return func() {
			<-l.held
			k.leave(key, l)
		}, nil
	case <-ctx.Done():
		k.leave(key, l)
		return nil, ctx.Err()
	}
}

func (k *KeyedLock[K]) leave(key K, l *oneLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, key)
	}
}

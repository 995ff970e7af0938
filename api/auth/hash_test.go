package auth

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestHashIsEncodedWithItsParameters(t *testing.T) {
	t.Parallel()
	weak, strong := newHasher(HashParams{8, 1, 1}), newHasher(HashParams{16, 2, 1})
	encoded, err := weak.hash(t.Context(), "a fine password")
	if err != nil || !strings.HasPrefix(encoded, "$argon2id$v=19$m=8,t=1,p=1$") {
		t.Fatal(encoded, err)
	}
	for password, want := range map[string]bool{"a fine password": true, "A fine password": false, "": false} {
		if ok, err := strong.verify(t.Context(), password, encoded); ok != want || err != nil { // whatever new hashes cost
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
	for _, damaged := range []string{"x", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA", strings.Replace(encoded, "v=19", "v=16", 1), encoded[:len(encoded)-2] + "!!"} {
		if ok, err := weak.verify(t.Context(), "a fine password", damaged); ok || err == nil {
			t.Errorf("%s: %v, %v", damaged, ok, err)
		}
	}
}

// Where there is no account the work is the same: the dummy costs what new hashes cost, and never matches.
func TestUnknownUserCostsAsMuch(t *testing.T) {
	t.Parallel()
	h := newHasher(HashParams{16, 2, 1})
	params, salt, key, err := decodeHash(h.dummy)
	if err != nil || params != h.params || len(salt) != saltBytes || len(key) != keyBytes {
		t.Errorf("%v, %d, %d, %v", params, len(salt), len(key), err)
	}
	if ok, err := h.verify(t.Context(), "", ""); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	h.turns = make(chan struct{}) // nobody's turn ever comes
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := h.verify(ctx, "x", ""); err == nil {
		t.Error("an unknown user's password was not hashed")
	}
}

// However many sign in at once, half of the cores at most hash for them, and everybody gets a turn.
func TestHashesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	h := newHasher(HashParams{8, 1, 1})
	var now, most atomic.Int64
	derive := h.derive
	h.derive = func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m; m = most.Load() {
			most.CompareAndSwap(m, n)
		}
		runtime.Gosched()
		return derive(password, salt, passes, memory, threads, keyLen)
	}
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if ok, err := h.verify(context.Background(), "x", ""); ok || err != nil {
				t.Error(ok, err)
			}
		})
	}
	wg.Wait()
	if bound := max(1, runtime.GOMAXPROCS(0)/2); most.Load() > int64(bound) || most.Load() == 0 {
		t.Errorf("%d hashes at once, want at most %d", most.Load(), bound)
	}
}

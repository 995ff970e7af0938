package api

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxBuckets bounds the buckets of one kind in memory, at about 200 bytes each. Whoever can fill them all from other addresses or accounts has
// more than these limits could hold back.
const maxBuckets = 50_000

// buckets are the token buckets of one kind, by whom they belong to. A bucket that is full again is the same as none.
type buckets struct {
	name string // in the RateLimit fields
	rate Rate
	each time.Duration // until one more token is there
	mu   sync.Mutex
	full *simplelru.LRU[string, int64] // when each will be full again, in Unix nanoseconds
}

func newBuckets(name string, r Rate) *buckets {
	full, err := simplelru.NewLRU[string, int64](maxBuckets, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &buckets{name: name, rate: r, each: r.Window / time.Duration(r.Quota), full: full}
}

// level is how a bucket stands.
type level struct {
	*buckets
	left int
	full time.Duration // until it is full again
	wait time.Duration // until there is a token; 0 where there was one to take
}

// take takes a token out of whose bucket, if there is one.
func (b *buckets) take(whose string, now time.Time) level {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(now)
	at, _ := b.full.Get(whose)
	used := max(time.Duration(at-now.UnixNano()), 0)
	if used > b.rate.Window { // the clock was put back, which keeps nobody out for longer
		used = b.rate.Window
		b.full.Add(whose, now.UnixNano()+int64(used))
	}
	if over := used + b.each - b.rate.Window; over > 0 {
		return level{buckets: b, full: used, wait: over}
	}
	used += b.each
	b.full.Add(whose, now.UnixNano()+int64(used))
	return level{buckets: b, left: int((b.rate.Window - used) / b.each), full: used}
}

// giveBack puts a token back that was taken.
func (b *buckets) giveBack(whose string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, ok := b.full.Peek(whose); ok {
		b.full.Add(whose, at-int64(b.each))
	}
}

// forget drops the buckets that were used longest ago and are full again, a few at a time.
func (b *buckets) forget(now time.Time) {
	for range 2 {
		whose, at, ok := b.full.GetOldest()
		if !ok || at > now.UnixNano() {
			return
		}
		b.full.Remove(whose)
	}
}

// policy and limit are the items of the RateLimit-Policy and RateLimit fields (draft-ietf-httpapi-ratelimit-headers-11).
func (l level) policy() string {
	return fmt.Sprintf("%q;q=%d;w=%d", l.name, l.rate.Quota, seconds(l.rate.Window))
}

func (l level) limit() string {
	t := l.full
	if l.wait > 0 {
		t = l.wait
	}
	return fmt.Sprintf("%q;r=%d;t=%d", l.name, l.left, seconds(t))
}

// seconds is a duration in whole seconds, rounded up: whoever waits so long has waited long enough.
func seconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}

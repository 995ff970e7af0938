package api

import (
	"fmt"
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	t.Parallel()
	b, now := newBuckets("x", Rate{3, 30 * time.Second}), time.Unix(1e9, 0)
	for i, tt := range []struct {
		pass       time.Duration
		left       int
		full, wait time.Duration
	}{
		{0, 2, 10 * time.Second, 0},
		{0, 1, 20 * time.Second, 0},
		{time.Second, 0, 29 * time.Second, 0},
		{0, 0, 29 * time.Second, 9 * time.Second},
		{9*time.Second - 1, 0, 20*time.Second + 1, 1},
		{1, 0, 30 * time.Second, 0},
		{time.Hour, 2, 10 * time.Second, 0},
		{-time.Hour, 0, 30 * time.Second, 10 * time.Second}, // the clock was put back
		{10 * time.Second, 0, 30 * time.Second, 0},
	} {
		now = now.Add(tt.pass)
		if l := b.take("me", now); l.left != tt.left || l.full != tt.full || l.wait != tt.wait {
			t.Errorf("%d: left %d, full in %v, wait %v", i, l.left, l.full, l.wait)
		}
	}
	if l := b.take("you", now); l.left != 2 {
		t.Errorf("another's bucket has %d left", l.left)
	}
	b.giveBack("me")
	if l := b.take("me", now); l.wait != 0 {
		t.Error("what was given back can't be taken")
	}
	b.giveBack("nobody")
	if l := b.take("nobody", now); l.left != 2 {
		t.Error("more than all was given back")
	}
}

func TestRateLimitFields(t *testing.T) {
	t.Parallel()
	b, now := newBuckets("write", Rate{2, 3 * time.Second}), time.Unix(1e9, 0)
	for i, want := range []string{`"write";q=2;w=3 "write";r=1;t=2`, `"write";q=2;w=3 "write";r=0;t=3`, `"write";q=2;w=3 "write";r=0;t=2`} {
		l := b.take("me", now)
		if got := l.policy() + " " + l.limit(); got != want {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// However many come, no more than so many buckets are kept, and those that are full again go by themselves.
func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	b, now := newBuckets("x", Rate{1, time.Second}), time.Unix(1e9, 0)
	for i := range maxBuckets + 1000 {
		b.take(fmt.Sprint(i), now)
	}
	if n := b.full.Len(); n != maxBuckets {
		t.Errorf("%d buckets", n)
	}
	now = now.Add(time.Second)
	for range maxBuckets {
		b.take("me", now)
	}
	if n := b.full.Len(); n != 1 {
		t.Errorf("%d buckets after all are full again", n)
	}
}

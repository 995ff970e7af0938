package bot

import (
	"encoding/binary"
	"testing"
)

// The numbers that other implementations of xoshiro256** give for the state 1, 2, 3, 4 (the test of Rust's rand_xoshiro).
func TestRandomIsXoshiro(t *testing.T) {
	t.Parallel()
	var seed Seed
	for i := range 4 {
		binary.LittleEndian.PutUint64(seed[8*i:], uint64(i+1))
	}
	r := newRandom(seed)
	for i, want := range []uint64{
		11520, 0, 1509978240, 1215971899390074240, 1216172134540287360, 607988272756665600,
		16172922978634559625, 8476171486693032832, 10595114339597558777, 2904607092377533576,
	} {
		if got := r.next(); got != want {
			t.Errorf("number %d is %d, not %d", i, got, want)
		}
	}
}

func TestBelowIsUniform(t *testing.T) {
	t.Parallel()
	r := newRandom(Seed{1})
	var counts [7]int
	const draws = 70_000
	for range draws {
		counts[r.below(7)]++
	}
	chi := 0.0
	for _, n := range counts {
		d := float64(n) - draws/7
		chi += d * d / (draws / 7)
	}
	if chi > 22.5 { // 6 degrees of freedom: 1 in 1000
		t.Errorf("%v: chi-square %.1f", counts, chi)
	}
}

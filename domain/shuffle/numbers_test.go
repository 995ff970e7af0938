package shuffle

import (
	"encoding/binary"
	"slices"
	"testing"
)

// fake is a source of given numbers, eight a block, that remembers which blocks were asked for.
type fake struct {
	numbers []uint32
	asked   []uint32
}

func (f *fake) block(i uint32) (out [32]byte) {
	f.asked = append(f.asked, i)
	for at, v := range f.numbers[8*i : 8*i+8] {
		binary.BigEndian.PutUint32(out[4*at:], v)
	}
	return out
}

func TestBelowSkipsWhatWouldFavourSmallNumbers(t *testing.T) {
	t.Parallel()
	const top = 1<<32 - 1
	// ⌊2³²/n⌋·n for each n: written out, not computed the way the code does.
	limits := map[uint32]uint32{3: 4294967295, 5: 4294967295, 6: 4294967292, 7: 4294967292, 59: 4294967245, 60: 4294967280}
	for n, limit := range limits {
		for _, c := range []struct {
			name  string
			first uint32
			skip  bool
		}{
			{"the last number below the limit is taken", limit - 1, false},
			{"the limit itself is skipped", limit, true},
			{"the highest number is skipped", top, true},
			{"zero is taken", 0, false},
			{"n is taken", n, false},
		} {
			f := fake{numbers: []uint32{c.first, 2, 0, 0, 0, 0, 0, 0}}
			src := numbers{source: f.block}
			want, taken := c.first%n, uint32(1)
			if c.skip {
				want, taken = 2, 2
			}
			if got := src.below(n); got != want || src.next != taken {
				t.Errorf("below(%d) of %d: %d after %d numbers, not %d after %d: %s", n, c.first, got, src.next, want, taken, c.name)
			}
		}
	}
}

func TestBelowOfAPowerOfTwoSkipsNothing(t *testing.T) {
	t.Parallel()
	for _, n := range []uint32{1, 2, 4, 8, 16, 32} {
		f := fake{numbers: []uint32{1<<32 - 1, 0, 0, 0, 0, 0, 0, 0}}
		src := numbers{source: f.block}
		if got := src.below(n); got != n-1 || src.next != 1 {
			t.Errorf("below(%d) of the highest number: %d after %d numbers", n, got, src.next)
		}
	}
}

func TestBelowSkipsAcrossBlocks(t *testing.T) {
	t.Parallel()
	high := uint32(1<<32 - 1)
	f := fake{numbers: []uint32{high, high, high, high, high, high, high, high, high, 41, 0, 0, 0, 0, 0, 0}}
	src := numbers{source: f.block}
	if got := src.below(60); got != 41 {
		t.Errorf("below(60) = %d, not the first number that may be taken, 41", got)
	}
	if !slices.Equal(f.asked, []uint32{0, 1}) {
		t.Errorf("blocks asked for: %v", f.asked)
	}
}

func TestABlockIsEightNumbersInOrder(t *testing.T) {
	t.Parallel()
	var f fake
	for i := range uint32(24) {
		f.numbers = append(f.numbers, 1_000_000+i)
	}
	src := numbers{source: f.block}
	for i := range uint32(24) {
		if got := src.uint32(); got != 1_000_000+i {
			t.Fatalf("number %d is %d", i, got)
		}
		if blocks := int(i/8) + 1; len(f.asked) != blocks {
			t.Fatalf("after %d numbers %d blocks were asked for, not %d", i+1, len(f.asked), blocks)
		}
	}
	if !slices.Equal(f.asked, []uint32{0, 1, 2}) {
		t.Errorf("blocks asked for: %v", f.asked)
	}
}

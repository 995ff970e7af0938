package bot

import (
	"encoding/binary"
	"math/bits"
)

// random is xoshiro256** 1.0 by David Blackman and Sebastiano Vigna (2018, https://prng.di.unimi.it/xoshiro256starstar.c, public domain). It stands here
// and not in a library so that a choice can be drawn again for ever. Its state is the seed as four 8-byte little-endian numbers.
type random [4]uint64

func newRandom(seed Seed) *random {
	var r random
	for i := range r {
		r[i] = binary.LittleEndian.Uint64(seed[8*i:])
	}
	if r == (random{}) {
		r[0] = 1 // the one state that it never leaves
	}
	return &r
}

func (r *random) next() uint64 {
	out := bits.RotateLeft64(r[1]*5, 7) * 9
	t := r[1] << 17
	r[2] ^= r[0]
	r[3] ^= r[1]
	r[1] ^= r[2]
	r[0] ^= r[3]
	r[2] ^= t
	r[3] = bits.RotateLeft64(r[3], 45)
	return out
}

// below returns a number from 0 to n−1, all equally likely (Lemire 2019, "Fast Random Integer Generation in an Interval"). n is above 0.
func (r *random) below(n uint64) uint64 {
	high, low := bits.Mul64(r.next(), n)
	if low < n {
		for reject := -n % n; low < reject; {
			high, low = bits.Mul64(r.next(), n)
		}
	}
	return high
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): numbers that lie close come out far apart.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

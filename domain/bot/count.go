package bot

import "math/bits"

// count is a whole number below 2^128: the ways to deal the cards that one seat does not see are fewer.
type count struct{ high, low uint64 }

func (a count) less(b count) bool { return a.high < b.high || a.high == b.high && a.low < b.low }

func (a count) plus(b count) count {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return count{high, low}
}

func (a count) times(n uint64) count {
	carry, low := bits.Mul64(a.low, n)
	return count{a.high*n + carry, low}
}

// belowCount returns a number below n, all equally likely. n is above 0.
func (r *random) belowCount(n count) count {
	if n.high == 0 {
		return count{low: r.below(n.low)}
	}
	shift := bits.LeadingZeros64(n.high)
	for {
		if c := (count{r.next() >> shift, r.next()}); c.less(n) {
			return c
		}
	}
}

// choose[n][k] is how many ways there are to take k cards out of n. The largest, with 30 of 60, is below 2^57.
var choose = func() (c [61][61]uint64) {
	for n := range c {
		c[n][0] = 1
		for k := 1; k <= n; k++ {
			c[n][k] = c[n-1][k-1] + c[n-1][k]
		}
	}
	return c
}()

package bot

import (
	"math"
	"testing"
)

// The exponential function may differ between machines in its last bit. No entry is so near to the middle of two whole numbers that this could change it.
func TestTablesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	sure := func(x float64) bool { return math.Abs(x-math.Floor(x)-.5) > 1e-9 }
	for i := range sigmoids {
		if x := unit / (1 + math.Exp(-float64(i-512)/64)); !sure(x) {
			t.Errorf("sigmoid %d: %v", i, x)
		}
	}
	for i := range likelihoods {
		if x := 1e6 * math.Exp(-float64(i)/64); !sure(x) {
			t.Errorf("likelihood %d: %v", i, x)
		}
	}
}

package game

import (
	"slices"
	"testing"
)

func TestPointsOfARound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ bid, tricks, want int }{
		{0, 0, 20},
		{1, 1, 30},
		{2, 2, 40},
		{20, 20, 220},
		{0, 1, -10},
		{1, 0, -10},
		{2, 5, -30},
		{5, 2, -30},
		{20, 0, -200},
		{0, 20, -200},
	} {
		if got := Points(test.bid, test.tricks); got != test.want {
			t.Errorf("bid %d took %d: %d", test.bid, test.tricks, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		totals, left []int
		places       []int
		winners      []Seat
	}{
		{"in order", []int{30, 20, 10}, []int{0, 0, 0}, []int{1, 2, 3}, []Seat{0}},
		{"the place is shared", []int{100, 100, 50}, []int{0, 0, 0}, []int{1, 1, 3}, []Seat{0, 1}},
		{"the second place is shared", []int{-50, 100, -50, -60}, []int{0, 0, 0, 0}, []int{2, 1, 2, 4}, []Seat{1}},
		{"all the same", []int{0, 0, 0}, []int{0, 0, 0}, []int{1, 1, 1}, []Seat{0, 1, 2}},
		{"totals below zero", []int{-100, -20, -10}, []int{0, 0, 0}, []int{3, 2, 1}, []Seat{2}},
		{"a leaver with the highest total", []int{500, 10, 20}, []int{1, 0, 0}, []int{3, 2, 1}, []Seat{2}},
		{"the later leaver is higher", []int{500, 10, 400, -5}, []int{1, 0, 2, 0}, []int{4, 1, 3, 2}, []Seat{1}},
		{"leavers with the same total share nothing", []int{10, 10, 10, 10}, []int{2, 0, 1, 3}, []int{3, 1, 4, 2}, []Seat{1}},
		{"all but one left", []int{100, 90, -80}, []int{2, 1, 0}, []int{2, 3, 1}, []Seat{2}},
		{"those who stayed share the place before a leaver", []int{5, 9, 5}, []int{0, 1, 0}, []int{1, 3, 1}, []Seat{0, 2}},
		{"nobody stayed", []int{1, 2, 3}, []int{3, 2, 1}, []int{1, 2, 3}, []Seat{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			places := Places(test.totals, test.left)
			if !slices.Equal(places, test.places) {
				t.Errorf("places %v", places)
			}
			if winners := Winners(places, test.left); winners == nil || !slices.Equal(winners, test.winners) {
				t.Errorf("winners %v", winners)
			}
		})
	}
}

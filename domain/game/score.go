package game

// Points returns what a round is worth: 20 + 10 × tricks for a bid that is met, −10 × the difference for one that is missed.
func Points(bid, tricks int) int {
	if bid == tricks {
		return 20 + 10*tricks
	}
	return -10 * max(bid-tricks, tricks-bid)
}

// Places ranks the seats: the highest total is first, ties share the place (100, 100, 50: 1, 1, 3). A seat that left,
// left being 1 for the first to leave, 2 for the next and so on, 0 for those who stayed, is behind all who stayed; who left later is placed higher.
func Places(totals, left []int) []int {
	places := make([]int, len(totals))
	for s := range totals {
		places[s] = 1
		for o := range totals {
			if ahead(totals, left, o, s) {
				places[s]++
			}
		}
	}
	return places
}

func ahead(totals, left []int, a, b int) bool {
	switch {
	case left[a] == 0 && left[b] == 0:
		return totals[a] > totals[b]
	case left[a] != 0 && left[b] != 0:
		return left[a] > left[b]
	default:
		return left[a] == 0
	}
}

// Winners returns the seats in the first place that did not leave.
func Winners(places, left []int) []Seat {
	winners := []Seat{}
	for s, p := range places {
		if p == 1 && left[s] == 0 {
			winners = append(winners, Seat(s))
		}
	}
	return winners
}

package game

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// The oracle is a second reading of the rules, slow and plain, on the cards' codes. It shares nothing with the code that it is held against.

func oracleSuitToFollow(trick []string) string {
	rest := trick
	for len(rest) > 0 && rest[0][0] == 'J' {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0][0] == 'W' {
		return ""
	}
	return rest[0][:1]
}

func oracleMayPlay(hand, trick []string) []string {
	suit := oracleSuitToFollow(trick)
	holds := suit != "" && strings.Contains(" "+strings.Join(hand, " "), " "+suit)
	var out []string
	for _, c := range hand {
		if !holds || strings.Contains("WJ"+suit, c[:1]) {
			out = append(out, c)
		}
	}
	return out
}

// oracleWinner puts the cards in the order of their worth. trump is a letter or "".
func oracleWinner(trick []string, trump string) int {
	type worth struct{ class, rank, at int }
	led := oracleSuitToFollow(trick)
	if led == "" { // a wizard came first, or there are only jesters
		led = "?"
	}
	var all []worth
	for i, c := range trick {
		rank, _ := strconv.Atoi(c[1:])
		switch c[:1] {
		case "W":
			all = append(all, worth{4, 0, i})
		case "J":
			all = append(all, worth{1, 0, i})
		case trump:
			all = append(all, worth{3, rank, i})
		case led:
			all = append(all, worth{2, rank, i})
		default:
			all = append(all, worth{0, 0, i})
		}
	}
	sort.Slice(all, func(a, b int) bool {
		x, y := all[a], all[b]
		if x.class != y.class {
			return x.class > y.class
		}
		if x.rank != y.rank {
			return x.rank > y.rank
		}
		return x.at < y.at
	})
	return all[0].at
}

// oracleBids are the bids that the next in turn may make after the bids of others.
func oracleBids(bidding string, players, each int, others []int) []int {
	out := []int{}
	for b := 0; b <= each; b++ {
		sum := b
		for _, o := range others {
			sum += o
		}
		last := len(others)+1 == players
		if bidding == "plus_minus_one" && last && sum == each {
			continue
		}
		out = append(out, b)
	}
	return out
}

func oraclePoints(bid, tricks int) int {
	off := 0
	for b := bid; b != tricks; off++ {
		if b < tricks {
			b++
		} else {
			b--
		}
	}
	if off > 0 {
		return 0 - 10*off
	}
	return 20 + 10*tricks
}

// oraclePlaces lets those who stayed step forward by their totals, then the leavers, the last to leave first. leavers are seats in the order in which they left.
func oraclePlaces(totals, leavers []int) (places, winners []int) {
	places = make([]int, len(totals))
	winners = []int{}
	for _, s := range leavers {
		places[s] = -1
	}
	placed := 0
	for placed < len(totals)-len(leavers) {
		best := -1 << 30
		for s, total := range totals {
			if places[s] == 0 && total > best {
				best = total
			}
		}
		place := placed + 1
		for s, total := range totals {
			if places[s] == 0 && total == best {
				places[s] = place
				placed++
				if place == 1 {
					winners = append(winners, s)
				}
			}
		}
	}
	for i := len(leavers) - 1; i >= 0; i-- {
		placed++
		places[leavers[i]] = placed
	}
	return places, winners
}

func oracleSchedule(players int, length string) (out []int) {
	if length == "tournament" {
		text := map[int]string{
			3: "2 4 6 8 10 12 14 16 18 20",
			4: "1 3 5 7 9 11 12 13 14 15",
			5: "2 4 5 6 7 8 9 10 11 12",
			6: "1 2 3 4 5 6 7 8 9 10",
		}[players]
		for _, word := range strings.Fields(text) {
			n, _ := strconv.Atoi(word)
			out = append(out, n)
		}
		return out
	}
	for n := 1; n*players <= 60 && (length == "full" || n <= 5); n++ {
		out = append(out, n)
	}
	return out
}

var oracleSuits = map[string]any{"D": "dwarves", "E": "elves", "G": "giants", "H": "humans", "": nil}

// oracleDeck is the unshuffled deck.
func oracleDeck() (out []string) {
	for _, suit := range []string{"D", "E", "G", "H"} {
		for rank := 1; rank <= 13; rank++ {
			out = append(out, fmt.Sprint(suit, rank))
		}
	}
	return append(out, "W1", "W2", "W3", "W4", "J1", "J2", "J3", "J4")
}

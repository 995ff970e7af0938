package arena

import (
	"math"
	"slices"
	"time"
)

// Estimate is a mean with its standard error. The blocks count, since the games of a block, and the seats of a game, hang together.
type Estimate struct {
	Mean   float64 `json:"mean"`
	StdErr float64 `json:"std_err"`
}

// Standing is what all players of one name came to, for each game and seat.
type Standing struct {
	Name   string   `json:"name"`
	Seats  int      `json:"seats"`
	Score  Estimate `json:"score"`
	Margin Estimate `json:"margin"` // the score less the mean score of the other names in the same games; 0 if there are none
	Met    Estimate `json:"met"`    // share of the bids
	Wins   Estimate `json:"wins"`   // share of the games; a shared win counts its part
	// CPU of a choice in seconds, 0 where nothing measured it.
	Choices int     `json:"choices"`
	CPUMean float64 `json:"cpu_mean_s"`
	CPU99   float64 `json:"cpu_p99_s"`
	CPUMost float64 `json:"cpu_max_s"`
}

// Summarize returns the standings, in the order in which the names are seated first.
func (t *Tournament) Summarize(blocks []Block) (out []Standing) {
	for i, p := range t.Players {
		if slices.IndexFunc(t.Players, func(q Player) bool { return q.Name == p.Name }) == i {
			out = append(out, t.standing(p.Name, blocks))
		}
	}
	return out
}

func (t *Tournament) standing(name string, blocks []Block) Standing {
	st := Standing{Name: name}
	var score, margin, met, wins []float64
	var cpu []time.Duration
	for _, b := range blocks {
		own, others := share{}, share{}
		for i, r := range b.Results {
			if t.Players[i].Name != name {
				others.add(&r)
				continue
			}
			own.add(&r)
			cpu = append(cpu, r.CPU...)
		}
		score, met, wins = append(score, own.score()), append(met, own.met/own.bids), append(wins, own.wins/own.games)
		st.Seats = int(own.games) / len(t.Players)
		lead := 0.0
		if others.games > 0 {
			lead = own.score() - others.score()
		}
		margin = append(margin, lead)
	}
	st.Score, st.Margin, st.Met, st.Wins = estimate(score), estimate(margin), estimate(met), estimate(wins)
	st.timing(cpu)
	return st
}

func (st *Standing) timing(cpu []time.Duration) {
	if st.Choices = len(cpu); st.Choices == 0 {
		return
	}
	slices.Sort(cpu)
	var sum time.Duration
	for _, d := range cpu {
		sum += d
	}
	st.CPUMean = sum.Seconds() / float64(len(cpu))
	st.CPU99 = cpu[len(cpu)*99/100].Seconds()
	st.CPUMost = cpu[len(cpu)-1].Seconds()
}

// share adds up results.
type share struct{ games, points, met, bids, wins float64 }

func (s *share) add(r *Result) {
	s.games += float64(r.Games)
	s.points += float64(r.Score)
	s.met += float64(r.Met)
	s.bids += float64(r.Bids)
	s.wins += r.Wins
}

func (s *share) score() float64 { return s.points / s.games }

func estimate(xs []float64) (e Estimate) {
	n := float64(len(xs))
	if n == 0 {
		return e
	}
	for _, x := range xs {
		e.Mean += x / n
	}
	if n < 2 {
		return e
	}
	for _, x := range xs {
		e.StdErr += (x - e.Mean) * (x - e.Mean)
	}
	e.StdErr = math.Sqrt(e.StdErr / (n - 1) / n)
	return e
}

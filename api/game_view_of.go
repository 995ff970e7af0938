package api

import (
	"encoding/hex"

	"mago/api/auth"
	"mago/domain/card"
	"mago/domain/game"
	"mago/projections"
)

// shown is what is put beside a redacted game to show it: what does not stand in its stream.
type shown struct {
	settings projections.Settings
	profiles map[string]auth.Profile
	head     [32]byte
	now      int64 // Unix milliseconds; 0 where the past is shown
}

func gameViewOf(v *game.View, x shown) gameView {
	out := gameView{gameCommon: gameCommonOf(v, x), Head: hex.EncodeToString(x.head[:]), Rounds: scoredOf(v)}
	if t := v.Trick; t != nil {
		out.Trick = &trickView{Number: t.Number, Leader: int(t.Leader), SuitToFollow: suitOf(t.SuitToFollow), Plays: playsOf(t.Plays)}
	}
	if v.You != nil {
		out.You = &youView{Seat: int(v.You.Seat), Hand: codesOf(v.You.Hand), Can: canNow(v)}
	}
	for _, o := range v.Others {
		out.Others = append(out.Others, handView{Seat: int(o.Seat), Hand: codesOf(o.Hand)})
	}
	return out
}

func gameItemOf(v *game.View, x shown) gameItem {
	out := gameItem{gameCommon: gameCommonOf(v, x)}
	if v.You != nil {
		out.You = &youInList{Seat: int(v.You.Seat), Can: canNow(v)}
	}
	return out
}

func gameCommonOf(v *game.View, x shown) gameCommon {
	out := gameCommon{
		ID: v.ID, Version: v.Version, Name: x.settings.Name, Status: v.Status.String(), Visibility: v.Visibility.String(),
		CreatedAt: formatTime(v.CreatedAt), UpdatedAt: formatTime(v.UpdatedAt), Host: seatOf(v.Host),
		Rules: rulesOf(v.Rules), Clock: clockOf(v.Clock), Paused: v.Paused, Seats: seatsOf(v, x.profiles),
		Round: roundOf(v.Round), Turn: turnOf(v, x.now),
		Votes: votesView{End: seatNumbers(v.EndVotes), Pause: seatNumbers(v.PauseVotes)},
	}
	if v.You != nil {
		out.InviteCode = x.settings.InviteCode
	}
	if t := v.LastTrick; t != nil {
		out.LastTrick = &lastTrick{Round: t.Round, Number: t.Number, Plays: playsOf(t.Plays), Winner: int(t.Winner)}
	}
	if v.Result != nil {
		out.Result = &resultView{Places: v.Result.Places, Winners: seatNumbers(v.Result.Winners)}
	}
	return out
}

func rulesOf(r game.Rules) rulesView {
	return rulesView{
		Players: r.Players, Bidding: r.Bidding.String(), Length: r.Length.String(), Foresight: r.Foresight,
		ForesightEffective: r.ForesightEffective(), Rounds: r.Rounds(), AutoPlayForced: r.AutoPlayForced,
	}
}

func seatsOf(v *game.View, profiles map[string]auth.Profile) []seatView {
	out := make([]seatView, len(v.Seats))
	for i, s := range v.Seats {
		out[i] = seatView{Seat: i, Cards: s.Cards, HasBid: s.HasBid, Tricks: s.Tricks, Total: s.Total, Vacation: s.Vacation}
		if s.User != "" {
			u := userOf(profiles[s.User])
			out[i].User = &u
		}
		if s.Bot != game.NoBot {
			out[i].Bot = &seatBot{Level: s.Bot.String()}
		}
		if v.Clock.Kind == game.Bank {
			out[i].BankMS = &v.Seats[i].Bank
		}
		if s.Bid != game.NoBid {
			out[i].Bid = &v.Seats[i].Bid
		}
	}
	return out
}

// phases are the names of the phases, and of what is done in them.
var phases = [...]struct{ name, action string }{
	game.ChooseTrump: {"choose_trump", "choose_trump"},
	game.PlaceBids:   {"bidding", "bid"},
	game.PlayTricks:  {"playing", "play"},
	game.RoundOver:   {"playing", ""},
}

func roundOf(r *game.RoundView) *roundView {
	if r == nil {
		return nil
	}
	return &roundView{
		Number: r.Number, CardsEach: r.CardsEach, Dealer: int(r.Dealer), Turned: nonEmpty(r.Turned.String()),
		Trump: suitOf(r.Trump), Phase: phases[r.Phase].name,
	}
}

func turnOf(v *game.View, now int64) *turnView {
	if v.Turn == nil {
		return nil
	}
	out := &turnView{
		Seats: seatNumbers(v.Turn.Seats), Action: phases[v.Turn.Phase].action,
		Deadlines: make([]*string, len(v.Seats)), RemainingMS: make([]*int64, len(v.Seats)),
	}
	timesOf(out, v, now)
	return out
}

// canNow is what the viewer may do; nothing while a bot plays for them.
func canNow(v *game.View) canView {
	if v.Seats[v.You.Seat].Bot != game.NoBot {
		return canOf(game.Can{Bid: []int{}})
	}
	return canOf(v.You.Can)
}

func canOf(c game.Can) canView {
	out := canView{Trump: make([]string, len(c.Trump)), Bid: c.Bid, Play: codesOf(c.Play)}
	for i, s := range c.Trump {
		out.Trump[i] = s.String()
	}
	return out
}

func scoredOf(v *game.View) []scoredView {
	out := make([]scoredView, len(v.Rounds))
	n := len(v.Seats)
	for i := range v.Rounds {
		r := &v.Rounds[i]
		out[i] = scoredView{
			Number: i + 1, CardsEach: r.CardsEach, Dealer: int(r.Dealer), Trump: suitOf(r.Trump),
			Bids: r.Bids[:n], Tricks: r.Tricks[:n], Points: r.Points[:n], Totals: r.Totals[:n],
		}
	}
	return out
}

func playsOf(plays []game.Play) []playView {
	out := make([]playView, len(plays))
	for i, p := range plays {
		out[i] = playView{Seat: int(p.Seat), Card: p.Card.String()}
	}
	return out
}

func codesOf(cards []card.Card) []string {
	out := make([]string, len(cards))
	for i, c := range cards {
		out[i] = c.String()
	}
	return out
}

func seatNumbers(seats []game.Seat) []int {
	out := make([]int, len(seats))
	for i, s := range seats {
		out[i] = int(s)
	}
	return out
}

func seatOf(s game.Seat) *int {
	if s == game.NoSeat {
		return nil
	}
	n := int(s)
	return &n
}

func suitOf(s card.Suit) *string { return nonEmpty(s.String()) }

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

package bot

import (
	"slices"

	"mago/domain/card"
	"mago/domain/game"
)

// knowledge is what a seat can tell from its view about the round.
type knowledge struct {
	me      game.Seat
	round   game.Round // with the hands that are seen
	out     card.Set   // played or turned
	pool    card.Set   // the cards that are not seen
	holders []holder   // of the pool, by seat; the last is the rest of the deck
	played  [game.MaxPlayers]card.Set
	plays   []card.Card // all of them, in order
	hidden  bool        // bids that others have made are not shown
}

// know reads a view that is not of a blind round; false where it makes no sense.
func know(v *game.View) (*knowledge, bool) {
	n := len(v.Seats)
	if v.You == nil || v.Round == nil || n < game.MinPlayers || n > game.MaxPlayers || v.You.Seat < 0 || int(v.You.Seat) >= n {
		return nil, false
	}
	if r := v.Round; r.CardsEach < 1 || r.CardsEach*n > card.Count || !seatOf(r.Dealer, n) || r.Trump > card.Humans {
		return nil, false
	}
	k := &knowledge{me: v.You.Seat, out: known(v.Round.Turned), holders: make([]holder, n+1)}
	k.round = game.Round{
		Players: int8(n), CardsEach: int8(v.Round.CardsEach), Dealer: v.Round.Dealer, Turned: v.Round.Turned, //nolint:gosec // small
		Trump: v.Round.Trump, Bidding: v.Rules.Bidding, Phase: v.Round.Phase,
	}
	k.round.Hands[k.me] = known(v.You.Hand...)
	if !k.tricks(v) || !k.seats(v) || !k.turn(&v.You.Can) {
		return nil, false
	}
	return k, true
}

// turn checks that the seat is on turn, with what it can do in this phase.
func (k *knowledge) turn(can *game.Can) bool {
	trump, bid, play := len(can.Trump) > 0, len(can.Bid) > 0, len(can.Play) > 0
	switch r := &k.round; r.Phase {
	case game.ChooseTrump:
		return trump && !bid && !play && r.Bids == noBids(len(k.holders)-1)
	case game.PlaceBids:
		return !trump && bid && !play && r.Bids[k.me] == game.NoBid
	case game.PlayTricks:
		return !trump && !bid && play && r.SeatOfPlay(int(r.Played)) == k.me && !slices.ContainsFunc(can.Play, func(c card.Card) bool { return !r.Hands[k.me].Has(c) })
	case game.NoRound, game.RoundOver:
	}
	return false
}

// noBids is a round's before anybody has bid.
func noBids(players int) (out [game.MaxPlayers]int8) {
	for i := range players {
		out[i] = game.NoBid
	}
	return out
}

func seatOf(s game.Seat, players int) bool { return s >= 0 && int(s) < players }

// tricks reads what was played.
func (k *knowledge) tricks(v *game.View) bool {
	n := len(v.Seats)
	for i := range v.Past.Len() {
		if leader, plays := v.Past.Trick(i); !k.saw(leader, plays) {
			return false
		}
	}
	if len(k.plays) != n*v.Past.Len() || (v.Trick != nil) != (v.Round.Phase == game.PlayTricks) {
		return false
	}
	if v.Trick == nil {
		return v.Past.Len() == 0
	}
	k.round.Trick, k.round.Leader = int8(v.Past.Len()+1), v.Trick.Leader //nolint:gosec // at most 20
	plays := make([]card.Card, len(v.Trick.Plays))
	for i, p := range v.Trick.Plays {
		plays[i] = p.Card
	}
	k.round.Played = int8(copy(k.round.Plays[:n-1], plays)) //nolint:gosec // at most 5
	return len(plays) < n && k.saw(v.Trick.Leader, plays)
}

// saw notes what a trick shows: who held its cards, and who lacks the suit to follow.
func (k *knowledge) saw(leader game.Seat, plays []card.Card) bool {
	n := int(k.round.Players)
	if !seatOf(leader, n) {
		return false
	}
	for i, c := range plays {
		if !c.Valid() || k.out.Has(c) {
			return false
		}
		s := (int(leader) + i) % n
		k.out, k.played[s], k.plays = k.out.With(c), k.played[s].With(c), append(k.plays, c)
		if suit := game.SuitToFollow(plays[:i]); suit != card.NoSuit && c.Suit() != card.NoSuit && c.Suit() != suit {
			k.holders[s].voids |= card.OfSuit(suit)
		}
	}
	return true
}

// seats reads the bids, and finds how many of the cards that are not seen each seat holds.
func (k *knowledge) seats(v *game.View) bool {
	k.pool = deck &^ k.out &^ k.round.Hands[k.me]
	rest, n := k.pool.Len(), len(v.Seats)
	for i, s := range v.Seats {
		if s.Seat != game.Seat(i) || s.Cards+k.played[i].Len() != v.Round.CardsEach || s.Bid < game.NoBid || s.Bid > v.Round.CardsEach || s.Tricks < 0 || s.Tricks > v.Past.Len() {
			return false
		}
		k.round.Bids[i], k.round.Tricks[i] = int8(s.Bid), int8(s.Tricks) //nolint:gosec // small
		k.hidden = k.hidden || s.Bid == game.NoBid && v.Trick != nil
		if s.Seat != k.me {
			k.holders[i].size = s.Cards
			rest -= s.Cards
		}
	}
	k.holders[n].size = rest
	mine := v.Seats[k.me]
	return rest >= 0 && mine.Cards == k.round.Hands[k.me].Len() && (v.Trick == nil || mine.Bid != game.NoBid)
}

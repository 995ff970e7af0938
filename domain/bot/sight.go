package bot

import (
	"mago/domain/card"
	"mago/domain/game"
)

// unit is certainty: chances are whole numbers of 1/unit, and so are numbers of tricks. All that is reckoned here is whole numbers, so that it comes
// out the same on every machine.
const unit = 1024

// sight is what a seat sees in a playout, as far as chances stand on it.
type sight struct {
	hand, unseen card.Set
	share        int // how much of the unseen cards is in hands, in eighths, at most 7
	wanting      int // how many of the seats that play to the trick behind it want tricks, or may
	pressure     int // how many tricks the others want beyond their share, from -4 to 4, and 4 more
	chance       [card.Count + 1]int32
	mean         int32 // sum of the chances of the hand

	// Of the trick in play, once the seat turns to it.
	won, lost aim       // of the cards behind it
	ahead     card.Card // that takes it so far
	follow    card.Suit
}

// The classes of cards whose chances have weights of their own.
const (
	ofTrumps = iota
	besideTrumps
	noTrumps
	ofWizards
)

// see turns to a seat, and gives every card of its hand the chance to take a trick after the one in play.
func (p *playout) see(s game.Seat) {
	v := p.sight
	v.hand = p.Hands[s]
	v.unseen = deck &^ v.hand &^ p.out
	left, players := v.hand.Len(), int(p.Players)
	inHands, wants := 0, 0
	for i := range players {
		if i == int(s) {
			continue
		}
		inHands += p.Hands[i].Len()
		if b := p.Bids[i]; b == game.NoBid || p.secret {
			wants += left // a share of it: all is divided by the players
		} else if b > p.Tricks[i] {
			wants += int(b-p.Tricks[i]) * players
		}
	}
	v.wanting = 0
	for i := int(p.Played) + 1; i < players && p.Phase == game.PlayTricks; i++ {
		if o := p.SeatOfPlay(i); p.secret || p.Bids[o] > p.Tricks[o] {
			v.wanting++
		}
	}
	v.share = min(7, inHands*8/max(1, v.unseen.Len()))
	v.pressure = max(0, min(8, (wants-left*(players-1)+players*4+players/2)/players))
	p.reckon(left)
}

func (p *playout) reckon(left int) {
	v, w := p.sight, &weights.Later
	wizards := (v.unseen & card.Wizards).Len()
	var base [4]int32
	for class := range base {
		base[class] = int32(w.Wizards[class][wizards][v.share]) + int32(w.Left[class][left]) +
			int32(w.Players[class][p.Players]) + int32(w.Pressure[class][v.pressure])
	}
	if p.Trump != card.NoSuit {
		base[besideTrumps] += int32(w.Trumps[(v.unseen & card.OfSuit(p.Trump)).Len()][v.share])
	}
	v.mean = 0
	if own := v.hand & card.Wizards; own != 0 {
		chance := sigmoid(base[ofWizards])
		for ; own != 0; own &= own - 1 {
			v.chance[own.First()] = chance
			v.mean += chance
		}
	}
	for own := v.hand & card.Jesters; own != 0; own &= own - 1 {
		v.chance[own.First()] = 0
	}
	for _, suit := range card.Suits {
		if own := v.hand & card.OfSuit(suit); own != 0 {
			class := p.classOf(suit)
			p.ofSuit(suit, own, class, base[class])
		}
	}
}

func (p *playout) classOf(suit card.Suit) int {
	switch p.Trump {
	case card.NoSuit:
		return noTrumps
	case suit:
		return ofTrumps
	default:
		return besideTrumps
	}
}

// ofSuit gives the cards of a suit their chances, from the highest.
func (p *playout) ofSuit(suit card.Suit, own card.Set, class int, base int32) {
	v, w := p.sight, &weights.Later
	hidden := v.unseen & card.OfSuit(suit)
	base += int32(w.Suit[class][hidden.Len()][v.share])
	higher := 0
	for lower := own.Len() - 1; lower >= 0; lower-- {
		c := highest(own)
		own = own.Without(c)
		chance := sigmoid(base + int32(w.Higher[class][(hidden >> c).Len()][v.share]) +
			int32(w.OwnHigher[class][min(5, higher)]) + int32(w.OwnLower[class][min(6, lower)]))
		v.chance[c] = chance
		v.mean += chance
		higher++
	}
}

// now is the chance that a card played by the seat on turn takes the trick.
func (p *playout) now(c card.Card) int32 {
	behind := int(p.Players) - 1 - int(p.Played)
	v, w := p.sight, &weights.Now
	if v.ahead != card.None && game.Winner([]card.Card{v.ahead, c}, p.Trump) == 0 {
		return 0
	}
	switch {
	case c.IsWizard() || behind == 0:
		return unit
	case c.IsJester():
		return 0 // that all behind play jesters is left out
	}
	class, follow := p.classOf(c.Suit()), c.Suit()
	if v.follow != card.NoSuit {
		follow = v.follow
	}
	sum := int32(w.Higher[class][(v.unseen & card.OfSuit(c.Suit()) >> c).Len()][v.share]) +
		int32(w.Wizards[class][(v.unseen & card.Wizards).Len()][v.share]) +
		int32(w.Suit[class][(v.unseen & card.OfSuit(follow)).Len()][v.share]) +
		int32(w.Behind[class][behind][v.wanting]) + int32(w.Left[class][v.hand.Len()])
	switch {
	case class == besideTrumps:
		sum += int32(w.Trumps[(v.unseen & card.OfSuit(p.Trump)).Len()][v.share])
	case class == ofTrumps && follow != c.Suit():
		sum += int32(w.Ruff[behind])
	}
	return sigmoid(sum)
}

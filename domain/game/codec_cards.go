package game

import "mago/domain/card"

// How the things of the table are written: seats, cards, suits, hands.

func (c *codec) seatValue(v *Seat) {
	n := int(*v)
	c.numberValue(0, MaxPlayers-1, &n)
	*v = Seat(n) //nolint:gosec // below 6
}

func (c *codec) seat(name string, v *Seat) {
	if c.member(name) {
		c.seatValue(v)
	}
}

func (c *codec) optionalSeat(name string, v *Seat) {
	if c.decoding {
		*v = NoSeat
	}
	if c.member(name) && !c.null(*v == NoSeat) {
		c.seatValue(v)
	}
}

func (c *codec) cardValue(v *card.Card) {
	if c.place != nil {
		c.note(cardSchema)
		return
	}
	if !c.decoding {
		code := v.String()
		c.textValue(&code)
		return
	}
	got, err := card.Parse(c.in.text())
	if err != nil {
		c.in.fail(err.Error())
	}
	*v = got
}

// faceUp is a card that everybody sees, so that it is never hidden.
func (c *codec) faceUp(v *card.Card) {
	if c.place != nil {
		c.note(faceUpSchema)
		return
	}
	c.cardValue(v)
	if c.decoding && *v == card.Hidden {
		c.in.fail("a card on the table is hidden")
	}
}

func (c *codec) card(name string, v *card.Card) {
	if c.member(name) {
		c.faceUp(v)
	}
}

func (c *codec) optionalCard(name string, v *card.Card) {
	if c.member(name) && !c.null(*v == card.None) {
		c.faceUp(v)
	}
}

func (c *codec) suit(name string, v *card.Suit) {
	if !c.member(name) || c.null(*v == card.NoSuit) {
		return
	}
	if c.place != nil {
		c.note(Schema{Type: JSONString, Values: suitNames()})
		return
	}
	code := v.String()
	c.textValue(&code)
	got, err := card.ParseSuit(code)
	if err != nil {
		c.in.fail(err.Error())
	}
	*v = got
}

// hand is a list of cards in the order of the deck, the hidden ones last.
func (c *codec) hand(v *Hand) {
	cards := v.Cards.Cards()
	for range v.Hidden {
		cards = append(cards, card.Hidden)
	}
	c.cards(&cards)
	if !c.decoding {
		return
	}
	for _, k := range cards {
		if k == card.Hidden {
			v.Hidden++
		} else {
			v.Cards = v.Cards.With(k)
		}
	}
	if v.Cards.Len()+v.Hidden != len(cards) {
		c.in.fail("a card twice in a hand")
	}
}

func (c *codec) cards(v *[]card.Card) {
	if c.place != nil {
		c.noteItems(MaxCards)
		c.cardValue(new(card.Card))
		return
	}
	if c.decoding {
		c.in.expect('[')
		*v = (*v)[:0]
		for c.in.element(len(*v)) {
			var k card.Card
			c.cardValue(&k)
			if len(*v) == MaxCards {
				c.in.fail("more cards than a hand can have")
				return
			}
			*v = append(*v, k)
		}
		return
	}
	c.out = append(c.out, '[')
	for i := range *v {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.cardValue(&(*v)[i])
	}
	c.out = append(c.out, ']')
}

package bot

import (
	"mago/domain/card"
	"mago/domain/game"
)

// Choice is one move for a seat: a suit, a bid or a card, by the phase it is for.
type Choice struct {
	Seat  game.Seat
	Phase game.Phase // ChooseTrump, PlaceBids or PlayTricks
	Suit  card.Suit
	Bid   int
	Card  card.Card  // Hidden in a blind round
	Meant game.Meant // the round and the trick that were in the view
}

// Command returns the choice as the command that makes the move, marked as a bot's. It is meant for the round and trick of the view, so
// that a late one is refused rather than landing in another.
func (c Choice) Command() game.Command { return c.As(game.AutoBot) }

// As is Command for a move that is marked with another reason why the player didn't make it.
func (c Choice) As(auto game.Auto) game.Command {
	switch c.Phase {
	case game.ChooseTrump:
		return game.NameTrump{Seat: c.Seat, Suit: c.Suit, Auto: auto, Meant: c.Meant}
	case game.PlaceBids:
		return game.PlaceBid{Seat: c.Seat, Tricks: c.Bid, Auto: auto, Meant: c.Meant}
	default:
		return game.PlayCard{Seat: c.Seat, Card: c.Card, Auto: auto, Meant: c.Meant}
	}
}

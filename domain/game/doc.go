// Package game is one game of Wizard, from the lobby to the result, as a pure decider: Decide turns a command into
// events or refuses it, Evolve applies an event, Legal lists what a seat may do, View and Redact tell what a viewer
// may see. Nothing here reads a clock, draws a random number or does I/O: times, seeds and deals come in.
//
// # The rules
//
// A game has 3 to 6 seats. In each round all 60 cards are shuffled anew and each player gets the round's number of
// cards; the next card is turned up and gives the trump: its suit, none for a jester, the dealer's choice of the four
// suits for a wizard. Where the deal uses up all the cards there is no trump. Each player bids how many tricks they
// will take. The dealer's left leads the first trick, the winner of a trick the next; the deal passes one seat on
// each round.
//
// The first card of a trick that is not a jester decides the suit to follow: a suit card's suit must be followed by
// whoever holds it, a wizard frees everybody. Wizards and jesters may be played at any time. The trick goes to the
// first wizard; else to the highest trump; else to the highest card of the suit to follow; else, where all are
// jesters, to the first.
//
// A bid that is met scores 20 + 10 × tricks, a bid that is missed −10 × the difference. The highest total wins; ties
// share the place.
//
// Settled by the game's rule sheet as published for online play, except: seats numbered from 0 in table order, the
// first dealer drawn from the game's own randomness, shared places, the five-round game of 1 to 5 cards, and leavers
// placed behind all who stayed, which this package decides.
package game

// RulesVersion is the version of the rules that new games are played by. It stands in a game's first event, and the game replays under it.
const RulesVersion = 1

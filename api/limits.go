package api

import "time"

// Limits is how much a server takes from one user, from one address, and for one username. Each server counts for itself, in memory.
// An IPv6 address counts as its /64, which is what one household or one attacker has.
type Limits struct {
	Read, Write   Rate // by user: GET and HEAD, and everything else
	Address       Rate // by address: all calls with a token
	Register      Rate // by address
	Login         Rate // by address, right or wrong
	WrongPassword Rate // by username, whether there is such a user or not; an address that user was at is not counted
	Refresh       Rate // by address
	Password      Rate // by user: calls that ask for the password again
	WrongInvite   Rate // by user: joins that find no game, and so guesses at invite codes
	WrongInvites  Rate // the same by address

	Lobbies    int // in which one user sits
	OpenGames  int // that are not over, in which one user sits or sat
	Streams    int // live, of one user
	AllStreams int // live, of all users
}

// Rate allows Quota at once and, when that is used up, as much again in each Window, evenly.
type Rate struct {
	Quota  int
	Window time.Duration
}

// DefaultLimits are met by no person, nor by an app that plays as fast as its answers come for half a minute.
func DefaultLimits() *Limits {
	return &Limits{
		Read:          Rate{900, 30 * time.Second},
		Write:         Rate{450, 30 * time.Second},
		Address:       Rate{6000, 30 * time.Second},
		Register:      Rate{60, 20 * time.Minute},
		Login:         Rate{40, 5 * time.Minute},
		WrongPassword: Rate{20, 5 * time.Minute},
		Refresh:       Rate{120, time.Minute},
		Password:      Rate{10, 5 * time.Minute},
		WrongInvite:   Rate{20, 10 * time.Minute},
		WrongInvites:  Rate{100, 10 * time.Minute},
		Lobbies:       20,
		OpenGames:     200,
		Streams:       20,
		AllStreams:    2000,
	}
}

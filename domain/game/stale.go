package game

// Stale tells whether a command that was made for a version of the game must be refused as the game stands now. Simultaneous
// bids commute: in a hidden or secret round the other seats' bids since that version, also those that the server made for them, don't make a bid stale;
// anything else since then does.
func (s *State) Stale(version int, c Command) bool {
	bid, ok := c.(PlaceBid)
	if !ok || !s.Rules.Bidding.Simultaneous() {
		return version != s.Version
	}
	others := 0
	for seat, at := range s.BidAt {
		if at > version && Seat(seat) != bid.Seat {
			others += s.BidWith[seat]
		}
	}
	return version+others != s.Version
}

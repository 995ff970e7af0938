package game

// Stale tells whether a command that was made for a version of the game must be refused as the game stands now. Simultaneous
// bids commute: in a hidden or secret round the other seats' bids since that version don't make a bid stale.
func (s *State) Stale(version int, c Command) bool {
	if version == s.Version {
		return false
	}
	bid, ok := c.(PlaceBid)
	if !ok || s.Status != Playing || s.Round.Phase != PlaceBids || !s.Rules.Bidding.Simultaneous() {
		return true
	}
	return version < s.BiddingSince || version > s.Version || s.BidAt[bid.Seat] > version
}

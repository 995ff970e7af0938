package bot

// Where the numbers come from: the weights were first fitted by logistic regression of "this card took its trick" on the cards of 150 games at a time
// of the level against itself, with 4 players; then all of the numbers together by a random climb of 185 steps, each of 800 full games on fixed
// deals with 3 to 6 players, keeping what raised the mean of the final scores, and rounded. The number of players and the size of the round are among the
// factors, so one set serves all. The climb was made with a level that weighed each card by all it might come to; easy is simpler since, and meant to be beaten.
// TestStrengthByOptions shows what a change does.

// How likely a seat is to beat a card when it can, by what it still wants. They lie close together: mostly it is the suit to follow that decides.
const (
	sated   = .46 // has what it bid, or more
	hungry  = .59 // wants tricks; rising to 1 for one that must take all
	unknown = .54 // its bid is not seen
)

// beforeBid is added to the log odds of every card when bidding: a bid that is missed costs more the higher it was.
const beforeBid = -.15

// together is added, for the share of the deck that is in hands and divided by the seats, where all bid at the same time: in turn, the later
// bids make up for what the first ones have too much. From a scan with hidden and secret bids, 150 games for each number of players.
const together = -3.2

// The weights of the factors, in their order.
var (
	ofTrump      = factors{1.73, 1.21, 2.45, -.04, .70, -2.95}
	beside       = factors{.54, 1.66, 2.48, -.63, -.25, -3.24} // a suit that is not trump
	withoutTrump = factors{.44, 1.69, 2.56, -.72, .55, -3.75}
	ofWizard     = factors{6.76, 0, -4.10, 0, 0, -2.43}
)

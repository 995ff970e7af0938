package game

// The members of each event, in the order of their names (RFC 8785 sorts them so). A member is only ever added.

func (e *GameCreated) fields(c *codec) {
	c.boolean("auto_start", &e.AutoStart)
	c.hash("bot_commitment", (*[32]byte)(&e.BotCommitment))
	c.object("clock", e.Clock.fields)
	list(c, "commitments", MaxRounds, &e.Commitments, func(c *codec, v *commitment) { c.hexValue((*[32]byte)(v)) })
	c.seat("host", &e.Host)
	c.object("rules", func(c *codec) {
		c.boolean("auto_play_forced", &e.Rules.AutoPlayForced)
		enum(c, "bidding", biddings[:], &e.Rules.Bidding)
		c.boolean("foresight", &e.Rules.Foresight)
		c.derived("foresight_effective", e.foresightEffective)
		enum(c, "length", lengths[:], &e.Rules.Length)
		c.number("players", 0, MaxPlayers, &e.Rules.Players)
		c.derivedNumber("rounds", 1, MaxRounds, e.rounds)
	})
	c.number("rules_version", 0, 1<<30, &e.RulesVersion)
	enum(c, "visibility", visibilities[:], &e.Visibility)
}

func (e *GameCreated) foresightEffective() bool { return e.Rules.ForesightEffective() }
func (e *GameCreated) rounds() int              { return e.Rules.Rounds() }

// fields are those that the kind of clock has, all resolved.
func (k *Clock) fields(c *codec) {
	c.where(k.Kind == Bank, func() {
		c.number("increment_seconds", 0, MaxTurnSeconds, &k.Increment)
		c.number("initial_seconds", 0, MaxTurnSeconds, &k.Initial)
	})
	enum(c, "kind", clockKinds[:], &k.Kind)
	c.where(k.Kind == Bank, func() { c.number("max_seconds", 0, MaxTurnSeconds, &k.Max) })
	c.where(k.Kind != NoClock, func() { c.number("max_timeouts", 0, MostTimeouts, &k.MaxTimeouts) })
	c.where(k.Kind == PerTurn, func() { c.number("seconds", 0, MaxTurnSeconds, &k.Seconds) })
	c.where(k.Kind != NoClock, func() { c.boolean("vacation", &k.Vacation) })
}

func (e *PlayerJoined) fields(c *codec) {
	c.text("client_seed", &e.ClientSeed)
	c.seat("seat", &e.Seat)
	c.text("user_id", &e.UserID)
}

func (e *ClientSeedSet) fields(c *codec) {
	c.text("client_seed", &e.ClientSeed)
	c.seat("seat", &e.Seat)
}

func (e *InviteCodeRenewed) fields(c *codec) { c.seat("seat", &e.Seat) }
func (e *BotSeated) fields(c *codec) {
	c.text("engine", &e.Engine)
	enum(c, "level", levels[:], &e.Level)
	c.seat("seat", &e.Seat)
}

func (e *PlayerLeft) fields(c *codec) {
	enum(c, "by", leftBys[:], &e.By)
	c.optionalSeat("host", &e.Host)
	c.seat("seat", &e.Seat)
}

func (e *GameStarted) fields(c *codec) { c.seat("dealer", &e.Dealer) }

func (e *Dealt) fields(c *codec) {
	c.number("cards_each", 1, MaxCards, &e.CardsEach)
	c.seat("dealer", &e.Dealer)
	list(c, "hands", MaxPlayers, &e.Hands, (*codec).hand)
	c.round(&e.Round)
	c.optionalCard("turned", &e.Turned)
}

func (e *TrumpSet) fields(c *codec) {
	optionalEnum(c, "auto", autos[:], &e.Auto)
	enum(c, "by", trumpBys[:], &e.By)
	c.round(&e.Round)
	c.optionalSeat("seat", &e.Seat)
	c.suit("suit", &e.Suit)
}

func (e *BidPlaced) fields(c *codec) {
	optionalEnum(c, "auto", autos[:], &e.Auto)
	c.round(&e.Round)
	c.seat("seat", &e.Seat)
	c.optionalNumber("tricks", 0, MaxCards, NoBid, &e.Tricks)
}

func (e *BidsRevealed) fields(c *codec) {
	c.numbers("bids", 0, MaxCards, &e.Bids)
	c.round(&e.Round)
}

func (e *CardPlayed) fields(c *codec) {
	optionalEnum(c, "auto", autos[:], &e.Auto)
	c.card("card", &e.Card)
	c.round(&e.Round)
	c.seat("seat", &e.Seat)
	c.number("trick", 1, MaxCards, &e.Trick)
}

func (e *TrickWon) fields(c *codec) {
	c.card("card", &e.Card)
	c.round(&e.Round)
	c.seat("seat", &e.Seat)
	c.number("trick", 1, MaxCards, &e.Trick)
}

func (e *RoundScored) fields(c *codec) {
	c.numbers("bids", 0, MaxCards, &e.Bids)
	c.numbers("points", -maxPoints, maxPoints, &e.Points)
	c.round(&e.Round)
	c.hash("seed", (*[32]byte)(&e.Seed))
	c.numbers("totals", -maxPoints, maxPoints, &e.Totals)
	c.numbers("tricks", 0, MaxCards, &e.Tricks)
}

func (e *GameFinished) fields(c *codec) {
	c.hash("bot_key", (*[32]byte)(&e.BotKey))
	c.numbers("places", 1, MaxPlayers, &e.Places)
	c.numbers("totals", -maxPoints, maxPoints, &e.Totals)
	list(c, "winners", MaxPlayers, &e.Winners, (*codec).seatValue)
}

func (e *PlayerResigned) fields(c *codec) { c.seat("seat", &e.Seat) }

func (e *GameCancelled) fields(c *codec) {
	c.hash("bot_key", (*[32]byte)(&e.BotKey))
	enum(c, "reason", reasons[:], &e.Reason)
	c.optionalHash("seed", &e.InRound, (*[32]byte)(&e.Seed))
}

func (e *EngineSet) fields(c *codec) { c.text("engine", &e.Engine) }

// actions are the names of what is done in a phase.
var actions = [...]string{ChooseTrump: "choose_trump", PlaceBids: "bid", PlayTricks: "play"}

func (e *TurnTimedOut) fields(c *codec) {
	enum(c, "action", actions[:], &e.Action)
	c.seat("seat", &e.Seat)
}

func (e *SeatTakenOver) fields(c *codec) { c.seat("seat", &e.Seat) }
func (e *SeatReclaimed) fields(c *codec) { c.seat("seat", &e.Seat) }

func (e *EndVoted) fields(c *codec) {
	c.boolean("agree", &e.Agree)
	c.seat("seat", &e.Seat)
}

func (e *PauseVoted) fields(c *codec) {
	c.boolean("agree", &e.Agree)
	c.seat("seat", &e.Seat)
}

func (e *ClockPaused) fields(c *codec) {
	enum(c, "cause", pauseCauses[:], &e.Cause)
	c.optionalSeat("seat", &e.Seat)
}

func (e *ClockResumed) fields(c *codec) {
	enum(c, "cause", resumeCauses[:], &e.Cause)
	c.optionalSeat("seat", &e.Seat)
}

func (e *ClockExtended) fields(c *codec) {
	enum(c, "cause", extendCauses[:], &e.Cause)
	c.milliseconds("ms", &e.MS)
	list(c, "seats", MaxPlayers, &e.Seats, (*codec).seatValue)
	c.time("until", &e.Until)
}

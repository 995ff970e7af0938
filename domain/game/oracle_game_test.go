package game

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mago/domain/card"
	"mago/domain/shuffle"
)

// oracleGame plays a started game by the oracle's rules and writes down what must stand in the stream.
type oracleGame struct {
	players         int
	bidding, length string
	blind           bool               // no seat knows its own card in this round
	deck            func(int) []string // shuffled, by round
	seed            func(int) string   // by round, in hex
	botKey          string             // in hex
	stream          []string           // type and data of every event
	phase           string             // trump, bid, play or over
	round, dealer   int                // the round from 1
	each, trick     int                // cards each; number of the trick from 1
	turned, trump   string             // the trump's letter
	hands           [][]string         // by seat
	bids            map[int]int        // by seat
	taken, totals   []int              // by seat
	order           []int              // seats in the order of the trick, the leader first
	table           []string           // the cards of the trick
	foresight       bool
}

func (o *oracleGame) say(name string, data map[string]any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	o.stream = append(o.stream, name+" "+string(b))
}

func (o *oracleGame) from(seat int) (order []int) {
	for i := range o.players {
		order = append(order, (seat+i)%o.players)
	}
	return order
}

func (o *oracleGame) deal(round, dealer int) {
	o.round, o.dealer, o.each = round, dealer, oracleSchedule(o.players, o.length)[round-1]
	deck := o.deck(round)
	o.hands, o.turned = nil, ""
	for range o.players {
		o.hands, deck = append(o.hands, inOrder(deck[:o.each])), deck[o.each:]
	}
	if len(deck) > 0 {
		o.turned = deck[0]
	}
	o.blind = o.foresight && round == 1 && o.each == 1
	o.bids, o.taken, o.phase = map[int]int{}, make([]int, o.players), "trump"
	var turned any
	if o.turned != "" {
		turned = o.turned
	}
	o.say("dealt", map[string]any{"round": round, "cards_each": o.each, "dealer": dealer, "hands": o.hands, "turned": turned})
	switch kind := (o.turned + "-")[:1]; kind {
	case "-":
		o.setTrump("", "no_card_left", nil)
	case "J":
		o.setTrump("", "jester", nil)
	case "W":
	default:
		o.setTrump(kind, "turned", nil)
	}
}

// inOrder sorts codes as the deck is.
func inOrder(codes []string) []string {
	var out []string
	for _, c := range oracleDeck() {
		if slices.Contains(codes, c) {
			out = append(out, c)
		}
	}
	return out
}

func (o *oracleGame) setTrump(letter, by string, seat any) {
	o.trump, o.phase = letter, "bid"
	o.say("trump_set", map[string]any{"round": o.round, "suit": oracleSuits[letter], "by": by, "seat": seat, "auto": nil})
}

// bySeat lists the bids.
func (o *oracleGame) bySeat() (out []int) {
	for s := range o.players {
		out = append(out, o.bids[s])
	}
	return out
}

func (o *oracleGame) bid(seat, tricks int) {
	o.bids[seat] = tricks
	o.say("bid_placed", map[string]any{"round": o.round, "seat": seat, "tricks": tricks, "auto": nil})
	if len(o.bids) < o.players {
		return
	}
	if o.bidding == "hidden" {
		o.say("bids_revealed", map[string]any{"round": o.round, "bids": o.bySeat()})
	}
	o.phase, o.trick, o.order, o.table = "play", 1, o.from(o.dealer+1), nil
}

func (o *oracleGame) play(seat int, code string) {
	if o.blind {
		code = o.hands[seat][0]
	}
	o.hands[seat] = slices.DeleteFunc(slices.Clone(o.hands[seat]), func(c string) bool { return c == code })
	o.table = append(o.table, code)
	o.say("card_played", map[string]any{"round": o.round, "trick": o.trick, "seat": seat, "card": code, "auto": nil})
	if len(o.table) < o.players {
		return
	}
	i := oracleWinner(o.table, o.trump)
	winner := o.order[i]
	o.say("trick_won", map[string]any{"round": o.round, "trick": o.trick, "seat": winner, "card": o.table[i]})
	o.taken[winner]++
	o.trick++
	o.order, o.table = o.from(winner), nil
	if o.trick > o.each {
		o.score()
	}
}

func (o *oracleGame) score() {
	if o.bidding == "secret" {
		o.say("bids_revealed", map[string]any{"round": o.round, "bids": o.bySeat()})
	}
	points, totals := []int{}, []int{}
	for s := range o.players {
		points = append(points, oraclePoints(o.bids[s], o.taken[s]))
		totals = append(totals, o.totals[s]+points[s])
	}
	o.totals = totals
	o.say("round_scored", map[string]any{
		"round": o.round, "bids": o.bySeat(), "tricks": o.taken, "points": points, "totals": totals, "seed": o.seed(o.round),
	})
	if o.round < len(oracleSchedule(o.players, o.length)) {
		o.deal(o.round+1, (o.dealer+1)%o.players)
		return
	}
	places, winners := oraclePlaces(totals, nil)
	o.say("game_finished", map[string]any{"totals": totals, "places": places, "winners": winners, "bot_key": o.botKey})
	o.phase = "over"
}

// moves lists what may be done, by whom.
func (o *oracleGame) moves() (out []string) {
	add := func(seat int, what any) { out = append(out, fmt.Sprintf("%s %d %v", o.phase, seat, what)) }
	switch {
	case o.phase == "trump":
		for _, suit := range []string{"D", "E", "G", "H"} {
			add(o.dealer, suit)
		}
	case o.phase == "bid" && (o.bidding == "hidden" || o.bidding == "secret"):
		for s := range o.players {
			if _, done := o.bids[s]; !done {
				for _, b := range oracleBids(o.bidding, o.players, o.each, nil) {
					add(s, b)
				}
			}
		}
	case o.phase == "bid":
		var made []int
		for _, s := range o.from(o.dealer + 1) {
			if b, done := o.bids[s]; done {
				made = append(made, b)
				continue
			}
			for _, b := range oracleBids(o.bidding, o.players, o.each, made) {
				add(s, b)
			}
			break
		}
	case o.phase == "play":
		seat := o.order[len(o.table)]
		for _, c := range oracleMayPlay(o.hands[seat], o.table) {
			if o.blind {
				c = "??"
			}
			add(seat, c)
		}
	}
	return out
}

// make does a move in the words of moves.
func (o *oracleGame) make(move string) Command {
	var what, value string
	var seat int
	if _, err := fmt.Sscan(move, &what, &seat, &value); err != nil {
		panic(err)
	}
	switch what {
	case "trump":
		o.setTrump(value, "dealer", seat)
		return NameTrump{Seat: Seat(seat), Suit: trumpLetters[value]}
	case "bid":
		tricks := 0
		_, _ = fmt.Sscan(value, &tricks)
		o.bid(seat, tricks)
		return PlaceBid{Seat: Seat(seat), Tricks: tricks}
	}
	c := card.Hidden
	if value != "??" {
		c = cards(value)[0]
	}
	o.play(seat, value)
	return PlayCard{Seat: Seat(seat), Card: c}
}

// inWords says the moves of the game as the oracle does.
func inWords(moves []Command) (out []string) {
	for _, m := range moves {
		switch m := m.(type) {
		case NameTrump:
			out = append(out, fmt.Sprintf("trump %d %s", m.Seat, strings.ToUpper(m.Suit.String()[:1])))
		case PlaceBid:
			out = append(out, fmt.Sprintf("bid %d %d", m.Seat, m.Tricks))
		case PlayCard:
			out = append(out, fmt.Sprintf("play %d %v", m.Seat, m.Card))
		default:
		}
	}
	return out
}

func newOracleGame(s *State, dealer int) *oracleGame {
	entropy := s.entropy()
	o := &oracleGame{
		players: s.Rules.Players, bidding: s.Rules.Bidding.String(), length: s.Rules.Length.String(), foresight: s.Rules.Foresight,
		deck: func(round int) []string {
			deck := shuffle.Deck(s.Secrets.Seeds[round-1], testID, round, entropy)
			return codes(deck[:])
		},
		seed:   func(round int) string { return hex.EncodeToString(s.Secrets.Seeds[round-1][:]) },
		botKey: hex.EncodeToString(s.Secrets.BotKey[:]),
		totals: make([]int, s.Rules.Players),
	}
	o.deal(1, dealer)
	return o
}

// TestOracleAgreesOnWholeGames move by move: on what may be done and on every byte of what is stored.
func TestOracleAgreesOnWholeGames(t *testing.T) {
	t.Parallel()
	for i, r := range allRules() {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			for n := range soak(1, 20) {
				againstOracle(t, r, uint64(1000*n+i))
			}
		})
	}
}

func againstOracle(t *testing.T, r Rules, seed uint64) {
	t.Helper()
	g := newTable(t, r, secrets(seed))
	lobby := r.Players + 2 // created, joined by all, started
	started := decoded(t, g.stream[lobby-1:lobby])[0].(GameStarted)
	o := newOracleGame(&g.state, int(started.Dealer))
	rng := rand.New(rand.NewPCG(4, seed))
	compared := 0
	for {
		for ; compared < len(o.stream) && lobby+compared < len(g.stream); compared++ {
			rec := g.stream[lobby+compared]
			if got := rec.name + " " + string(rec.data); got != o.stream[compared] {
				t.Fatalf("stored %s\nthe oracle says %s", got, o.stream[compared])
			}
		}
		if lobby+len(o.stream) != len(g.stream) {
			t.Fatalf("%d events, the oracle says %d", len(g.stream)-lobby, len(o.stream))
		}
		moves := o.moves()
		if got := inWords(g.moves()); !slices.Equal(got, moves) {
			t.Fatalf("legal are %v, the oracle says %v", got, moves)
		}
		if len(moves) == 0 {
			break
		}
		g.must(o.make(moves[rng.IntN(len(moves))]))
	}
	if o.phase != "over" || g.state.Status != Finished {
		t.Fatalf("ended as %v, the oracle says %s", g.state.Status, o.phase)
	}
}

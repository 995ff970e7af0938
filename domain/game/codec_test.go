package game

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"

	"mago/domain/card"
	"mago/domain/shuffle"
)

// samples is at least one event of every type, together with what is stored of it.
var samples = []struct {
	event Event
	data  string
}{
	{
		GameCreated{
			RulesVersion: 1, Rules: Rules{Players: 3, Bidding: SecretBidding, Length: Five, Foresight: true}, Visibility: Private, AutoStart: true,
			Commitments: make([]shuffle.Commitment, 5), Secrets: fiveSecrets(),
		},
		`{"auto_start":true,"bot_commitment":"` + zeros + `","clock":{"kind":"none"},"commitments":["` + strings.Repeat(zeros+`","`, 4) + zeros +
			`"],"host":0,"rules":{"auto_play_forced":false,"bidding":"secret","foresight":true,"foresight_effective":true,"length":"five","players":3,"rounds":5},` +
			`"rules_version":1,"visibility":"private"}`,
	},
	{
		GameCreated{
			RulesVersion: 1, Rules: Rules{Players: 3, Length: Five, AutoPlayForced: true},
			Clock:       Clock{Kind: PerTurn, Seconds: 86400, MaxTimeouts: 3, Vacation: true},
			Commitments: make([]shuffle.Commitment, 5), Secrets: fiveSecrets(),
		},
		created(`{"kind":"per_turn","max_timeouts":3,"seconds":86400,"vacation":true}`),
	},
	{
		GameCreated{
			RulesVersion: 1, Rules: Rules{Players: 3, Length: Five, AutoPlayForced: true},
			Clock:       Clock{Kind: Bank, Initial: 600, Increment: 30, Max: 900, MaxTimeouts: 1},
			Commitments: make([]shuffle.Commitment, 5), Secrets: fiveSecrets(),
		},
		created(`{"increment_seconds":30,"initial_seconds":600,"kind":"bank","max_seconds":900,"max_timeouts":1,"vacation":false}`),
	},
	{BotSeated{Seat: 1, Level: StandardBot, Engine: "2"}, `{"engine":"2","level":"standard","seat":1}`},
	{PlayerJoined{Seat: 2, UserID: "u-1", ClientSeed: "a_b-C"}, `{"client_seed":"a_b-C","seat":2,"user_id":"u-1"}`},
	{PlayerJoined{Seat: 0, UserID: "u-1"}, `{"client_seed":"","seat":0,"user_id":"u-1"}`},
	{ClientSeedSet{Seat: 5, ClientSeed: "x"}, `{"client_seed":"x","seat":5}`},
	{InviteCodeRenewed{Seat: 2}, `{"seat":2}`},
	{PlayerLeft{Seat: 1, By: ByHost, Host: 0}, `{"by":"host","host":0,"seat":1}`},
	{PlayerLeft{Seat: 0, By: ByPlayer, Host: NoSeat}, `{"by":"player","host":null,"seat":0}`},
	{GameStarted{Dealer: 4}, `{"dealer":4}`},
	{
		Dealt{Round: 2, CardsEach: 2, Dealer: 1, Hands: []Hand{{Cards: card.SetOf(cards("W4 D1")...)}, {Hidden: 2}, {Cards: card.SetOf(cards("J1")...), Hidden: 1}}, Turned: cards("E13")[0]},
		`{"cards_each":2,"dealer":1,"hands":[["D1","W4"],["??","??"],["J1","??"]],"round":2,"turned":"E13"}`,
	},
	{Dealt{Round: 20, CardsEach: 20, Hands: []Hand{{}}}, `{"cards_each":20,"dealer":0,"hands":[[]],"round":20,"turned":null}`},
	{TrumpSet{Round: 1, Suit: card.Elves, By: ByTurned, Seat: NoSeat}, `{"auto":null,"by":"turned","round":1,"seat":null,"suit":"elves"}`},
	{TrumpSet{Round: 1, By: ByJester, Seat: NoSeat}, `{"auto":null,"by":"jester","round":1,"seat":null,"suit":null}`},
	{TrumpSet{Round: 1, By: ByNoCardLeft, Seat: NoSeat}, `{"auto":null,"by":"no_card_left","round":1,"seat":null,"suit":null}`},
	{TrumpSet{Round: 1, Suit: card.Humans, By: ByDealer, Seat: 0, Auto: AutoTimeout}, `{"auto":"timeout","by":"dealer","round":1,"seat":0,"suit":"humans"}`},
	{BidPlaced{Round: 1, Seat: 2, Tricks: 0}, `{"auto":null,"round":1,"seat":2,"tricks":0}`}, // the data of the contract's vector
	{BidPlaced{Round: 1, Seat: 2, Tricks: NoBid, Auto: AutoBot}, `{"auto":"bot","round":1,"seat":2,"tricks":null}`},
	{BidsRevealed{Round: 3, Bids: []int{0, 3, 1}}, `{"bids":[0,3,1],"round":3}`},
	{CardPlayed{Round: 3, Trick: 2, Seat: 1, Card: cards("G10")[0], Auto: AutoForced}, `{"auto":"forced","card":"G10","round":3,"seat":1,"trick":2}`},
	{CardPlayed{Round: 3, Trick: 2, Seat: 1, Card: cards("J4")[0], Auto: AutoPremove}, `{"auto":"premove","card":"J4","round":3,"seat":1,"trick":2}`},
	{TrickWon{Round: 3, Trick: 2, Seat: 1, Card: cards("W1")[0]}, `{"card":"W1","round":3,"seat":1,"trick":2}`},
	{
		RoundScored{Round: 1, Bids: []int{0, 1, 0}, Tricks: []int{1, 0, 0}, Points: []int{-10, -10, 20}, Totals: []int{-10, -10, 20}, Seed: shuffle.Seed{0xAB, 31: 1}},
		`{"bids":[0,1,0],"points":[-10,-10,20],"round":1,"seed":"ab` + zeros[4:] + `01","totals":[-10,-10,20],"tricks":[1,0,0]}`,
	},
	{
		GameFinished{Totals: []int{100, 100, 50}, Places: []int{1, 1, 3}, Winners: []Seat{0, 1}},
		`{"bot_key":"` + zeros + `","places":[1,1,3],"totals":[100,100,50],"winners":[0,1]}`,
	},
	{PlayerResigned{Seat: 3}, `{"seat":3}`},
	{GameCancelled{Reason: Expired}, `{"bot_key":"` + zeros + `","reason":"expired","seed":null}`},
	{GameCancelled{Reason: Agreed, InRound: true}, `{"bot_key":"` + zeros + `","reason":"agreed","seed":"` + zeros + `"}`},
	{GameCancelled{Reason: CancelledByHost}, `{"bot_key":"` + zeros + `","reason":"host","seed":null}`},
	{EngineSet{Engine: "3"}, `{"engine":"3"}`},
	{TurnTimedOut{Seat: 2, Action: ChooseTrump}, `{"action":"choose_trump","seat":2}`},
	{TurnTimedOut{Seat: 2, Action: PlaceBids}, `{"action":"bid","seat":2}`},
	{TurnTimedOut{Seat: 2, Action: PlayTricks}, `{"action":"play","seat":2}`},
	{SeatTakenOver{Seat: 4}, `{"seat":4}`},
	{SeatReclaimed{Seat: 4}, `{"seat":4}`},
	{EndVoted{Seat: 1, Agree: true}, `{"agree":true,"seat":1}`},
	{PauseVoted{Seat: 1}, `{"agree":false,"seat":1}`},
	{ClockPaused{Seat: NoSeat, Cause: PausedByAgreement}, `{"cause":"agreed","seat":null}`},
	{ClockPaused{Seat: 2, Cause: PausedByVacation}, `{"cause":"vacation","seat":2}`},
	{ClockResumed{Seat: NoSeat, Cause: ResumedByPlayer}, `{"cause":"player","seat":null}`},
	{ClockResumed{Seat: 0, Cause: ResumedByVacation}, `{"cause":"vacation","seat":0}`},
	{ClockResumed{Seat: 0, Cause: ResumedByLimit}, `{"cause":"limit","seat":0}`},
	{
		ClockExtended{Seats: []Seat{0, 2}, MS: 7200000, Until: 1790000001002},
		`{"cause":"outage","ms":7200000,"seats":[0,2],"until":"2026-09-21T14:13:21.002Z"}`,
	},
	{GameCancelled{Reason: Abandoned}, `{"bot_key":"` + zeros + `","reason":"abandoned","seed":null}`},
}

// created is the data of a game's first event with a clock.
func created(clock string) string {
	return `{"auto_start":false,"bot_commitment":"` + zeros + `","clock":` + clock + `,"commitments":["` + strings.Repeat(zeros+`","`, 4) + zeros +
		`"],"host":0,"rules":{"auto_play_forced":true,"bidding":"open","foresight":false,"foresight_effective":false,"length":"five","players":3,"rounds":5},` +
		`"rules_version":1,"visibility":"public"}`
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func fiveSecrets() Secrets {
	s := secrets(1)
	clear(s.Seeds[5:])
	return s
}

func TestStoredBytesOfEveryType(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range samples {
		name := TypeOf(s.event)
		seen[name] = true
		data, secret := Encode(s.event)
		if string(data) != s.data {
			t.Errorf("%s is stored as\n%s\nnot\n%s", name, data, s.data)
		}
		if canonical, err := jcs.Transform(data); err != nil || string(canonical) != s.data {
			t.Errorf("%s by RFC 8785 is %s, %v", s.data, canonical, err)
		}
		back, err := Decode(name, data, secret)
		if err != nil {
			t.Errorf("decode %s: %v", data, err)
		}
		if diff := cmp.Diff(s.event, back); diff != "" {
			t.Errorf("%s comes back otherwise (-want +got):\n%s", name, diff)
		}
	}
	for _, name := range Types() {
		if !seen[name] {
			t.Errorf("no sample of %s", name)
		}
	}
}

// TestMembersOfEveryType is the contract's table of events: names are for ever.
func TestMembersOfEveryType(t *testing.T) {
	t.Parallel()
	members := map[string]string{
		"game_created":        "auto_start bot_commitment clock commitments host rules rules_version visibility",
		"player_joined":       "client_seed seat user_id",
		"client_seed_set":     "client_seed seat",
		"player_left":         "by host seat",
		"invite_code_renewed": "seat",
		"game_started":        "dealer",
		"dealt":               "cards_each dealer hands round turned",
		"trump_set":           "auto by round seat suit",
		"bid_placed":          "auto round seat tricks",
		"bids_revealed":       "bids round",
		"card_played":         "auto card round seat trick",
		"trick_won":           "card round seat trick",
		"round_scored":        "bids points round seed totals tricks",
		"game_finished":       "bot_key places totals winners",
		"player_resigned":     "seat",
		"game_cancelled":      "bot_key reason seed",
		"bot_seated":          "engine level seat",
		"engine_set":          "engine",
		"turn_timed_out":      "action seat",
		"seat_taken_over":     "seat",
		"seat_reclaimed":      "seat",
		"end_voted":           "agree seat",
		"pause_voted":         "agree seat",
		"clock_paused":        "cause seat",
		"clock_resumed":       "cause seat",
		"clock_extended":      "cause ms seats until",
	}
	for _, s := range samples {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s.data), &object); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range object {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != members[TypeOf(s.event)] {
			t.Errorf("%s has %s", TypeOf(s.event), got)
		}
	}
	if got := len(Types()); got != len(members) {
		t.Errorf("%d types", got)
	}
}

// TestSecretsAreStoredApart: in a field of their own, the seeds of the rounds and then the bot key.
func TestSecretsAreStoredApart(t *testing.T) {
	t.Parallel()
	created := samples[0].event.(GameCreated)
	data, secret := Encode(created)
	if len(secret) != 6*32 || [32]byte(secret[32:]) != created.Secrets.Seeds[1] || [32]byte(secret[5*32:]) != created.Secrets.BotKey {
		t.Errorf("secret %x", secret)
	}
	exported, err := Decode("game_created", data, nil)
	if err != nil || exported.(GameCreated).Secrets != (Secrets{}) {
		t.Errorf("without its secrets: %v, %v", exported, err)
	}
	for _, bad := range [][]byte{{}, secret[1:], append(slices.Clone(secret), 0)} {
		if e, err := Decode("game_created", data, bad); err == nil {
			t.Errorf("secrets of %d bytes read as %v", len(bad), e)
		}
	}
	for _, s := range samples[1:] {
		if _, secret := Encode(s.event); (secret != nil) != (TypeOf(s.event) == "game_created") {
			t.Errorf("%s has a secret", TypeOf(s.event))
		}
	}
}

func TestUnknownMembersArePassedOver(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"a":1,"auto":null,"b":{"x":[1,"}",{}],"y":"\"\\"},"round":1,"rx":[],"seat":2,"t":true,"tricks":0,"z":-1.5e3}`,
		`{"":"","auto":null,"auto2":null,"round":1,"seat":2,"tricks":0,"zz":[[[[]]]]}`,
		`{"auto":null,"round":1,"seat":2,"tricks":0,"ü":"é"}`,
	} {
		if !json.Valid([]byte(data)) {
			t.Fatalf("%s is no JSON", data)
		}
		e, err := Decode("bid_placed", []byte(data), nil)
		if err != nil || e != (BidPlaced{Round: 1, Seat: 2}) {
			t.Errorf("%s reads as %+v, %v", data, e, err)
		}
	}
}

// TestAGameFromBeforeAMemberWasAdded reads as it was played: without forced moves.
func TestAGameFromBeforeAMemberWasAdded(t *testing.T) {
	t.Parallel()
	now, _ := Encode(samples[0].event)
	then := bytes.Replace(now, []byte(`"auto_play_forced":false,`), nil, 1)
	e, err := Decode("game_created", then, nil)
	if err != nil || len(then) == len(now) || e.(GameCreated).Rules.AutoPlayForced {
		t.Errorf("%s reads as %+v, %v", then, e, err)
	}
}

func TestMissingMembersAreZero(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Event{
		"player_joined": PlayerJoined{}, "client_seed_set": ClientSeedSet{}, "invite_code_renewed": InviteCodeRenewed{}, "player_left": PlayerLeft{Host: NoSeat}, "game_started": GameStarted{},
		"dealt": Dealt{}, "trump_set": TrumpSet{Seat: NoSeat}, "bid_placed": BidPlaced{Tricks: NoBid}, "bids_revealed": BidsRevealed{},
		"card_played": CardPlayed{}, "trick_won": TrickWon{}, "round_scored": RoundScored{}, "game_finished": GameFinished{},
		"player_resigned": PlayerResigned{}, "game_cancelled": GameCancelled{}, "bot_seated": BotSeated{}, "engine_set": EngineSet{}, "turn_timed_out": TurnTimedOut{},
		"seat_taken_over": SeatTakenOver{}, "seat_reclaimed": SeatReclaimed{}, "end_voted": EndVoted{}, "pause_voted": PauseVoted{},
		"clock_paused": ClockPaused{Seat: NoSeat}, "clock_resumed": ClockResumed{Seat: NoSeat}, "clock_extended": ClockExtended{},
	} {
		if e, err := Decode(name, []byte(`{}`), nil); err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("an empty %s reads as %+v, %v", name, e, err)
		}
		if e, err := Decode(name, []byte(`{"zzz":{"a":[]}}`), nil); err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("a %s of another time reads as %+v, %v", name, e, err)
		}
	}
}

func TestUnknownEvents(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "bot_moved", "BidPlaced", "game_created "} {
		if e, err := Decode(name, []byte(`{}`), nil); !errors.Is(err, ErrUnknownEvent) {
			t.Errorf("%q reads as %v, %v", name, e, err)
		}
	}
}

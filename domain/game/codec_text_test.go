package game

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

// TestTextIsWrittenAsRFC8785Says, which Go's own encoder doesn't for < and U+2028.
func TestTextIsWrittenAsRFC8785Says(t *testing.T) {
	t.Parallel()
	texts := []string{"", "plain", "<b>&amp;</b>", "\u2028\u2029", "\x7f", "🧙‍♂️ wizard", `"quoted" \ /`, "é ü ñ ß Ω €", "\U0010FFFF\uFFFD\uFEFF", "\u0080\u009f"}
	for b := range 0x20 {
		texts = append(texts, fmt.Sprintf("a%cz", rune(b)))
	}
	for _, text := range texts {
		var plain strings.Builder
		enc := json.NewEncoder(&plain)
		if err := enc.Encode([]string{text}); err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform([]byte(plain.String()))
		if err != nil {
			t.Fatal(err)
		}
		if got := "[" + string(appendText(nil, text)) + "]"; got != string(want) {
			t.Errorf("%q is written %s, not %s", text, got, want)
		}
		data, _ := Encode(PlayerJoined{UserID: "u", ClientSeed: text})
		if e, err := Decode("player_joined", data, nil); err != nil || e.(PlayerJoined).ClientSeed != text {
			t.Errorf("%s reads as %+v, %v", data, e, err)
		}
	}
	if got := string(appendText(nil, "<\u2028\x7f\b\v")); got != "\"<\u2028\x7f\\b\\u000b\"" {
		t.Errorf("written %s", got)
	}
}

// TestDataThatNoGameStored is an error, never a guess.
func TestDataThatNoGameStored(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct{ name, data string }{
		{"game_started", ``},
		{"game_started", `null`},
		{"game_started", `[]`},
		{"game_started", `{`},
		{"game_started", `{"dealer"`},
		{"game_started", `{"dealer":`},
		{"game_started", `{"dealer":1`},
		{"game_started", `{"dealer":1,`},
		{"game_started", `{"dealer":1,}`},
		{"game_started", `{,"dealer":1}`},
		{"game_started", `{"dealer":1}}`},
		{"game_started", `{"dealer":1} `},
		{"game_started", ` {"dealer":1}`},
		{"game_started", `{"dealer": 1}`},
		{"game_started", `{"dealer":1"x":2}`},
		{"game_started", `{"dealer":1,"dealer":2}`},
		{"game_started", `{"dealer":1,"a":2}`},
		{"game_started", `{"x":1,"dealer":1}`},
		{"game_started", `{"dealer":6}`},
		{"game_started", `{"dealer":-1}`},
		{"game_started", `{"dealer":-0}`},
		{"game_started", `{"dealer":01}`},
		{"game_started", `{"dealer":1.0}`},
		{"game_started", `{"dealer":1e0}`},
		{"game_started", `{"dealer":"1"}`},
		{"game_started", `{"dealer":null}`},
		{"game_started", `{"dealer":99999999999999999999}`},
		{"game_started", `{"a":,"dealer":1}`},
		{"game_started", `{"a":nul,"dealer":1}`},
		{"game_started", `{"a":[1 2],"dealer":1}`},
		{"game_started", `{"a":{"b"},"dealer":1}`},
		{"game_started", `{"a":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `,"dealer":1}`},
		{"game_started", `{"a":"` + "\\"},
		{"bid_placed", `{"round":0}`},
		{"bid_placed", `{"round":21}`},
		{"bid_placed", `{"tricks":21}`},
		{"bid_placed", `{"tricks":-1}`},
		{"bid_placed", `{"auto":"human"}`},
		{"bid_placed", `{"auto":3}`},
		{"bids_revealed", `{"bids":[0,0,0,0,0,0,0]}`},
		{"bids_revealed", `{"bids":[0,]}`},
		{"bids_revealed", `{"bids":[0 0]}`},
		{"bids_revealed", `{"bids":{}}`},
		{"card_played", `{"card":"??"}`},
		{"card_played", `{"card":"D14"}`},
		{"card_played", `{"card":null}`},
		{"dealt", `{"turned":"??"}`},
		{"dealt", `{"turned":""}`},
		{"dealt", `{"hands":[["D1","D1"]]}`},
		{"dealt", `{"hands":[["D1" "D2"]]}`},
		{"dealt", `{"hands":[[` + strings.Repeat(`"??",`, 20) + `"??"]]}`},
		{"dealt", `{"hands":[[],[],[],[],[],[],[]]}`},
		{"dealt", `{"hands":"D1"}`},
		{"trump_set", `{"suit":"none"}`},
		{"trump_set", `{"by":""}`},
		{"round_scored", `{"seed":"00"}`},
		{"round_scored", `{"seed":"` + strings.Repeat("g", 64) + `"}`},
		{"round_scored", `{"points":[4401]}`},
		{"player_joined", `{"user_id":"` + "\x01" + `"}`},
		{"player_joined", `{"user_id":"` + "\xff" + `"}`},
		{"player_joined", `{"user_id":"\u0041"}`},
		{"player_joined", `{"user_id":"\/"}`},
		{"player_joined", `{"user_id":"\ud800"}`},
		{"player_joined", `{"user_id":"\x"}`},
		{"player_joined", `{"user_id":7}`},
		{"game_created", `{}`},
		{"game_created", `{"auto_start":1}`},
		{"game_created", `{"auto_start":tru}`},
		{"game_created", `{"rules":{"players":3},"rules_version":1}`},
		{"game_created", `{"rules":{"players":2},"rules_version":1}`},
		{"game_created", `{"rules":{"players":7},"rules_version":1}`},
		{"game_created", `{"rules":{"players":3,"bidding":"open"},"rules_version":1}`},
		{"game_created", `{"clock":{"kind":"fast"}}`},
		{"game_created", strings.Replace(samples[0].data, `"rules_version":1`, `"rules_version":2`, 1)},
		{"game_created", strings.Replace(samples[0].data, `"rules_version":1,`, ``, 1)},
	} {
		if e, err := Decode(bad.name, []byte(bad.data), nil); err == nil {
			t.Errorf("%s %s reads as %+v", bad.name, bad.data, e)
		}
	}
}

// TestDataCutShort: no beginning of stored data passes for all of it.
func TestDataCutShort(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		for n := range len(s.data) {
			if e, err := Decode(TypeOf(s.event), []byte(s.data[:n]), nil); err == nil {
				t.Errorf("%s reads as %+v", s.data[:n], e)
			}
		}
	}
}

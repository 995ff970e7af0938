package card

import (
	"strings"
	"testing"
)

const deckCodes = "D1 D2 D3 D4 D5 D6 D7 D8 D9 D10 D11 D12 D13 E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12 E13 " +
	"G1 G2 G3 G4 G5 G6 G7 G8 G9 G10 G11 G12 G13 H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11 H12 H13 W1 W2 W3 W4 J1 J2 J3 J4"

func TestTheDeckInOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range Deck() {
		got = append(got, c.String())
	}
	if strings.Join(got, " ") != deckCodes {
		t.Fatalf("deck is %v", got)
	}
}

func TestEveryCardIsWhatItsCodeSays(t *testing.T) {
	t.Parallel()
	suits := map[byte]Suit{'D': Dwarves, 'E': Elves, 'G': Giants, 'H': Humans}
	for i, code := range strings.Fields(deckCodes) {
		c, err := Parse(code)
		if err != nil || c != Deck()[i] {
			t.Fatalf("%s reads as %v, %v", code, c, err)
		}
		rank := 0
		for _, d := range code[1:] {
			rank = 10*rank + int(d-'0')
		}
		if !c.Valid() || c.Suit() != suits[code[0]] || c.Rank() != rank || c.IsWizard() != (code[0] == 'W') || c.IsJester() != (code[0] == 'J') {
			t.Errorf("%s: suit %v rank %d wizard %t jester %t", code, c.Suit(), c.Rank(), c.IsWizard(), c.IsJester())
		}
		made := Of(max(c.Suit(), Dwarves), c.Rank())
		switch code[0] {
		case 'W':
			made = Wizard(c.Rank())
		case 'J':
			made = Jester(c.Rank())
		}
		if made != c {
			t.Errorf("%s is made as %v", code, made)
		}
	}
}

func TestWhatIsNoCard(t *testing.T) {
	t.Parallel()
	for _, c := range []Card{None, 61, 62, Hidden, 64, 255} {
		if c.Valid() || c.IsWizard() || c.IsJester() || c.Suit() != NoSuit || c.Rank() != 0 {
			t.Errorf("%d passes for a card", c)
		}
	}
	if None.String() != "" || Hidden.String() != "??" || Card(61).String() != "" {
		t.Error("codes of no cards")
	}
	if c, err := Parse("??"); c != Hidden || err != nil {
		t.Errorf("?? reads as %v, %v", c, err)
	}
	for _, code := range []string{"", "?", "???", "D0", "D14", "D01", "d1", "W0", "W5", "J5", "D", "1", " D1", "D1 ", "D-1", "S1", "D١"} {
		if c, err := Parse(code); err == nil || c != None {
			t.Errorf("%q reads as %v", code, c)
		}
	}
}

func TestSuitsByName(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"dwarves", "elves", "giants", "humans"} {
		if s, err := ParseSuit(name); err != nil || s != Suits[i] || s.String() != name {
			t.Errorf("%s reads as %v, %v", name, s, err)
		}
	}
	for _, name := range []string{"", "none", "Elves", "wizards", "elves "} {
		if s, err := ParseSuit(name); err == nil || s != NoSuit {
			t.Errorf("%q reads as %v", name, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, code := range append(strings.Fields(deckCodes), "??", "", "D0", "D14", "J5") {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		c, err := Parse(code)
		if err == nil && (c.String() != code || !c.Valid() && c != Hidden) || err != nil && c != None {
			t.Fatalf("%q reads as %v, %v", code, c, err)
		}
	})
}

func FuzzParseSuit(f *testing.F) {
	for _, name := range []string{"dwarves", "elves", "giants", "humans", "", "none"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := ParseSuit(name)
		if err == nil && (s.String() != name || s == NoSuit) || err != nil && s != NoSuit {
			t.Fatalf("%q reads as %v, %v", name, s, err)
		}
	})
}

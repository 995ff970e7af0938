package game

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func describe(t *testing.T, name string) *Schema {
	t.Helper()
	s, err := Describe(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// misfit says where a value is none of those that a schema allows, "" if it is one. A value that the schema says nothing of is a misfit.
func misfit(s *Schema, v any) string {
	switch v := v.(type) {
	case nil:
		if s.Nullable {
			return ""
		}
	case bool:
		if s.Type == JSONBoolean {
			return ""
		}
	case float64:
		if s.Type == JSONInteger && v == float64(int(v)) && int(v) >= s.Least && int(v) <= s.Most {
			return ""
		}
	case string:
		if s.Type == JSONString && utf8.ValidString(v) && (s.Values == nil || slices.Contains(s.Values, v)) && regexp.MustCompile(s.Pattern).MatchString(v) {
			return ""
		}
	case []any:
		if s.Type != JSONArray || len(v) > s.MostItems {
			break
		}
		for i, e := range v {
			if at := misfit(s.Items, e); at != "" {
				return fmt.Sprintf("%d %s", i, at)
			}
		}
		return ""
	case map[string]any:
		var names []string
		for _, m := range s.Members {
			if _, there := v[m.Name]; m.Optional && !there {
				continue
			}
			names = append(names, m.Name)
			if at := misfit(m.Schema, v[m.Name]); at != "" {
				return m.Name + " " + at
			}
		}
		if got := slices.Sorted(maps.Keys(v)); s.Type == JSONObject && slices.Equal(got, names) {
			return ""
		}
	}
	return fmt.Sprintf("%v: not one of %+v", v, *s)
}

func TestSchemasFitWhatIsStored(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		var v any
		if err := json.Unmarshal([]byte(s.data), &v); err != nil {
			t.Fatal(err)
		}
		if at := misfit(describe(t, TypeOf(s.event)), v); at != "" {
			t.Errorf("%s %s: %s", TypeOf(s.event), s.data, at)
		}
	}
}

// Every value is of a known type, every list of values and every bound is there: a value that the codec writes without noting it has none.
func TestSchemasAreWhole(t *testing.T) {
	t.Parallel()
	var whole func(at string, s *Schema)
	whole = func(at string, s *Schema) {
		switch {
		case s.Type == "":
			t.Errorf("%s: nothing was noted", at)
		case s.Type == JSONInteger && s.Least >= s.Most:
			t.Errorf("%s: from %d to %d", at, s.Least, s.Most)
		case s.Type == JSONArray && s.MostItems < 1:
			t.Errorf("%s: at most %d", at, s.MostItems)
		case s.Pattern != "" && misfit(s, s.Example) != "":
			t.Errorf("%s: %q is no example", at, s.Example)
		}
		if s.Items != nil {
			whole(at+"/items", s.Items)
		}
		for _, m := range s.Members {
			whole(at+"/"+m.Name, m.Schema)
		}
	}
	for _, name := range Types() {
		whole(name, describe(t, name))
	}
}

func TestSchemasKnowHiddenForms(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"dealt":      `{"cards_each":2,"dealer":1,"hands":[["D1","W4"],["??","??"]],"round":2,"turned":null}`,
		"bid_placed": `{"auto":null,"round":1,"seat":2,"tricks":null}`,
		"trump_set":  `{"auto":null,"by":"jester","round":1,"seat":null,"suit":null}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatal(err)
		}
		if at := misfit(describe(t, name), v); at != "" {
			t.Errorf("%s: %s", name, at)
		}
	}
	played := describe(t, "card_played")
	for card, fits := range map[string]bool{"D1": true, "H13": true, "W4": true, "??": false, "D0": false, "D14": false, "W5": false, "X1": false, "": false} {
		data := map[string]any{"auto": nil, "card": card, "round": 1.0, "seat": 0.0, "trick": 1.0}
		if at := misfit(played, data); (at == "") != fits {
			t.Errorf("card %q played: %q", card, at)
		}
	}
}

func TestSchemaOfOneType(t *testing.T) {
	t.Parallel()
	want := &Schema{Type: JSONObject, Members: []Member{
		{Name: "auto", Schema: &Schema{Type: JSONString, Nullable: true, Values: []string{"timeout", "forced", "premove", "bot"}}},
		{Name: "by", Schema: &Schema{Type: JSONString, Values: []string{"turned", "jester", "dealer", "no_card_left"}}},
		{Name: "round", Schema: &Schema{Type: JSONInteger, Least: 1, Most: 20}},
		{Name: "seat", Schema: &Schema{Type: JSONInteger, Nullable: true, Most: 5}},
		{Name: "suit", Schema: &Schema{Type: JSONString, Nullable: true, Values: strings.Fields("dwarves elves giants humans")}},
	}}
	if diff := cmp.Diff(want, describe(t, "trump_set")); diff != "" {
		t.Error(diff)
	}
	if _, err := Describe("unheard_of"); !errors.Is(err, ErrUnknownEvent) {
		t.Errorf("got %v", err)
	}
}

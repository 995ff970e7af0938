package game

import (
	"fmt"
	"slices"
	"strings"

	"mago/domain/card"
)

// JSONType is a type of JSON values, named as JSON Schema names it.
type JSONType string

// The types of values in events.
const (
	JSONObject  JSONType = "object"
	JSONArray   JSONType = "array"
	JSONInteger JSONType = "integer"
	JSONString  JSONType = "string"
	JSONBoolean JSONType = "boolean"
)

// Schema says which values there can be at a place in an event's data, hidden forms included: as much of JSON Schema as events need.
type Schema struct {
	Type        JSONType
	Nullable    bool
	Members     []Member // of an object: all that are not optional are there, and no others
	Items       *Schema  // of an array
	MostItems   int      // of an array
	Least, Most int      // of an integer
	Values      []string // of a string: one of them; nil for any
	Pattern     string   // of a string: a regular expression in the common subset; empty for any
	Example     string   // of a string with a pattern
}

// Member is a named place in an object.
type Member struct {
	Name     string
	Schema   *Schema
	Optional bool // only in some forms of the object
}

// Describe returns what the data of events of a type looks like. It is what Encode writes and Decode reads, noted by the same list of members.
func Describe(name string) (*Schema, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownEvent, name)
	}
	root := new(Schema)
	c := codec{place: root}
	c.begin()
	k.decode(&c)
	return root, nil
}

// Values of some form.
var (
	faceUpSchema = Schema{Type: JSONString, Pattern: `^([DEGH]([1-9]|1[0-3])|[WJ][1-4])$`, Example: "E5"}
	cardSchema   = Schema{Type: JSONString, Pattern: `^([DEGH]([1-9]|1[0-3])|[WJ][1-4]|\?\?)$`, Example: card.Hidden.String()}
	hexSchema    = Schema{Type: JSONString, Pattern: `^[0-9a-f]{64}$`, Example: strings.Repeat("0123456789abcdef", 4)}
)

// note notes what the value at the place looks like.
func (c *codec) note(is Schema) {
	is.Nullable = c.place.Nullable // null was met before the value
	is.Values = slices.DeleteFunc(slices.Clone(is.Values), func(name string) bool { return name == "" })
	*c.place = is
}

// noteMember goes to a new member of the object that is being noted.
func (c *codec) noteMember(name string) {
	c.place = new(Schema)
	c.noted.Members = append(c.noted.Members, Member{name, c.place, c.optional})
}

// noteItems notes an array and goes to its items.
func (c *codec) noteItems(most int) {
	items := new(Schema)
	c.note(Schema{Type: JSONArray, Items: items, MostItems: most})
	c.place = items
}

func suitNames() []string {
	names := make([]string, len(card.Suits))
	for i, s := range card.Suits {
		names[i] = s.String()
	}
	return names
}

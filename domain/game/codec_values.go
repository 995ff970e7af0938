package game

import (
	"encoding/hex"
	"strconv"
	"time"

	"mago/domain/shuffle"
)

type commitment = shuffle.Commitment

// maxPoints bounds points and totals: 20 rounds of at most 220 points.
const maxPoints = 20 * (20 + 10*MaxCards)

// codec writes or reads the members of one JSON object in the order of their names, or notes what they look like.
type codec struct {
	decoding bool
	out      []byte
	in       parser
	place    *Schema // of the value met next; nil unless the codec only notes
	noted    *Schema // the object that is being noted
	optional bool    // the members being noted are in some forms of the object only
}

// begin and end are the braces of an object.
func (c *codec) begin() {
	if c.place != nil {
		c.note(Schema{Type: JSONObject})
		c.noted = c.place
		return
	}
	if c.decoding {
		c.in.expect('{')
		return
	}
	c.out = append(c.out, '{')
}

func (c *codec) end() {
	if c.place != nil {
		return
	}
	if c.decoding {
		c.in.endObject()
		return
	}
	c.out = append(c.out, '}')
}

// member begins a member and tells whether there is a value to write or to read.
func (c *codec) member(name string) bool {
	if c.place != nil {
		c.noteMember(name)
		return true
	}
	if c.decoding {
		return c.in.seek(name)
	}
	if c.out[len(c.out)-1] != '{' {
		c.out = append(c.out, ',')
	}
	c.out = append(c.out, '"')
	c.out = append(c.out, name...)
	c.out = append(c.out, '"', ':')
	return true
}

// where is members that an object has in some forms only. Where they are read, those that are there tell.
func (c *codec) where(there bool, members func()) {
	switch {
	case c.place != nil:
		c.optional = true
		members()
		c.optional = false
	case c.decoding || there:
		members()
	}
}

// null writes null where there is no value, or reads one; it tells whether there is nothing more to write or read.
func (c *codec) null(none bool) bool {
	if c.place != nil {
		c.place.Nullable = true
		return false
	}
	if c.decoding {
		return c.in.null()
	}
	if none {
		c.out = append(c.out, "null"...)
	}
	return none
}

func (c *codec) object(name string, members func(*codec)) {
	if c.member(name) {
		outer, last := c.noted, c.in.last
		c.in.last = nil
		c.begin()
		members(c)
		c.end()
		c.noted, c.in.last = outer, last
	}
}

// list is an array with at most most values.
func list[T any](c *codec, name string, most int, v *[]T, value func(*codec, *T)) {
	if !c.member(name) {
		return
	}
	if c.place != nil {
		c.noteItems(most)
		value(c, new(T))
		return
	}
	if c.decoding {
		c.in.expect('[')
		*v = []T{}
		for c.in.element(len(*v)) {
			if len(*v) == most {
				c.in.fail("more values than there can be")
				return
			}
			var e T
			value(c, &e)
			*v = append(*v, e)
		}
		return
	}
	c.out = append(c.out, '[')
	for i := range *v {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		value(c, &(*v)[i])
	}
	c.out = append(c.out, ']')
}

func (c *codec) numberValue(least, most int, v *int) {
	if c.place != nil {
		c.note(Schema{Type: JSONInteger, Least: least, Most: most})
		return
	}
	if c.decoding {
		*v = c.in.number(least, most)
		return
	}
	c.out = strconv.AppendInt(c.out, int64(*v), 10)
}

func (c *codec) number(name string, least, most int, v *int) {
	if c.member(name) {
		c.numberValue(least, most, v)
	}
}

func (c *codec) optionalNumber(name string, least, most, none int, v *int) {
	if c.decoding {
		*v = none
	}
	if c.member(name) && !c.null(*v == none) {
		c.numberValue(least, most, v)
	}
}

func (c *codec) numbers(name string, least, most int, v *[]int) {
	list(c, name, MaxPlayers, v, func(c *codec, n *int) { c.numberValue(least, most, n) })
}

func (c *codec) round(v *int) { c.number("round", 1, MaxRounds, v) }

func (c *codec) booleanValue(v *bool) {
	if c.place != nil {
		c.note(Schema{Type: JSONBoolean})
		return
	}
	if c.decoding {
		*v = c.in.boolean()
		return
	}
	c.out = strconv.AppendBool(c.out, *v)
}

func (c *codec) boolean(name string, v *bool) {
	if c.member(name) {
		c.booleanValue(v)
	}
}

// derived and derivedNumber are members that are written for readers and follow from the others.
func (c *codec) derived(name string, value func() bool) {
	switch {
	case c.place != nil:
		c.boolean(name, new(bool)) // it follows from nothing here
	case !c.decoding:
		v := value()
		c.boolean(name, &v)
	}
}

func (c *codec) derivedNumber(name string, least, most int, value func() int) {
	switch {
	case c.place != nil:
		c.number(name, least, most, new(int))
	case !c.decoding:
		v := value()
		c.number(name, least, most, &v)
	}
}

func (c *codec) textValue(v *string) {
	if c.place != nil {
		c.note(Schema{Type: JSONString})
		return
	}
	if c.decoding {
		*v = c.in.text()
		return
	}
	c.out = appendText(c.out, *v)
}

func (c *codec) text(name string, v *string) {
	if c.member(name) {
		c.textValue(v)
	}
}

func enumValue[T ~uint8](c *codec, names []string, v *T) {
	if c.place != nil {
		c.note(Schema{Type: JSONString, Values: names})
		return
	}
	if !c.decoding {
		c.textValue(&names[*v])
		return
	}
	name := c.in.text()
	got, ok := parseName[T](names, name)
	if !ok {
		c.in.fail("unknown value " + strconv.Quote(name))
	}
	*v = got
}

func enum[T ~uint8](c *codec, name string, names []string, v *T) {
	if c.member(name) {
		enumValue(c, names, v)
	}
}

// optionalEnum writes the first name, which is empty, as null.
func optionalEnum[T ~uint8](c *codec, name string, names []string, v *T) {
	if c.member(name) && !c.null(*v == 0) {
		enumValue(c, names, v)
	}
}

func (c *codec) hexValue(v *[32]byte) {
	if c.place != nil {
		c.note(hexSchema)
		return
	}
	if !c.decoding {
		c.out = append(c.out, '"')
		c.out = hex.AppendEncode(c.out, v[:])
		c.out = append(c.out, '"')
		return
	}
	b, err := hex.DecodeString(c.in.text())
	if err != nil || len(b) != len(v) {
		c.in.fail("not 32 bytes in hex")
		return
	}
	*v = [32]byte(b)
}

func (c *codec) hash(name string, v *[32]byte) {
	if c.member(name) {
		c.hexValue(v)
	}
}

func (c *codec) optionalHash(name string, there *bool, v *[32]byte) {
	if c.member(name) && !c.null(!*there) {
		c.hexValue(v)
		*there = true
	}
}

// maxMilliseconds bounds durations and times, about 285,000 years; RFC 8785 is exact up to it.
const maxMilliseconds = 1<<53 - 1

func (c *codec) milliseconds(name string, v *int64) {
	n := int(*v)
	c.number(name, 0, maxMilliseconds, &n)
	*v = int64(n)
}

// timeForm is RFC 3339 in UTC with exactly three decimals.
const timeForm = "2006-01-02T15:04:05.000Z"

// time is a point in time, in Unix milliseconds inside.
func (c *codec) time(name string, v *int64) {
	if !c.member(name) {
		return
	}
	text := time.UnixMilli(*v).UTC().Format(timeForm)
	c.textValue(&text)
	if !c.decoding {
		return
	}
	at, err := time.Parse(timeForm, text)
	if err != nil || at.Format(timeForm) != text {
		c.in.fail("no time in RFC 3339 with three decimals")
		return
	}
	*v = at.UnixMilli()
}

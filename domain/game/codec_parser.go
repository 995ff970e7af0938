package game

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// parser reads JSON without white space, whose objects have their members in the order of their names: what RFC 8785 makes of ASCII
// names. The first error stands; after it everything reads as zero.
type parser struct {
	data []byte
	at   int
	last []byte // name of the member read last in the object, nil before the first
	err  error
}

var errCutShort = errors.New("data ends early")

func (p *parser) fail(why string) {
	if p.err == nil {
		p.err = fmt.Errorf("at byte %d: %s", p.at, why)
	}
	p.at = len(p.data)
}

func (p *parser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	if p.err == nil {
		p.err = errCutShort
	}
	return 0
}

func (p *parser) expect(b byte) {
	if p.peek() != b {
		p.fail("expected " + strconv.QuoteRune(rune(b)))
		return
	}
	p.at++
}

// memberName reads the name of the next member of the object being read, last being the name before it.
func (p *parser) memberName() []byte {
	if p.last != nil {
		p.expect(',')
	}
	name := p.rawText()
	if p.last != nil && bytes.Compare(name, p.last) <= 0 {
		p.fail("members out of order")
	}
	return name
}

// seek goes to the value of the named member, past members with lower names. It tells whether there is one.
func (p *parser) seek(name string) bool {
	for p.err == nil && p.peek() != '}' {
		start := p.at
		got := p.memberName()
		if p.err != nil {
			return false
		}
		order := bytes.Compare(got, []byte(name))
		if order > 0 {
			p.at = start
			return false
		}
		p.last = got
		p.expect(':')
		if order == 0 {
			return true
		}
		p.skip(0)
	}
	return false
}

// endObject goes past the members that are left and the closing brace.
func (p *parser) endObject() {
	for p.err == nil && p.peek() != '}' {
		p.last = p.memberName()
		p.expect(':')
		p.skip(0)
	}
	p.expect('}')
}

func (p *parser) endData() {
	if p.err == nil && p.at < len(p.data) {
		p.fail("more data than an object")
	}
}

// element goes to the next element of an array, of which read elements are behind it, or past its end.
func (p *parser) element(read int) bool {
	switch {
	case p.err != nil:
		return false
	case p.peek() == ']':
		p.at++
		return false
	case read > 0:
		p.expect(',')
	}
	return p.err == nil
}

// maxDepth bounds the nesting of values that are passed over.
const maxDepth = 32

func (p *parser) skip(depth int) {
	if depth > maxDepth {
		p.fail("nested too deeply")
		return
	}
	switch b := p.peek(); b {
	case '"':
		p.rawText()
	case '{', '[':
		p.at++
		p.skipAll(b+2, depth) // '}' and ']' stand two behind '{' and '['
	default:
		start := p.at
		for p.at < len(p.data) && !bytes.ContainsRune([]byte(",]}"), rune(p.data[p.at])) {
			p.at++
		}
		if !json.Valid(p.data[start:p.at]) {
			p.fail("no JSON value")
		}
	}
}

func (p *parser) skipAll(end byte, depth int) {
	for first := true; p.err == nil; first = false {
		if p.peek() == end {
			p.at++
			return
		}
		if !first {
			p.expect(',')
		}
		if end == '}' {
			p.rawText()
			p.expect(':')
		}
		p.skip(depth + 1)
	}
}

func (p *parser) null() bool {
	if p.err == nil && bytes.HasPrefix(p.data[p.at:], []byte("null")) {
		p.at += len("null")
		return true
	}
	return p.err != nil
}

func (p *parser) boolean() bool {
	switch rest := p.data[p.at:]; {
	case bytes.HasPrefix(rest, []byte("true")):
		p.at += len("true")
		return true
	case bytes.HasPrefix(rest, []byte("false")):
		p.at += len("false")
	default:
		p.fail("expected true or false")
	}
	return false
}

// number reads an integer in its canonical form, between the bounds.
func (p *parser) number(least, most int) int {
	start := p.at
	if p.at < len(p.data) && p.data[p.at] == '-' {
		p.at++
	}
	for p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '9' {
		p.at++
	}
	digits := string(p.data[start:p.at])
	n, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(n) != digits || n < least || n > most {
		p.fail(fmt.Sprintf("expected a number from %d to %d", least, most))
		return 0
	}
	return n
}

// rawText reads a string that needs no unescaping to be compared: a member's name.
func (p *parser) rawText() []byte {
	p.expect('"')
	start := p.at
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			raw := p.data[start : p.at-1]
			if !plain(raw) && !json.Valid(p.data[start-1:p.at]) {
				p.fail("no string")
			}
			return raw
		}
		p.at++
	}
	p.fail("a string without end")
	return nil
}

func (p *parser) text() string {
	start := p.at
	raw := p.rawText()
	if p.err != nil {
		return ""
	}
	if plain(raw) {
		return string(raw)
	}
	var s string
	written := p.data[start:p.at]
	if err := json.Unmarshal(written, &s); err != nil || !bytes.Equal(appendText(nil, s), written) {
		p.fail("no string in canonical form")
		return ""
	}
	return s
}

// plain tells whether a string stands for itself. Text outside ASCII is left to be looked at closely.
func plain(raw []byte) bool {
	for _, b := range raw {
		if b < 0x20 || b >= 0x80 || b == '\\' {
			return false
		}
	}
	return true
}

// appendText writes a string as RFC 8785, 3.2.2.2 says: only quotes, backslashes and control characters below U+0020 are escaped.
func appendText(dst []byte, s string) []byte {
	const short = "btn\x00fr" // U+0008 to U+000D; U+000B has no short form
	dst = append(dst, '"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b >= 0x20:
			dst = append(dst, b)
		case b >= 8 && b <= 13 && b != 11:
			dst = append(dst, '\\', short[b-8])
		default:
			dst = fmt.Appendf(dst, `\u%04x`, b)
		}
	}
	return append(dst, '"')
}

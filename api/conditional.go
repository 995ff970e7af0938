package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// anyVersion is what If-None-Match: * stands for.
const anyVersion = "*"

// etag is the entity tag of a game at a version.
func etag(version int) string { return strconv.Quote(strconv.Itoa(version)) }

// ifMatch returns the version that the request demands the game to stand at. It is not present where the header is
// absent or "*", which any version satisfies. A well-formed tag that is no version of ours comes back as 0, which no
// game stands at. Weak tags count as strong ones: proxies that compress weaken them.
func ifMatch(c echo.Context) (version int, present bool, err error) {
	tags, ok := entityTags(c.Request().Header, "If-Match")
	switch {
	case !ok || len(tags) > 1:
		var v validator
		v.invalid("/If-Match", `must be one entity tag such as "57", or *`)
		return 0, false, v.err()
	case len(tags) == 0 || tags[0] == anyVersion:
		return 0, false, nil
	}
	n, err := strconv.Atoi(tags[0])
	if err != nil || strconv.Itoa(n) != tags[0] {
		n = 0
	}
	return n, true, nil
}

// noneMatch tells whether If-None-Match names the version, alone, in a list or by *: the client has it already.
// A header that can't be read is as good as none.
func noneMatch(c echo.Context, version int) bool {
	tags, _ := entityTags(c.Request().Header, "If-None-Match")
	for _, t := range tags {
		if t == anyVersion || t == strconv.Itoa(version) {
			return true
		}
	}
	return false
}

// prefersMinimal tells whether the client asked for no body in the answer (RFC 7240).
func prefersMinimal(c echo.Context) bool {
	for _, line := range c.Request().Header.Values("Prefer") {
		for p := range strings.SplitSeq(line, ",") {
			p, _, _ = strings.Cut(p, ";")
			name, value, _ := strings.Cut(p, "=")
			if strings.EqualFold(strings.TrimSpace(name), "return") {
				return strings.Trim(strings.TrimSpace(value), `"`) == "minimal" // the first one counts
			}
		}
	}
	return false
}

// entityTags returns what stands in the quotes of a header's tags, or "*" alone; false if it is not well-formed.
func entityTags(h http.Header, name string) ([]string, bool) {
	rest := strings.TrimSpace(strings.Join(h.Values(name), ","))
	if rest == anyVersion {
		return []string{anyVersion}, true
	}
	var tags []string
	for rest != "" {
		opened := strings.TrimPrefix(rest, "W/")
		if !strings.HasPrefix(opened, `"`) {
			return nil, false
		}
		tag, after, closed := strings.Cut(opened[1:], `"`)
		after = strings.TrimLeft(after, " \t")
		if !closed || tag == anyVersion || after != "" && after[0] != ',' {
			return nil, false
		}
		tags = append(tags, tag)
		rest = strings.TrimLeft(after, ", \t")
	}
	return tags, true
}

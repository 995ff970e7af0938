package api

import (
	"mime"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// preferred returns which of the offered media types the client likes best (RFC 9110, 12.5.1): the first where it doesn't say, "" for none.
func preferred(c echo.Context, offered ...string) string {
	accept := strings.Join(c.Request().Header.Values(echo.HeaderAccept), ",")
	if strings.TrimSpace(accept) == "" {
		return offered[0]
	}
	best, bestQuality := "", 0.0
	for _, o := range offered {
		if q := quality(accept, o); q > bestQuality {
			best, bestQuality = o, q
		}
	}
	return best
}

// quality returns the weight of a media type in an Accept header: that of the most specific range that it falls in, 0 for none.
func quality(accept, media string) float64 {
	kind, _, _ := strings.Cut(media, "/")
	ranges := []string{"*/*", kind + "/*", media}
	specific, weight := -1, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		for i, r := range ranges {
			if name == r && i > specific {
				specific, weight = i, weightOf(params)
			}
		}
	}
	return weight
}

func weightOf(params map[string]string) float64 {
	if q, ok := params["q"]; ok {
		if w, err := strconv.ParseFloat(q, 64); err == nil {
			return w
		}
		return 0
	}
	return 1
}

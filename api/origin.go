package api

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// addresses tells where a request comes from: its peer, or where that is a trusted proxy the nearest address in X-Forwarded-For that is none.
// Nothing is trusted that isn't named; echo alone would trust loopback, link-local and private addresses.
func addresses(trusted []netip.Prefix) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range trusted {
		a := p.Masked().Addr()
		options = append(options, echo.TrustIPRange(&net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(p.Bits(), a.BitLen())}))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// preflightAge is how long a browser need not ask again, in seconds; none keeps it longer.
const preflightAge = 7200

// crossOrigin lets pages of other origins call the API with a token of theirs. Cookies and the like are never let through: there are none.
func crossOrigin(origins []string) echo.MiddlewareFunc {
	return middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOrigins: origins,
		AllowMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowHeaders: []string{
			echo.HeaderAuthorization, echo.HeaderContentType, "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer", echo.HeaderXRequestID,
		},
		ExposeHeaders: []string{
			"ETag", "Idempotency-Replayed", echo.HeaderLocation, "Preference-Applied", "RateLimit", "RateLimit-Policy", echo.HeaderRetryAfter,
			echo.HeaderWWWAuthenticate, echo.HeaderXRequestID,
		},
		MaxAge: preflightAge,
	})
}

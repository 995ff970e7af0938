package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// Who is not named a proxy is not believed, whatever network it is in, and of what a proxy says only the nearest address that is none.
func TestAddresses(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("fd00::/8")}
	for _, tt := range []struct{ peer, forwarded, none, want string }{
		{"203.0.113.1:1", "198.51.100.1", "203.0.113.1", "203.0.113.1"},
		{"127.0.0.1:1", "198.51.100.1", "127.0.0.1", "127.0.0.1"},
		{"192.168.1.1:1", "198.51.100.1", "192.168.1.1", "192.168.1.1"},
		{"[fe80::1%eth0]:1", "198.51.100.1", "fe80::1", "fe80::1"},
		{"10.2.0.1:1", "198.51.100.1", "10.2.0.1", "10.2.0.1"},
		{"10.1.2.3:1", "198.51.100.1", "10.1.2.3", "198.51.100.1"},
		{"10.1.2.3:1", "6.6.6.6, 198.51.100.1", "10.1.2.3", "198.51.100.1"},
		{"10.1.2.3:1", "6.6.6.6, 10.9.9.9, 192.0.2.7", "10.1.2.3", "10.9.9.9"},
		{"10.1.2.3:1", "6.6.6.6,198.51.100.1 , 192.0.2.7,10.1.0.1", "10.1.2.3", "198.51.100.1"},
		{"10.1.2.3:1", "127.0.0.1", "10.1.2.3", "127.0.0.1"},
		{"10.1.2.3:1", "", "10.1.2.3", "10.1.2.3"},
		{"10.1.2.3:1", "nonsense", "10.1.2.3", "10.1.2.3"},
		{"10.1.2.3:1", "198.51.100.1, nonsense", "10.1.2.3", "10.1.2.3"},
		{"[fd00::1]:1", "2001:db8::1", "fd00::1", "2001:db8::1"},
		{"[::ffff:10.1.2.3]:1", "198.51.100.1", "::ffff:10.1.2.3", "198.51.100.1"},
	} {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.RemoteAddr = tt.peer
		req.Header.Set("X-Real-Ip", "6.6.6.6")
		if tt.forwarded != "" {
			req.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		if got := addresses(nil)(req); got != tt.none {
			t.Errorf("%s, no proxies: %s, want %s", tt.peer, got, tt.none)
		}
		if got := addresses(proxies)(req); got != tt.want {
			t.Errorf("%s for %q: %s, want %s", tt.peer, tt.forwarded, got, tt.want)
		}
	}
}

func TestCountedAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:3::": "2001:db8:1:3::",
		"fe80::1%eth0": "fe80::", "": "", "@": "",
	} {
		if got := countedAddress(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	const home = "https://play.example"
	named := start(t, func(c *Config) { c.Origins = []string{home, "http://localhost:5173"} })
	everywhere := start(t, func(c *Config) { c.Origins = []string{"*"} })
	closed := start(t)
	ask := func(r *running, origin string) http.Header {
		return r.call(t, "OPTIONS", "/v1/games", "", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization").Header
	}
	for _, tt := range []struct {
		r            *running
		origin, want string
	}{
		{named, home, home},
		{named, "http://localhost:5173", "http://localhost:5173"},
		{named, "https://play.example.evil", ""},
		{named, "https://xplay.example", ""},
		{named, "https://sub.play.example", ""},
		{named, "http://play.example", ""},
		{named, home + ":8443", ""},
		{named, "https://playxexample", ""},
		{named, "null", ""},
		{everywhere, "https://evil.example", "*"},
		{closed, home, ""},
	} {
		for what, h := range map[string]http.Header{
			"preflight": ask(tt.r, tt.origin), "answer": tt.r.call(t, "GET", "/healthz", "", "", "Origin", tt.origin).Header,
			"problem": tt.r.call(t, "GET", "/v1/me", "", "", "Origin", tt.origin).Header,
		} {
			if got := h.Get("Access-Control-Allow-Origin"); got != tt.want || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s to %s: %v", what, tt.origin, h)
			}
			if tt.r != closed && !strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin") {
				t.Errorf("%s to %s: Vary %v", what, tt.origin, h.Values("Vary"))
			}
		}
	}
	h := ask(named, home)
	for _, want := range []string{"Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key", "Prefer", "Last-Event-ID"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Headers"), want) {
			t.Errorf("%s may not be sent: %v", want, h)
		}
	}
	for _, want := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Methods"), want) {
			t.Errorf("%s may not be called: %v", want, h)
		}
	}
	u := registerAll(t, named, 1)
	l := open(t, u[0], map[string]any{"rules": map[string]any{"players": 3}})
	h = u[0].Do(t, "GET", l.path, nil, header("Origin", home)).Header
	for _, want := range []string{"ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", "Idempotency-Replayed"} {
		if !strings.Contains(h.Get("Access-Control-Expose-Headers"), want) {
			t.Errorf("%s may not be read: %v", want, h)
		}
	}
	if vary := strings.Join(h.Values("Vary"), ","); !strings.Contains(vary, "Origin") || !strings.Contains(vary, "Authorization") {
		t.Errorf("Vary: %s", vary)
	}
}

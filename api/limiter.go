package api

import (
	"crypto/sha256"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"

	"mago/eventstore"
)

// limiter counts what Limits bounds. A nil one allows everything.
type limiter struct {
	limits Limits

	read, write, address, register, login, wrongPassword, refresh, password, wrongInvite, wrongInvites *buckets

	usual   *lru.Cache[string, struct{}] // usernames with addresses they have signed in from
	seating eventstore.KeyedLock[string] // by user
	streams streams
}

func newLimiter(l *Limits) *limiter {
	if l == nil {
		return nil
	}
	usual, err := lru.New[string, struct{}](maxBuckets)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &limiter{
		limits: *l, usual: usual,
		read: newBuckets("read", l.Read), write: newBuckets("write", l.Write), address: newBuckets("address", l.Address),
		register: newBuckets("register", l.Register), login: newBuckets("login", l.Login), wrongPassword: newBuckets("wrong-password", l.WrongPassword),
		refresh: newBuckets("refresh", l.Refresh), password: newBuckets("password", l.Password),
		wrongInvite: newBuckets("wrong-invite", l.WrongInvite), wrongInvites: newBuckets("wrong-invites", l.WrongInvites),
		streams: newStreams(l.Streams, l.AllStreams),
	}
}

// charge is a token to take from somebody's bucket.
type charge struct {
	*buckets
	whose string
}

// take takes all charges, or none and returns the refusal. Of what is left the answer tells once half of it is used up.
func (s *Server) take(c echo.Context, charges ...charge) error {
	var scarce level
	now := s.Now()
	for i, ch := range charges {
		l := ch.take(ch.whose, now)
		if l.wait > 0 {
			giveBack(charges[:i])
			tell(c, l)
			return problem(CodeRateLimited, "wait %d seconds", seconds(l.wait)).with(echo.HeaderRetryAfter, strconv.Itoa(seconds(l.wait)))
		}
		if scarce.buckets == nil || l.left*scarce.rate.Quota < scarce.left*l.rate.Quota {
			scarce = l
		}
	}
	if scarce.left*2 < scarce.rate.Quota {
		tell(c, scarce)
	}
	return nil
}

func giveBack(charges []charge) {
	for _, ch := range charges {
		ch.giveBack(ch.whose)
	}
}

// tell says in the answer how a bucket stands.
func tell(c echo.Context, l level) {
	c.Response().Header().Set("RateLimit-Policy", l.policy())
	c.Response().Header().Set("RateLimit", l.limit())
}

// signedInLimits counts a call of a user who is known.
func (s *Server) signedInLimits(c echo.Context) error {
	l := s.limiter
	if l == nil {
		return nil
	}
	kind := l.write
	if m := c.Request().Method; m == http.MethodGet || m == http.MethodHead {
		kind = l.read
	}
	return s.take(c, charge{kind, caller(c).UserID}, charge{l.address, addressOf(c)})
}

// byAddress counts calls by the address they come from, before anything is done for them.
func (s *Server) byAddress(kind func(*limiter) *buckets) echo.MiddlewareFunc {
	return s.counted(func(c echo.Context, l *limiter) []charge { return []charge{{kind(l), addressOf(c)}} }, nil)
}

// counted takes charges before a call, and gives them back behind it where the call is found to be free.
func (s *Server) counted(charges func(echo.Context, *limiter) []charge, free func(error) bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if s.limiter == nil {
				return next(c)
			}
			taken := charges(c, s.limiter)
			if err := s.take(c, taken...); err != nil {
				return err
			}
			err := next(c)
			if free != nil && free(err) {
				giveBack(taken)
			}
			return err
		}
	}
}

// addressOf is the address that a request is counted for.
func addressOf(c echo.Context) string {
	return countedAddress(c.RealIP())
}

// countedAddress writes an address in one way, an IPv6 address as its /64.
func countedAddress(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return "" // none, as over a Unix socket: one for all
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		prefix, err := ip.Prefix(64)
		if err == nil {
			ip = prefix.Addr()
		}
	}
	return ip.String()
}

// nameKey stands for a username, which a client may send at any length and in any case.
func nameKey(username string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(username)))
	return string(sum[:])
}

package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// accessType is the typ header of access tokens (RFC 9068): no other JWT of the same key passes for one.
	accessType = "at+jwt"
	// maxAccessToken is longer than any token ever issued.
	maxAccessToken = 2048
	// rememberTokens is how many checked signatures are remembered, of about 200 bytes each.
	rememberTokens = 20_000
)

type claims struct {
	jwt.RegisteredClaims
	SessionID string `json:"sid"`
}

// sign returns an access token for the identity.
func (s *Service) sign(who Identity) (string, error) {
	now, key := s.Now(), s.keys.signer()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: s.Issuer, Audience: jwt.ClaimStrings{s.Audience}, Subject: who.UserID, ID: uuid.NewString(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(s.AccessLifetime)),
		},
		SessionID: who.SessionID,
	})
	token.Header["kid"], token.Header["typ"] = key.kid, accessType
	return token.SignedString(key.private)
}

// Authenticate returns whom an access token stands for, or ErrUnauthenticated. A session ended by this service is
// refused at once, one ended elsewhere within a second.
func (s *Service) Authenticate(ctx context.Context, token string) (Identity, error) {
	if len(token) > maxAccessToken || strings.ContainsAny(token, "\r\n") { // the decoder of base64 skips line ends
		return Identity{}, ErrUnauthenticated
	}
	sum := sha256.Sum256([]byte(token))
	who, ok := s.verified.get(sum, s.Now())
	if !ok {
		c, err := s.verify(ctx, token)
		if err != nil {
			return Identity{}, err
		}
		who = Identity{UserID: c.Subject, SessionID: c.SessionID}
		s.verified.add(sum, verifiedToken{who, c.ExpiresAt.Time})
	}
	alive, err := s.alive(ctx, who)
	if err != nil {
		return Identity{}, err
	}
	if !alive {
		return Identity{}, ErrUnauthenticated
	}
	return who, nil
}

// verify checks everything about a token that can be read off it.
func (s *Service) verify(ctx context.Context, token string) (*claims, error) {
	var lookup error
	c := new(claims)
	_, err := jwt.ParseWithClaims(token, c, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		_, critical := t.Header["crit"] // extensions that must be understood (RFC 7515, 4.1.11): none is
		if kid == "" || t.Header["typ"] != accessType || critical {
			return nil, ErrUnauthenticated
		}
		key, err := s.keys.public(ctx, kid)
		if lookup = err; err != nil || key == nil {
			return nil, ErrUnauthenticated
		}
		return key, nil
	}, jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithIssuer(s.Issuer), jwt.WithAudience(s.Audience),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.Now), jwt.WithStrictDecoding())
	switch {
	case lookup != nil: // not the token's fault
		return nil, fmt.Errorf("verify access token: %w", lookup)
	case err != nil || uuid.Validate(c.Subject) != nil || uuid.Validate(c.SessionID) != nil:
		return nil, ErrUnauthenticated
	}
	return c, nil
}

type verifiedToken struct {
	who     Identity
	expires time.Time
}

// verifiedTokens remembers whose signatures were checked, by the tokens' hashes: checking one costs as much as a move.
type verifiedTokens struct {
	cache *lru.Cache[[32]byte, verifiedToken]
}

func newVerifiedTokens() *verifiedTokens {
	cache, err := lru.New[[32]byte, verifiedToken](rememberTokens)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &verifiedTokens{cache}
}

// get returns a remembered identity unless its token has expired.
func (v *verifiedTokens) get(sum [32]byte, now time.Time) (Identity, bool) {
	t, ok := v.cache.Get(sum)
	if !ok || !now.Before(t.expires) {
		return Identity{}, false
	}
	return t.who, true
}

func (v *verifiedTokens) add(sum [32]byte, t verifiedToken) { v.cache.Add(sum, t) }

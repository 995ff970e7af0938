package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"
)

// grace is how long a spent token still gets its successor again, for a client that lost the answer or has two tabs.
const grace = 30 * time.Second

const tokenBytes = 32

// refreshToken is 32 bytes that only the client keeps; the database has their hash.
type refreshToken [tokenBytes]byte

func newRefreshToken() (t refreshToken) {
	_, _ = rand.Read(t[:]) // never fails
	return t
}

// parseRefreshToken reads what String wrote.
func parseRefreshToken(text string) (t refreshToken, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != tokenBytes || len(text) != base64.RawURLEncoding.EncodedLen(tokenBytes) { // the decoder skips line ends
		return t, false
	}
	return refreshToken(raw), true
}

// text is the token as clients hold it. There is no String method: nothing prints a token by mistake.
func (t refreshToken) text() string { return base64.RawURLEncoding.EncodeToString(t[:]) }

func (t refreshToken) hash() []byte {
	sum := sha256.Sum256(t[:])
	return sum[:]
}

// successor is the token that follows. Whoever has the token and its row can tell it again; the row alone can't.
func (t refreshToken) successor(random []byte) (next refreshToken) {
	mac := hmac.New(sha256.New, t[:])
	mac.Write(random)
	return refreshToken(mac.Sum(nil))
}

// Refresh spends a refresh token and returns new tokens. A token already spent gets the same successor again for 30 s
// as long as that is unspent; else its whole session ends with ErrRefreshReused, because one of two holders stole it.
func (s *Service) Refresh(ctx context.Context, text string) (Tokens, error) {
	token, ok := parseRefreshToken(text)
	if !ok {
		return Tokens{}, ErrUnauthenticated
	}
	row, err := s.refreshRow(ctx, token)
	if err != nil {
		return Tokens{}, err
	}
	next := token.successor(row.random)
	rotated, err := s.rotate(ctx, token, next)
	if err != nil {
		return Tokens{}, err
	}
	if !rotated { // spent, expired or ended, perhaps since the row was read: look again
		if row, err = s.refreshRow(ctx, token); err != nil {
			return Tokens{}, err
		}
		if !row.spent || row.successorSpent || s.millis()-row.spentAt > grace.Milliseconds() {
			return Tokens{}, s.reused(ctx, row)
		}
	}
	return s.tokens(ctx, row.who, next)
}

// rotate gives the token its successor, unless it has one or its session is over. The one statement decides which of
// many callers at once does so, here and on other servers.
func (s *Service) rotate(ctx context.Context, token, next refreshToken) (bool, error) {
	now := s.millis()
	random := newRefreshToken()
	done, err := changed(s.Writer.ExecContext(ctx, `
		INSERT INTO refresh_tokens (hash, session_id, parent, random, issued_at, expires_at)
		SELECT $1, t.session_id, t.hash, $2, $3, $4 FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
		WHERE t.hash = $5 AND t.expires_at > $6 AND s.ended_at IS NULL
		ON CONFLICT DO NOTHING`,
		next.hash(), random[:], now, now+s.RefreshLifetime.Milliseconds(), token.hash(), now))
	if err != nil {
		return false, fmt.Errorf("rotate refresh token: %w", err)
	}
	return done, nil
}

// refreshRow is what the database knows of a token.
type refreshRow struct {
	who            Identity
	random         []byte
	spent          bool
	spentAt        int64
	successorSpent bool
}

// refreshRow reads a token whose session goes on; any other is ErrUnauthenticated.
func (s *Service) refreshRow(ctx context.Context, token refreshToken) (refreshRow, error) {
	var row refreshRow
	var spentAt sql.NullInt64
	var grandchild int
	err := s.Reader.QueryRowContext(ctx, `
		SELECT t.session_id, s.user_id, t.random, child.issued_at,
		       CASE WHEN EXISTS (SELECT 1 FROM refresh_tokens g WHERE g.parent = child.hash) THEN 1 ELSE 0 END
		FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id LEFT JOIN refresh_tokens child ON child.parent = t.hash
		WHERE t.hash = $1 AND t.expires_at > $2 AND s.ended_at IS NULL`, token.hash(), s.millis()).
		Scan(&row.who.SessionID, &row.who.UserID, &row.random, &spentAt, &grandchild)
	if errors.Is(err, sql.ErrNoRows) {
		return row, ErrUnauthenticated
	}
	if err != nil {
		return row, fmt.Errorf("look up refresh token: %w", err)
	}
	row.spent, row.spentAt, row.successorSpent = spentAt.Valid, spentAt.Int64, grandchild == 1
	return row, nil
}

// reused ends the session of a token that was presented once too often.
func (s *Service) reused(ctx context.Context, row refreshRow) error {
	if err := s.Logout(ctx, row.who); err != nil {
		return err
	}
	s.Logger.WarnContext(ctx, "refresh token used again: session ended", "user_id", row.who.UserID, "session_id", row.who.SessionID)
	return ErrRefreshReused
}

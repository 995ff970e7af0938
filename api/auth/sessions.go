package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// believeAlive is how long a session found alive is not asked about again; servers learn of each other's ends this late.
	believeAlive = time.Second
	// rememberSessions bounds the sessions in memory.
	rememberSessions = 50_000
)

// alive tells whether the identity's session goes on. A session that isn't there has ended.
func (s *Service) alive(ctx context.Context, who Identity) (bool, error) {
	now := s.Now()
	if alive, known := s.sessions.get(who.SessionID, now); known {
		return alive, nil
	}
	var one int
	err := s.Reader.QueryRowContext(ctx, `SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND ended_at IS NULL`, who.SessionID, who.UserID).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up session: %w", err)
	}
	return s.sessions.foundAlive(who.SessionID, now.Add(believeAlive)), nil
}

// Logout ends the caller's session and with it the whole family of its refresh tokens.
func (s *Service) Logout(ctx context.Context, who Identity) error {
	_, err := s.Writer.ExecContext(ctx, `UPDATE sessions SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL`, s.millis(), who.SessionID)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	s.sessions.ended(who.SessionID)
	return nil
}

// endOthers ends the sessions of a user in a transaction, except the one to keep ("" keeps none), and returns them:
// once it is committed they must be told to s.sessions.
func endOthers(ctx context.Context, tx *sql.Tx, userID, keep string, at int64) ([]string, error) {
	return endSessions(ctx, tx, `UPDATE sessions SET ended_at = $1 WHERE user_id = $2 AND ended_at IS NULL AND CAST(id AS TEXT) <> $3 RETURNING id`, at, userID, keep)
}

// endSurplus is endOthers for all but as many as are to be kept, those that were opened or refreshed last.
func endSurplus(ctx context.Context, tx *sql.Tx, userID string, keep int, at int64) ([]string, error) {
	return endSessions(ctx, tx, `UPDATE sessions SET ended_at = $1 WHERE id IN (
		SELECT id FROM sessions WHERE user_id = $2 AND ended_at IS NULL
		ORDER BY (SELECT max(issued_at) FROM refresh_tokens WHERE session_id = sessions.id) DESC, created_at DESC, id DESC
		LIMIT 1000000 OFFSET $3) RETURNING id`, at, userID, keep)
}

// endSessions runs a statement that ends sessions and returns their ids.
func endSessions(ctx context.Context, tx *sql.Tx, update string, args ...any) ([]string, error) {
	rows, err := tx.QueryContext(ctx, update, args...)
	if err != nil {
		return nil, fmt.Errorf("end sessions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ended []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("end sessions: %w", err)
		}
		ended = append(ended, id)
	}
	return ended, rows.Err()
}

// Prune removes sessions that have ended or whose tokens have all expired, with their tokens. It may run at any time.
func (s *Service) Prune(ctx context.Context) error {
	at := s.millis() // one time for both: what expires in between would lose its session and stay
	return s.inTx(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`DELETE FROM refresh_tokens WHERE expires_at <= $1 OR session_id IN (SELECT id FROM sessions WHERE ended_at <= $1)`,
			`DELETE FROM sessions WHERE ended_at <= $1 OR NOT EXISTS (SELECT 1 FROM refresh_tokens WHERE session_id = sessions.id AND expires_at > $1)`,
		} {
			if _, err := tx.ExecContext(ctx, statement, at); err != nil {
				return fmt.Errorf("prune sessions: %w", err)
			}
		}
		return nil
	})
}

// liveSessions remembers for a moment which sessions were found alive, and which this server has ended.
type liveSessions struct {
	mu    sync.Mutex
	cache *simplelru.LRU[string, liveSession]
}

type liveSession struct {
	ended bool
	until time.Time // not to be believed alive from then on
}

func newLiveSessions() *liveSessions {
	cache, err := simplelru.NewLRU[string, liveSession](rememberSessions, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &liveSessions{cache: cache}
}

// get returns what is known without asking the database.
func (l *liveSessions) get(id string, now time.Time) (alive, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.cache.Get(id)
	return ok && !e.ended, ok && (e.ended || now.Before(e.until))
}

// foundAlive notes what the database said, and returns false if the session was ended while it was being asked: an
// answer from before the end must not outlive it.
func (l *liveSessions) foundAlive(id string, until time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.cache.Get(id); ok && e.ended {
		return false
	}
	l.cache.Add(id, liveSession{until: until})
	return true
}

// ended notes sessions that are over for ever.
func (l *liveSessions) ended(ids ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.cache.Add(id, liveSession{ended: true})
	}
}

package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Tokens is what a client gets on every way into a session.
type Tokens struct {
	Access, Refresh string
	ExpiresIn       int // seconds that Access is valid
	User            Profile
}

// Register makes an account and opens its first session. An empty displayName shows the username.
// The caller has checked the username and the password.
func (s *Service) Register(ctx context.Context, username, password, displayName string) (Tokens, error) {
	username = fold(username)
	if displayName == "" {
		displayName = username
	}
	if username == deletedUsername {
		return Tokens{}, ErrUsernameTaken
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return Tokens{}, err
	}
	who, token := Identity{newID(), newID()}, newRefreshToken()
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		made, err := changed(tx.ExecContext(ctx, `INSERT INTO users (id, username, display_name, password_hash, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			who.UserID, username, displayName, hash, s.millis()))
		if err != nil {
			return fmt.Errorf("store account: %w", err)
		}
		if !made {
			return ErrUsernameTaken
		}
		_, err = s.open(ctx, tx, who, hash, token)
		return err
	})
	if err != nil {
		return Tokens{}, err
	}
	return s.tokens(ctx, who, token)
}

// Login opens a session. An unknown username and a wrong password are the same ErrBadCredentials, after the same time.
func (s *Service) Login(ctx context.Context, username, password string) (Tokens, error) {
	var userID, hash string
	err := s.Reader.QueryRowContext(ctx, `SELECT id, password_hash FROM users WHERE username = $1`, fold(username)).Scan(&userID, &hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Tokens{}, fmt.Errorf("look up account: %w", err)
	}
	if err := s.matches(ctx, password, hash); err != nil {
		return Tokens{}, err
	}
	who, token := Identity{userID, newID()}, newRefreshToken()
	var ended []string
	err = s.inTx(ctx, func(tx *sql.Tx) (err error) {
		ended, err = s.open(ctx, tx, who, hash, token)
		return err
	})
	if err != nil {
		return Tokens{}, err
	}
	s.sessions.ended(ended...)
	return s.tokens(ctx, who, token)
}

// open stores a session and its first refresh token, but only while the account still has the password that was
// checked: a change or an erasure in the meantime has ended all sessions and must not miss this one. It returns the
// sessions that made room for it: once it is committed they must be told to s.sessions.
func (s *Service) open(ctx context.Context, tx *sql.Tx, who Identity, hash string, token refreshToken) ([]string, error) {
	// Changing the row to what it is makes a change of the password wait until the session can be seen by it, or this wait for the change.
	// It makes two that are opened at once wait for each other as well.
	unchanged, err := changed(tx.ExecContext(ctx, `UPDATE users SET password_hash = password_hash WHERE id = $1 AND password_hash = $2`, who.UserID, hash))
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if !unchanged {
		return nil, ErrBadCredentials
	}
	now := s.millis()
	var ended []string
	if s.Sessions > 0 {
		if ended, err = endSurplus(ctx, tx, who.UserID, s.Sessions-1, now); err != nil {
			return nil, err
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sessions (id, user_id, created_at) VALUES ($1, $2, $3)`, who.SessionID, who.UserID, now)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	random := newRefreshToken()
	_, err = tx.ExecContext(ctx, `INSERT INTO refresh_tokens (hash, session_id, random, issued_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		token.hash(), who.SessionID, random[:], now, now+s.RefreshLifetime.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("store refresh token: %w", err)
	}
	return ended, nil
}

// tokens puts an answer together.
func (s *Service) tokens(ctx context.Context, who Identity, refresh refreshToken) (Tokens, error) {
	p, err := s.Profile(ctx, who.UserID)
	if err != nil {
		return Tokens{}, err
	}
	access, err := s.sign(who)
	if err != nil {
		return Tokens{}, fmt.Errorf("sign access token: %w", err)
	}
	return Tokens{Access: access, Refresh: refresh.text(), ExpiresIn: int(s.AccessLifetime.Seconds()), User: p}, nil
}

// Rename changes a user's display name and returns the account.
func (s *Service) Rename(ctx context.Context, userID, displayName string) (Account, error) {
	_, err := s.Writer.ExecContext(ctx, `UPDATE users SET display_name = $1 WHERE id = $2 AND deleted_at IS NULL`, displayName, userID)
	if err != nil {
		return Account{}, fmt.Errorf("rename: %w", err)
	}
	return s.Account(ctx, userID)
}

// ChangePassword replaces the caller's password and ends all their other sessions. The caller of this has checked next.
func (s *Service) ChangePassword(ctx context.Context, who Identity, current, next string) error {
	old, err := s.confirm(ctx, who, current)
	if err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, next)
	if err != nil {
		return err
	}
	return s.replace(ctx, who.UserID, who.SessionID, `UPDATE users SET password_hash = $1 WHERE id = $2 AND password_hash = $3`, hash, who.UserID, old)
}

// Delete takes the caller out of all games and erases the account; what is left is an id without a name. If it fails
// it may be called again.
func (s *Service) Delete(ctx context.Context, who Identity, password string) error {
	old, err := s.confirm(ctx, who, password)
	if err != nil {
		return err
	}
	if s.Leave != nil {
		if err := s.Leave(ctx, who.UserID); err != nil {
			return fmt.Errorf("leave games: %w", err)
		}
	}
	err = s.replace(ctx, who.UserID, "", `UPDATE users SET username = NULL, display_name = NULL, password_hash = NULL, deleted_at = $1 WHERE id = $2 AND password_hash = $3`,
		s.millis(), who.UserID, old)
	if err != nil || s.Leave == nil {
		return err
	}
	// Now that no new request is let in, leave what was joined between the two.
	if err := s.Leave(ctx, who.UserID); err != nil {
		s.Logger.ErrorContext(ctx, "an erased user may have kept a seat", "user_id", who.UserID, "error", err)
	}
	return nil
}

// replace changes an account whose password is still the one that was checked, and ends its sessions but one.
func (s *Service) replace(ctx context.Context, userID, keep, update string, args ...any) error {
	var ended []string
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		done, err := changed(tx.ExecContext(ctx, update, args...))
		if err != nil {
			return fmt.Errorf("change account: %w", err)
		}
		if !done {
			return ErrBadCredentials
		}
		ended, err = endOthers(ctx, tx, userID, keep, s.millis())
		return err
	})
	if err != nil {
		return err
	}
	s.sessions.ended(ended...)
	return nil
}

// confirm checks the caller's password and returns its hash.
func (s *Service) confirm(ctx context.Context, who Identity, password string) (string, error) {
	var hash string
	err := s.Reader.QueryRowContext(ctx, `SELECT password_hash FROM users WHERE id = $1 AND deleted_at IS NULL`, who.UserID).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrUnauthenticated
	}
	if err != nil {
		return "", fmt.Errorf("look up account: %w", err)
	}
	return hash, s.matches(ctx, password, hash)
}

// matches returns ErrBadCredentials unless the password is that of the hash.
func (s *Service) matches(ctx context.Context, password, hash string) error {
	ok, err := s.hasher.verify(ctx, password, hash)
	if err != nil {
		return err
	}
	if !ok {
		return ErrBadCredentials
	}
	return nil
}

// newID is a UUIDv7 as text.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

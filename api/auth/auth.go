// Package auth knows who calls: accounts, passwords, sessions, and the tokens and keys that prove them.
package auth

import (
	"context"
	"errors"
)

// Identity is who makes a request: a user in one of their sessions.
type Identity struct {
	UserID, SessionID string
}

// Errors that callers tell apart; any other is a failure of the service.
var (
	ErrUnauthenticated = errors.New("no valid token")
	ErrBadCredentials  = errors.New("username or password is wrong")
	ErrUsernameTaken   = errors.New("username is taken")
	ErrRefreshReused   = errors.New("refresh token was used before")
	ErrNotFound        = errors.New("no such user")
)

// Service is the one door to accounts.
type Service struct{}

// Authenticate returns whom an access token stands for, or ErrUnauthenticated.
func (s *Service) Authenticate(context.Context, string) (Identity, error) {
	return Identity{}, ErrUnauthenticated
}

// Package auth knows who calls: accounts, passwords, sessions, and the tokens and keys that prove them.
package auth

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"
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
	ErrBusy            = errors.New("too many passwords are being checked")
	ErrKeySecret       = errors.New("the newest signing key can't be opened with this secret") // of New
)

// Config is what a Service is made of. Reader and Writer are needed, the rest has defaults.
type Config struct {
	Reader, Writer  *sql.DB
	Now             func() time.Time // the wall clock by default
	Logger          *slog.Logger     // nothing is logged by default
	Issuer          string           // of access tokens, "mago" by default
	Audience        string           // of access tokens, "mago" by default
	AccessLifetime  time.Duration    // of an access token, 15 minutes by default
	RefreshLifetime time.Duration    // of an unused refresh token, 30 days by default
	Hash            HashParams       // for new passwords, DefaultHash by default
	Sessions        int              // of one user at once: one more ends the one unused for longest; any number by default
	// KeySecret seals the signing keys in the database. Without one they are stored as they are, and whoever has a copy of the database can sign
	// access tokens. All services on a database must have the same.
	KeySecret string
	// ReplaceKeys makes a new signing key where the newest can't be opened, instead of failing with ErrKeySecret: access tokens of before are then
	// refused, refresh tokens go on.
	ReplaceKeys bool
	// Leave is called before an account is erased and takes the user out of everything that runs. It may be called
	// again for the same user. Nothing is called by default.
	Leave func(ctx context.Context, userID string) error
}

// Service is the one door to accounts. It may be used by many goroutines at once.
type Service struct {
	Config
	keys     *keys
	hasher   *hasher
	sessions *liveSessions
	verified *verifiedTokens
}

// New returns a service over a database whose migrations are current. It makes the first signing key where there is
// none yet; of several services that start at once all use the same. What was stored before there was a secret is replaced by a sealed key.
func New(ctx context.Context, cfg Config) (*Service, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Issuer == "" {
		cfg.Issuer = "mago"
	}
	if cfg.Audience == "" {
		cfg.Audience = "mago"
	}
	if cfg.AccessLifetime == 0 {
		cfg.AccessLifetime = 15 * time.Minute
	}
	if cfg.RefreshLifetime == 0 {
		cfg.RefreshLifetime = 30 * 24 * time.Hour
	}
	if cfg.AccessLifetime < time.Second || cfg.RefreshLifetime < cfg.AccessLifetime {
		return nil, errors.New("token lifetimes: access tokens must live a second or longer, refresh tokens no shorter than those")
	}
	if cfg.Hash == (HashParams{}) {
		cfg.Hash = DefaultHash
	}
	keys, err := openKeys(ctx, cfg)
	if err != nil {
		return nil, err
	}
	cfg.KeySecret = "" // it has done its work, and the rest of the program need not hold it
	return &Service{
		Config: cfg, keys: keys, hasher: newHasher(cfg.Hash), sessions: newLiveSessions(), verified: newVerifiedTokens(),
	}, nil
}

// millis is the service's time as the database keeps it.
func (s *Service) millis() int64 { return s.Now().UnixMilli() }

// inTx runs fn in a transaction of the writer and commits it unless fn fails.
func (s *Service) inTx(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := s.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// changed tells whether a statement touched any row.
func changed(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

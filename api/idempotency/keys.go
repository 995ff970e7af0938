package idempotency

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"mago/eventstore"
)

// Life is how long an answer is kept.
const Life = 24 * time.Hour

// ErrReused says that the user's key stands for another request.
var ErrReused = errors.New("the idempotency key was used for another request")

// ErrInProgress says that the request is being answered at this moment.
var ErrInProgress = errors.New("the request is in progress")

// Config is what Keys are made of. Reader and Writer are needed.
type Config struct {
	Reader, Writer *sql.DB
	Now            func() time.Time // the wall clock by default
	Limit          int              // of answers kept for one user at a time, the newest; 0 for none
	Wait           time.Duration    // for an equal request in progress, 5 s by default
}

// Keys are the requests that were answered. They may be used by many goroutines at once, and by several servers on one database.
type Keys struct {
	Config
	locks eventstore.KeyedLock[lockKey]
}

type lockKey struct {
	user string
	key  [32]byte
}

// New returns the keys of a database whose migrations are current.
func New(cfg Config) *Keys {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait <= 0 {
		cfg.Wait = 5 * time.Second
	}
	return &Keys{Config: cfg}
}

// Lock lets one request with the user's key run at a time in this process, ErrInProgress if the wait takes too long. Across processes the table
// decides: it holds no lock that a crash could leave.
func (k *Keys) Lock(ctx context.Context, r *Request) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, k.Wait)
	defer cancel()
	unlock, err = k.locks.Lock(ctx, lockKey{r.User, r.key})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInProgress, err)
	}
	return unlock, nil
}

const (
	// An answer that is still kept makes the statement fail: a null that may not be. What has expired gives way.
	sqlKeep = `INSERT INTO idempotency_keys (user_id, key, request, status, code, subject, version, expires_at)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
 ON CONFLICT (user_id, key) DO UPDATE SET request = excluded.request, status = excluded.status, code = excluded.code, subject = excluded.subject,
  version = excluded.version, expires_at = CASE WHEN idempotency_keys.expires_at <= $9 THEN excluded.expires_at END`
	// Of a user's answers those beyond the newest $2 go, but for the one with the key $3, which was kept just now.
	sqlYield = `DELETE FROM idempotency_keys WHERE user_id = $1 AND key <> $3 AND (expires_at, key) <=
 (SELECT expires_at, key FROM idempotency_keys WHERE user_id = $1 ORDER BY expires_at DESC, key DESC LIMIT 1 OFFSET $2)`
)

// Keep returns the statements that keep the answer and let the user's oldest give way. They belong in the transaction of what is answered for, behind all
// others there, and make it fail if an answer is kept already: Find tells.
func (k *Keys) Keep(r *Request, a Answer) []eventstore.Statement {
	now := k.Now()
	out := []eventstore.Statement{{SQL: sqlKeep, Args: []any{
		r.User, r.key[:], r.hash[:], int64(a.Status), optional(a.Code), optional(a.Subject), int64(a.Version),
		now.Add(Life).UnixMilli(), now.UnixMilli(),
	}}}
	if k.Limit > 0 {
		out = append(out, eventstore.Statement{SQL: sqlYield, Args: []any{r.User, int64(k.Limit), r.key[:]}})
	}
	return out
}

// KeepAlone keeps an answer that goes with nothing else. It fails as Keep's statements do.
func (k *Keys) KeepAlone(ctx context.Context, r *Request, a Answer) error {
	if err := k.keepAlone(ctx, k.Keep(r, a)); err != nil {
		return fmt.Errorf("keep the answer to a request: %w", err)
	}
	return nil
}

func (k *Keys) keepAlone(ctx context.Context, statements []eventstore.Statement) error {
	tx, err := k.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	for _, st := range statements {
		if _, err := tx.ExecContext(ctx, st.SQL, st.Args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Find returns the answer that is kept, nil for none, or ErrReused.
func (k *Keys) Find(ctx context.Context, r *Request) (*Answer, error) {
	var hash []byte
	var code, subject sql.NullString
	var a Answer
	err := k.Reader.QueryRowContext(ctx, `SELECT request, status, code, subject, version FROM idempotency_keys
 WHERE user_id = $1 AND key = $2 AND expires_at > $3`, r.User, r.key[:], k.Now().UnixMilli()).Scan(&hash, &a.Status, &code, &subject, &a.Version)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find the answer to a request: %w", err)
	case string(hash) != string(r.hash[:]):
		return nil, ErrReused
	}
	a.Code, a.Subject = code.String, subject.String
	return &a, nil
}

// Prune removes what has expired. It may run at any time.
func (k *Keys) Prune(ctx context.Context) error {
	const most = 5000 // at a time: the others' writes wait for it on SQLite
	for {
		gone, err := k.Writer.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE (user_id, key) IN
 (SELECT user_id, key FROM idempotency_keys WHERE expires_at <= $1 LIMIT $2)`, k.Now().UnixMilli(), most)
		if err != nil {
			return fmt.Errorf("prune idempotency keys: %w", err)
		}
		if n, err := gone.RowsAffected(); err != nil || n < most {
			return err
		}
	}
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

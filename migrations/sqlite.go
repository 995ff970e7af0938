package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/golang-migrate/migrate/v4/database"
	"github.com/golang-migrate/migrate/v4/database/sqlite"
)

// SQLite is the database in the file at path. While it is migrated, the file PATH.lock beside it is locked: golang-migrate's own lock
// for SQLite only holds within one process. The lock file stays; it is empty.
func SQLite(path string) Target {
	return Target{
		files: files,
		dir:   "sqlite",
		name:  path,
		lock: func(ctx context.Context) (func() error, error) {
			lock := flock.New(path + ".lock")
			if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
				return nil, err
			}
			return lock.Unlock, nil
		},
		open: func(ctx context.Context) (database.Driver, error) {
			db, err := openSQLite(ctx, path, url.Values{"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_txlock": {"immediate"}})
			if err != nil {
				return nil, err
			}
			driver, err := sqlite.WithInstance(db, &sqlite.Config{})
			if err != nil {
				return nil, errors.Join(err, db.Close())
			}
			return driver, nil
		},
		state: func(ctx context.Context) (s State, err error) {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return s, nil
			}
			db, err := openSQLite(ctx, path, url.Values{"mode": {"rw"}, "_query_only": {"1"}})
			if err != nil {
				return s, err
			}
			defer func() { err = errors.Join(err, db.Close()) }()
			return sqliteState(ctx, db)
		},
	}
}

func openSQLite(ctx context.Context, path string, params url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if params.Get("mode") == "" { // SQLite would make the file readable for others; it holds keys and seeds
		f, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	params.Set("_busy_timeout", "10000")
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: abs, RawQuery: params.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// sqliteState reads what golang-migrate wrote down. Before the first migration there is no table, or nothing in it.
func sqliteState(ctx context.Context, db *sql.DB) (s State, err error) {
	var tables int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'`).Scan(&tables)
	if err != nil || tables == 0 {
		return s, err
	}
	err = db.QueryRowContext(ctx, `SELECT version, dirty FROM schema_migrations LIMIT 1`).Scan(&s.Version, &s.Dirty)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("read schema_migrations: %w", err)
	}
	s.Version = max(s.Version, 0)
	return s, nil
}

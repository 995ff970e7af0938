package migrations

import (
	"context"
	"database/sql"
	_ "embed" // the role's rights
	"errors"
	"fmt"

	"github.com/golang-migrate/migrate/v4/database"
	postgres "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// PostgresRole is the SQL that gives the role mago_server what a server needs and no right to change or remove an event.
//
//go:embed postgres-role.sql
var PostgresRole string

// Postgres is the database at a URL. Of several servers that migrate it at once one does and the others wait: a lock of a session of its own
// is held, so the address must not lead through a proxy that shares sessions between transactions.
func Postgres(url string) (Target, error) {
	pool, err := pgxpool.ParseConfig(url) // which knows the settings of pools that the address may hold
	if err != nil {
		return Target{}, errors.New("the database address can't be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE") // it is not repeated: it may hold a password
	}
	config := pool.ConnConfig
	config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	return Target{
		files: files,
		dir:   "postgres",
		name:  fmt.Sprintf("database %s on %s", config.Database, config.Host),
		lock: func(ctx context.Context) (func() error, error) {
			db, err := openPostgres(ctx, config)
			if err != nil {
				return nil, err
			}
			if _, err := db.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext('mago'), hashtext('migrate'))`); err != nil {
				return nil, errors.Join(err, db.Close())
			}
			return db.Close, nil // which ends the session and gives the lock back
		},
		open: func(ctx context.Context) (database.Driver, error) {
			db, err := openPostgres(ctx, config)
			if err != nil {
				return nil, err
			}
			driver, err := postgres.WithInstance(db, &postgres.Config{})
			if err != nil {
				return nil, errors.Join(err, db.Close())
			}
			return driver, nil
		},
		state: func(ctx context.Context) (state State, err error) {
			err = onPostgres(ctx, config, func(db *sql.DB) error {
				state, err = postgresState(ctx, db)
				return err
			})
			return state, err
		},
		adopt: func(ctx context.Context) error {
			return onPostgres(ctx, config, func(db *sql.DB) error { return raiseEpoch(ctx, db) })
		},
	}, nil
}

func openPostgres(ctx context.Context, config *pgx.ConnConfig) (*sql.DB, error) {
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func onPostgres(ctx context.Context, config *pgx.ConnConfig, f func(*sql.DB) error) error {
	db, err := openPostgres(ctx, config)
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}

// postgresState reads what golang-migrate wrote down, and whether events bear ids of transactions that this cluster has not yet given out.
func postgresState(ctx context.Context, db *sql.DB) (s State, err error) {
	var migrated, events bool
	err = db.QueryRowContext(ctx, `SELECT to_regclass('schema_migrations') IS NOT NULL, to_regclass('event_epoch') IS NOT NULL`).Scan(&migrated, &events)
	if err != nil || !migrated {
		return s, err
	}
	err = db.QueryRowContext(ctx, `SELECT version, dirty FROM schema_migrations LIMIT 1`).Scan(&s.Version, &s.Dirty)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("read schema_migrations: %w", err)
	}
	s.Version = max(s.Version, 0)
	if !events {
		return s, nil
	}
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM events
 WHERE epoch = (SELECT epoch FROM event_epoch) AND xid >= pg_snapshot_xmax(pg_current_snapshot()))`).Scan(&s.Restored)
	return s, err
}

// raiseEpoch lets the order of events start anew behind all that there are. It waits for the appends that run.
func raiseEpoch(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	for _, statement := range []string{
		`LOCK TABLE events IN EXCLUSIVE MODE`, `UPDATE event_epoch SET epoch = epoch + 1`,
		`UPDATE incarnation SET secret = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("raise the epoch of the events: %w", err)
		}
	}
	return tx.Commit()
}

package postgres

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mago/eventstore"
	"mago/eventstore/postgres/pgtest"
	"mago/migrations"
)

// TestAppendOnly: not even who may do everything changes an event by mistake.
func TestAppendOnly(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	b := batch(t, uuid.New(), eventstore.Tip{}, 3)
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE events SET type = 'x'`, `DELETE FROM events WHERE version = 3`, `TRUNCATE events`, `TRUNCATE streams, events CASCADE`,
		`SET session_replication_role = replica; DELETE FROM events`,
		`INSERT INTO events SELECT * FROM events ON CONFLICT (stream_id, version) DO UPDATE SET type = 'x'`,
		`INSERT INTO events (epoch, xid, stream_id, version, at, type, hash, private, data)
 SELECT epoch, xid, stream_id, version, at, 'x', hash, private, data FROM events ON CONFLICT (stream_id, version) DO UPDATE SET type = 'x'`,
		`MERGE INTO events USING streams s ON s.stream_id = events.stream_id WHEN MATCHED THEN DELETE`,
	} {
		if _, err := s.Writer().ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	isStored(t, s, b.Records[0].Stream, 3)
}

// TestServerRole runs what the server does as the role that the project describes, which has no right to change an event.
func TestServerRole(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	owner := openedAt(t, address, Options{})
	run(t, owner, `DO $$ BEGIN CREATE ROLE mago_server LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`, migrations.PostgresRole)

	as, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	as.User = url.User("mago_server")
	s := openedAt(t, as.String(), Options{})
	first := batch(t, uuid.New(), eventstore.Tip{}, 2)
	stream := first.Records[0].Stream
	next := batch(t, stream, tip(first), 1)
	upsert := eventstore.Statement{
		SQL: `INSERT INTO games (game_id, version, status, visibility, updated_at, turn, bot_turn, summary) VALUES ($1, $2, 'lobby', 'public', 0, 0, 0, '')
 ON CONFLICT (game_id) DO UPDATE SET version = excluded.version`,
		Args: []any{stream.String(), int64(1)},
	}
	for _, b := range []eventstore.Batch{first, next} {
		b.With = []eventstore.Statement{upsert, {SQL: `DELETE FROM game_players WHERE game_id = $1`, Args: []any{stream.String()}}}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	isStored(t, s, stream, 3)
	if version, err := s.Lookup(t.Context(), stream, next.Command); err != nil || version != 3 {
		t.Errorf("looked up %d, %v", version, err)
	}
	if _, _, err := s.ReadAll(t.Context(), "", 10); err != nil {
		t.Error(err)
	}
	target, err := migrations.Postgres(as.String())
	if err != nil {
		t.Fatal(err)
	}
	if state, err := migrations.Status(t.Context(), target); err != nil || !state.Current() {
		t.Errorf("%+v, %v", state, err)
	}
	hung(t, as.String()).Ring(stream, 3)
	run(t, s, `INSERT INTO signing_keys (number, kid, seed, created_at) VALUES (1, 'k', '', 0)`, `DELETE FROM signing_keys`)

	for _, statement := range []string{
		`UPDATE events SET at = 0`, `DELETE FROM events`, `TRUNCATE events`, `ALTER TABLE events DISABLE TRIGGER ALL`, `DROP TABLE events`, `DELETE FROM streams`,
		`UPDATE event_epoch SET epoch = 9`, `UPDATE schema_migrations SET version = 9`, `CREATE OR REPLACE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
		`SET session_replication_role = replica`,
	} {
		_, err := s.Writer().ExecContext(t.Context(), statement)
		if codeOf(err) != "42501" {
			t.Errorf("%s: got %v, want the right to be refused", statement, err)
		}
	}
	if _, err := s.Reader().ExecContext(t.Context(), `DELETE FROM games`); codeOf(err) != "25006" {
		t.Errorf("the reader wrote: %v", err)
	}
}

// TestIDs: SQL that is written for both engines gives and takes ids as text.
func TestIDs(t *testing.T) {
	t.Parallel()
	s := opened(t, Options{})
	id := uuid.New()
	run(t, s, `CREATE TABLE things (id uuid PRIMARY KEY, note text, data bytea, n bigint)`)
	if _, err := s.Writer().ExecContext(t.Context(), `INSERT INTO things (id, note, data, n) VALUES ($1, $2, $3, $4)`, id.String(), nil, []byte{0, 1}, 7); err != nil {
		t.Fatal(err)
	}
	tx, err := s.Writer().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range []any{id, id.String(), strings.ToUpper(id.String())} {
		var text string
		var value uuid.UUID
		var note *string
		var data []byte
		var n int
		err := tx.QueryRowContext(t.Context(), `SELECT id, id, note, data, n FROM things WHERE id = $1`, arg).Scan(&text, &value, &note, &data, &n)
		if err != nil || text != id.String() || value != id || note != nil || string(data) != "\x00\x01" || n != 7 {
			t.Errorf("%v: %s, %s, %v, %v, %d: %v", arg, text, value, note, data, n, err)
		}
	}
	stmt, err := tx.PrepareContext(t.Context(), `UPDATE things SET n = n + $1 WHERE id = $2 RETURNING n`)
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	for want := 8; want < 10; want++ {
		var n int
		if err := stmt.QueryRowContext(t.Context(), 1, id.String()).Scan(&n); err != nil || n != want {
			t.Errorf("%d, %v", n, err)
		}
	}
	if result, err := stmt.ExecContext(t.Context(), 1, id.String()); err != nil {
		t.Error(err)
	} else if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
}

// TestHosts: of several hosts in the address the one that answers is used, and none is an error that says nothing of the password.
func TestHosts(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.New(t))
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = "127.0.0.1:1," + u.Host
	s := openedAt(t, u.String(), Options{})
	if err := s.Append(t.Context(), batch(t, uuid.New(), eventstore.Tip{}, 1)); err != nil {
		t.Error(err)
	}
	for _, address := range []string{"postgres://u:canary@127.0.0.1:1/db", "postgres://u:canary@127.0.0.1:x/db", "postgres://u:canary@h/db?pool_max_conns=none"} {
		_, err := Open(t.Context(), address, Options{})
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("got %v", err)
		}
	}
}

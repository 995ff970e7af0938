package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"mago/eventstore"
)

// InsertSettings is to be run with a game's first events.
func InsertSettings(id string, s Settings) eventstore.Statement {
	return eventstore.Statement{
		SQL:  `INSERT INTO game_settings (game_id, name, invite_code) VALUES ($1, $2, $3)`,
		Args: []any{id, optional(s.Name), optional(s.InviteCode)},
	}
}

// RenewInviteCode is to be run with the events that take the old code's use away.
func RenewInviteCode(id, code string) eventstore.Statement {
	return eventstore.Statement{SQL: `UPDATE game_settings SET invite_code = $2 WHERE game_id = $1`, Args: []any{id, code}}
}

func optional(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// SettingsOf returns what is kept of a game outside of its stream; nothing for a game that does not exist.
func (l *Lists) SettingsOf(ctx context.Context, id string) (s Settings, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT name, invite_code FROM game_settings WHERE game_id = $1`, id).Scan(&s.Name, &s.InviteCode)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("read the settings of game %s: %w", id, err)
	}
	return s, nil
}

// Invited returns the id of the game that an invite code opens, "" for none. Codes have far more bits than could be guessed, or found out from the time
// that a look-up takes.
func (l *Lists) Invited(ctx context.Context, code string) (id string, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT game_id FROM game_settings WHERE invite_code = $1`, code).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("look for the game of an invite code: %w", err)
	}
	return id, nil
}

// Rename changes a game's label; nil takes it away.
func (l *Lists) Rename(ctx context.Context, id string, name *string) error {
	if _, err := l.writer.ExecContext(ctx, `UPDATE game_settings SET name = $2 WHERE game_id = $1`, id, optional(name)); err != nil {
		return fmt.Errorf("rename game %s: %w", id, err)
	}
	return nil
}

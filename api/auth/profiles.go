package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Profile is what everybody may know of a user. An erased one is "deleted".
type Profile struct {
	ID, Username, DisplayName string
}

// Account is what a user may know of themselves.
type Account struct {
	Profile
	CreatedAt int64 // Unix milliseconds
}

// Profiles returns the profiles of the ids that are users, erased ones too, by id, in one query.
func (s *Service) Profiles(ctx context.Context, ids []string) (map[string]Profile, error) {
	profiles := make(map[string]Profile, len(ids))
	if len(ids) == 0 {
		return profiles, nil
	}
	places, args := make([]string, len(ids)), make([]any, len(ids))
	for i, id := range ids {
		places[i], args[i] = "$"+strconv.Itoa(i+1), id
	}
	query := `SELECT id, username, display_name FROM users WHERE id IN (` + strings.Join(places, ", ") + `)` //nolint:gosec // only places are put in
	rows, err := s.Reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("look up profiles: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		var username, displayName sql.NullString
		if err := rows.Scan(&id, &username, &displayName); err != nil {
			return nil, fmt.Errorf("look up profiles: %w", err)
		}
		profiles[id] = profile(id, username, displayName)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look up profiles: %w", err)
	}
	return profiles, nil
}

// Profile returns one profile, or ErrNotFound.
func (s *Service) Profile(ctx context.Context, id string) (Profile, error) {
	profiles, err := s.Profiles(ctx, []string{id})
	if err != nil {
		return Profile{}, err
	}
	p, ok := profiles[id]
	if !ok {
		return Profile{}, ErrNotFound
	}
	return p, nil
}

// Named returns the profile of the user with a username, or ErrNotFound.
func (s *Service) Named(ctx context.Context, username string) (Profile, error) {
	var id string
	err := s.Reader.QueryRowContext(ctx, `SELECT id FROM users WHERE username = $1`, fold(username)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return Profile{}, ErrNotFound
	}
	if err != nil {
		return Profile{}, fmt.Errorf("look up a username: %w", err)
	}
	return s.Profile(ctx, id)
}

// Living returns those of the ids whose users have not been erased, in their order.
func (s *Service) Living(ctx context.Context, ids []string) (living []string, err error) {
	profiles, err := s.Profiles(ctx, ids)
	for _, id := range ids {
		if p, ok := profiles[id]; ok && p.Username != deletedUsername {
			living = append(living, id)
		}
	}
	return living, err
}

// Account returns a user's own account, or ErrNotFound if it was erased.
func (s *Service) Account(ctx context.Context, id string) (Account, error) {
	var a Account
	err := s.Reader.QueryRowContext(ctx, `SELECT id, username, display_name, created_at FROM users WHERE id = $1 AND deleted_at IS NULL`, id).
		Scan(&a.ID, &a.Username, &a.DisplayName, &a.CreatedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return a, ErrNotFound
	}
	if err != nil {
		return a, fmt.Errorf("look up account: %w", err)
	}
	return a, nil
}

func profile(id string, username, displayName sql.NullString) Profile {
	if !username.Valid {
		return Profile{ID: id, Username: deletedUsername, DisplayName: deletedDisplayName}
	}
	return Profile{ID: id, Username: username.String, DisplayName: displayName.String}
}

// ErasedSince returns the ids of the users that were erased at a time or after it.
func (s *Service) ErasedSince(ctx context.Context, at time.Time) (ids []string, err error) {
	rows, err := s.Reader.QueryContext(ctx, `SELECT id FROM users WHERE deleted_at >= $1`, at.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("look up erased users: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("look up erased users: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

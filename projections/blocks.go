package projections

import (
	"context"
	"errors"
	"fmt"
)

// MaxBlocks is how many users one can have blocked.
const MaxBlocks = 1000

// ErrTooManyBlocks says that a user has blocked MaxBlocks others.
var ErrTooManyBlocks = errors.New("too many users are blocked")

// Block is somebody whom a user has blocked.
type Block struct {
	User string
	At   int64 // Unix milliseconds
}

// Block keeps somebody from inviting a user and from sitting down in a lobby with them. Who sits there already stays. It may be repeated.
func (c *Company) Block(ctx context.Context, user, blocked string) error {
	var n int
	if err := c.reader.QueryRowContext(ctx, `SELECT count(*) FROM blocks WHERE user_id = $1 AND blocked_id <> $2`, user, blocked).Scan(&n); err != nil {
		return fmt.Errorf("block a user: %w", err)
	}
	if n >= MaxBlocks {
		return ErrTooManyBlocks
	}
	_, err := c.writer.ExecContext(ctx, `INSERT INTO blocks (user_id, blocked_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (user_id, blocked_id) DO NOTHING`,
		user, blocked, c.now().UnixMilli())
	if err != nil {
		return fmt.Errorf("block a user: %w", err)
	}
	return nil
}

// Unblock takes a block back, if there is one.
func (c *Company) Unblock(ctx context.Context, user, blocked string) error {
	if _, err := c.writer.ExecContext(ctx, `DELETE FROM blocks WHERE user_id = $1 AND blocked_id = $2`, user, blocked); err != nil {
		return fmt.Errorf("unblock a user: %w", err)
	}
	return nil
}

// Blocks returns whom a user has blocked, by id, and the cursor behind them, "" at the end.
func (c *Company) Blocks(ctx context.Context, user string, page Page) (out []Block, next string, err error) {
	where, args := `user_id = $1`, []any{user}
	if page.After != "" {
		if !isID(page.After) {
			return nil, "", ErrBadCursor
		}
		where, args = where+` AND blocked_id > $2`, append(args, page.After)
	}
	rows, err := c.reader.QueryContext(ctx, `SELECT blocked_id, created_at FROM blocks WHERE `+where+fmt.Sprintf(` ORDER BY blocked_id LIMIT $%d`, len(args)+1), //nolint:gosec // only places are put in
		append(args, page.Limit+1)...)
	if err != nil {
		return nil, "", fmt.Errorf("list blocked users: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		if len(out) == page.Limit {
			return out, out[len(out)-1].User, nil
		}
		var b Block
		if err := rows.Scan(&b.User, &b.At); err != nil {
			return nil, "", fmt.Errorf("list blocked users: %w", err)
		}
		out = append(out, b)
	}
	return out, "", rows.Err()
}

// Blocked tells whether somebody who sits in a game has blocked a user.
func (c *Company) Blocked(ctx context.Context, gameID, user string) (blocked bool, err error) {
	err = c.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM blocks b JOIN game_players p ON p.user_id = b.user_id WHERE b.blocked_id = $1 AND p.game_id = $2)`,
		user, gameID).Scan(&blocked)
	if err != nil {
		return false, fmt.Errorf("look up blocks: %w", err)
	}
	return blocked, nil
}

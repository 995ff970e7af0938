package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"mago/domain/game"
)

// Listed is a game as a list shows it. State is whole but for what lists leave out, and must be redacted for the viewer.
type Listed struct {
	State    game.State
	Settings Settings
}

// Settings is what is kept of a game outside of its stream.
type Settings struct {
	Name       *string // the game's label; nil for none
	InviteCode *string // of a private game
}

// Page bounds a list: at most Limit games behind the cursor After, which is empty for the first page.
type Page struct {
	Limit int
	After string
}

// ErrBadCursor says that a cursor was not given out by the list it was sent to.
var ErrBadCursor = errors.New("no cursor of this list")

// Lists answers what players look up, and keeps the settings of games.
type Lists struct{ reader, writer *sql.DB }

// NewLists returns the lists of a database.
func NewLists(reader, writer *sql.DB) *Lists { return &Lists{reader: reader, writer: writer} }

const listed = `SELECT g.game_id, g.version, g.status, g.updated_at, g.summary, s.name, s.invite_code FROM `

// Public returns public games, newest created first, of one status or of all for NoGame, and the cursor behind them, "" at the end. A user is not shown lobbies in which
// somebody sits who has blocked them.
func (l *Lists) Public(ctx context.Context, user string, status game.Status, page Page) ([]Listed, string, error) {
	where, args := []string{"g.visibility = 'public'"}, []any{}
	if status != game.NoGame {
		where, args = append(where, "g.status = $1"), append(args, status.String())
	}
	if status == game.NoGame || status == game.Lobby {
		args = append(args, user)
		where = append(where, "(g.status <> 'lobby' OR "+fmt.Sprintf(notBlocked, fmt.Sprintf("$%d", len(args)))+")")
	}
	if page.After != "" {
		if !isID(page.After) {
			return nil, "", ErrBadCursor
		}
		where, args = append(where, fmt.Sprintf("g.game_id < $%d", len(args)+1)), append(args, page.After)
	}
	query := listed + `games g LEFT JOIN game_settings s ON s.game_id = g.game_id WHERE ` + strings.Join(where, " AND ") +
		fmt.Sprintf(" ORDER BY g.game_id DESC LIMIT $%d", len(args)+1) // UUIDv7: ordered by time
	return l.page(ctx, page, query, args, func(s *game.State) string { return s.ID })
}

// Mine returns the games in which a user has a seat, newest activity first; of one status or of all for NoGame, and only those where it
// is the user's turn if myTurn.
func (l *Lists) Mine(ctx context.Context, user string, status game.Status, myTurn bool, page Page) ([]Listed, string, error) {
	where, args := []string{"p.user_id = $1"}, []any{user}
	if status != game.NoGame {
		args = append(args, status.String())
		where = append(where, fmt.Sprintf("g.status = $%d", len(args)))
	}
	if myTurn {
		where = append(where, "((g.turn & ~g.bot_turn) >> p.seat) & 1 = 1")
	}
	if page.After != "" {
		at, id, err := splitCursor(page.After)
		if err != nil {
			return nil, "", err
		}
		args = append(args, at, id)
		where = append(where, fmt.Sprintf("(g.updated_at, g.game_id) < ($%d, $%d)", len(args)-1, len(args)))
	}
	query := listed + `game_players p JOIN games g ON g.game_id = p.game_id LEFT JOIN game_settings s ON s.game_id = g.game_id WHERE ` +
		strings.Join(where, " AND ") + fmt.Sprintf(" ORDER BY g.updated_at DESC, g.game_id DESC LIMIT $%d", len(args)+1)
	return l.page(ctx, page, query, args, func(s *game.State) string { return strconv.FormatInt(s.UpdatedAt, 10) + "-" + s.ID })
}

// Open counts the games of a user that are not over: in the lobby, and running. One that the user has resigned counts until it ends.
func (l *Lists) Open(ctx context.Context, user string) (lobbies, running int, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT coalesce(sum(CASE g.status WHEN 'lobby' THEN 1 ELSE 0 END), 0), coalesce(sum(CASE g.status WHEN 'playing' THEN 1 ELSE 0 END), 0)
 FROM game_players p JOIN games g ON g.game_id = p.game_id WHERE p.user_id = $1`, user).Scan(&lobbies, &running)
	if err != nil {
		return 0, 0, fmt.Errorf("count open games: %w", err)
	}
	return lobbies, running, nil
}

func splitCursor(cursor string) (at int64, id string, err error) {
	ms, id, _ := strings.Cut(cursor, "-")
	at, err = strconv.ParseInt(ms, 10, 64)
	if err != nil || !isID(id) {
		return 0, "", ErrBadCursor
	}
	return at, id, nil
}

// isID tells whether a text is an id in its canonical form, the only one that is compared alike everywhere.
func isID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}

// page runs a list's query for one game more than the page holds, to know whether there are more.
func (l *Lists) page(ctx context.Context, page Page, query string, args []any, cursor func(*game.State) string) ([]Listed, string, error) {
	rows, err := l.reader.QueryContext(ctx, query, append(args, page.Limit+1)...)
	if err != nil {
		return nil, "", fmt.Errorf("list games: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	out := []Listed{}
	for rows.Next() {
		if len(out) == page.Limit {
			return out, cursor(&out[len(out)-1].State), nil
		}
		item, err := scanListed(rows)
		if err != nil {
			return nil, "", err
		}
		out = append(out, item)
	}
	if err := rows.Err(); err != nil {
		return nil, "", fmt.Errorf("list games: %w", err)
	}
	return out, "", nil
}

// scanListed reads a row of a list; what stands before a game's own columns goes to first.
func scanListed(rows *sql.Rows, first ...any) (item Listed, err error) {
	var (
		id, status string
		version    int
		updatedAt  int64
		data       []byte
	)
	if err := rows.Scan(append(first, &id, &version, &status, &updatedAt, &data, &item.Settings.Name, &item.Settings.InviteCode)...); err != nil {
		return item, fmt.Errorf("list games: %w", err)
	}
	item.State, err = restore(id, version, status, updatedAt, data)
	return item, err
}

// ids runs a query for ids of games.
func (l *Lists) ids(ctx context.Context, query string, args ...any) ([]uuid.UUID, error) {
	return ids(ctx, l.reader, query, args...)
}

func ids(ctx context.Context, db *sql.DB, query string, args ...any) (out []uuid.UUID, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list ids: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("list ids: %w", err)
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

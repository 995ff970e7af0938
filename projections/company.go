package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mago/domain/game"
)

// Company keeps who invites whom, who wants nothing to do with whom, and which game follows which.
type Company struct {
	reader, writer *sql.DB
	now            func() time.Time
}

// NewCompany returns the company in a database.
func NewCompany(reader, writer *sql.DB, now func() time.Time) *Company {
	if now == nil {
		now = time.Now
	}
	return &Company{reader: reader, writer: writer, now: now}
}

// How many invitations may be open, where the users' caps hold.
const (
	InvitationsOfGame = 20
	InvitationsByUser = 50
	InvitationsToUser = 100
)

// ErrTooManyInvitations says that one of the caps is reached.
var ErrTooManyInvitations = errors.New("too many invitations are open")

// ErrMoved says that a game does not stand any more where it was looked at.
var ErrMoved = errors.New("the game has moved on")

// Invitation asks a user into a lobby.
type Invitation struct {
	ID, Game, Inviter, Invitee string
	CreatedAt                  int64 // Unix milliseconds
}

const (
	insertInvitation = `INSERT INTO invitations (id, game_id, inviter, invitee, created_at) VALUES ($1, $2, $3, $4, $5)`
	selectInvitation = `SELECT id, game_id, inviter, invitee, created_at FROM invitations i WHERE `
	// endInvitations ends what is open of a game; more of a condition may follow.
	endInvitations = `UPDATE invitations SET ended_at = $2 WHERE game_id = $1 AND ended_at IS NULL`
	// notBlocked is a condition on the lobbies of a table g: nobody who sits there has blocked the user.
	notBlocked = `g.game_id NOT IN (SELECT p.game_id FROM blocks b JOIN game_players p ON p.user_id = b.user_id WHERE b.blocked_id = %[1]s)`
	// seenBy is a condition on invitations i into games g: the user can accept them.
	seenBy = `i.invitee = %[1]s AND i.ended_at IS NULL AND g.status = 'lobby'
 AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = %[1]s AND b.blocked_id = i.inviter) AND ` + notBlocked
)

// Invite returns the statement that invites a user into a lobby, to be run with the lobby's first events.
func (c *Company) Invite(gameID, inviter, invitee string) Statement {
	return c.newInvitation(gameID, inviter, invitee).insert()
}

func (c *Company) newInvitation(gameID, inviter, invitee string) Invitation {
	return Invitation{ID: uuid.Must(uuid.NewV7()).String(), Game: gameID, Inviter: inviter, Invitee: invitee, CreatedAt: c.now().UnixMilli()}
}

func (i Invitation) insert() Statement {
	return Statement{SQL: insertInvitation, Args: []any{i.ID, i.Game, i.Inviter, i.Invitee, i.CreatedAt}}
}

// AcceptInvitation returns the statement that must be run before an invitation is accepted. It waits for who ends the invitation at this moment, and fails if it is
// not open any more: it puts null where none may be.
func AcceptInvitation(id string) Statement {
	return Statement{SQL: `UPDATE invitations SET created_at = CASE WHEN ended_at IS NULL THEN created_at END WHERE id = $1`, Args: []any{id}}
}

// AddInvitation invites a user into a lobby that was found fit for it, or finds the invitation that is open already. If the game has moved on since it was loaded
// it is ErrMoved: nobody is invited by who has left, or into what has begun. with is run in the same transaction, given the invitation.
func (c *Company) AddInvitation(ctx context.Context, g *Game, inviter, invitee string, capped bool, with func(Invitation) []Statement) (out Invitation, err error) {
	err = inTx(ctx, c.writer, func(tx *sql.Tx) error {
		// The write takes the stream's head: neither an event nor another invitation into the game comes before the end of this.
		res, err := tx.ExecContext(ctx, holdHead, g.State.ID, int64(g.Version))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrMoved)
		}
		out, err = scanInvitation(tx.QueryRowContext(ctx, selectInvitation+`game_id = $1 AND invitee = $2 AND ended_at IS NULL`, g.State.ID, invitee))
		if !errors.Is(err, sql.ErrNoRows) {
			if err != nil {
				return err
			}
			return run(ctx, tx, with(out))
		}
		if capped {
			if err := roomForInvitation(ctx, tx, g.State.ID, inviter, invitee); err != nil {
				return err
			}
		}
		out = c.newInvitation(g.State.ID, inviter, invitee)
		return run(ctx, tx, append([]Statement{out.insert()}, with(out)...))
	})
	if err != nil {
		return out, fmt.Errorf("invite into game %s: %w", g.State.ID, err)
	}
	return out, nil
}

// roomForInvitation returns ErrTooManyInvitations where a cap is reached. What users can't see doesn't count against them: nobody whom they have blocked, or who has
// blocked them, can keep others from inviting them.
func roomForInvitation(ctx context.Context, tx *sql.Tx, gameID, inviter, invitee string) error {
	var of, by, to int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM invitations WHERE game_id = $1 AND ended_at IS NULL),
 (SELECT count(*) FROM invitations WHERE inviter = $2 AND ended_at IS NULL),
 (SELECT count(*) FROM invitations i JOIN games g ON g.game_id = i.game_id WHERE `+fmt.Sprintf(seenBy, "$3")+`)`, gameID, inviter, invitee).Scan(&of, &by, &to)
	if err == nil && (of >= InvitationsOfGame || by >= InvitationsByUser || to >= InvitationsToUser) {
		err = ErrTooManyInvitations
	}
	return err
}

// Invitation returns an invitation, open or not.
func (c *Company) Invitation(ctx context.Context, id string) (Invitation, bool, error) {
	return found(scanInvitation(c.reader.QueryRowContext(ctx, selectInvitation+`id = $1`, id)))
}

// OpenInvitation returns an invitation of a user's that they can accept: it is open, and they have not blocked who sent it.
func (c *Company) OpenInvitation(ctx context.Context, id, invitee string) (Invitation, bool, error) {
	return found(scanInvitation(c.reader.QueryRowContext(ctx, selectInvitation+`id = $1 AND invitee = $2 AND ended_at IS NULL
 AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = i.invitee AND b.blocked_id = i.inviter)`, id, invitee)))
}

func found(i Invitation, err error) (Invitation, bool, error) {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return i, false, nil
	case err != nil:
		return i, false, fmt.Errorf("look up an invitation: %w", err)
	}
	return i, true, nil
}

// InvitationsInto returns the open invitations into a game, the newest first.
func (c *Company) InvitationsInto(ctx context.Context, gameID string) (out []Invitation, err error) {
	rows, err := c.reader.QueryContext(ctx, selectInvitation+`game_id = $1 AND ended_at IS NULL ORDER BY id DESC`, gameID)
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	for rows.Next() {
		i, err := scanInvitation(rows)
		if err != nil {
			return nil, fmt.Errorf("list invitations: %w", err)
		}
		out = append(out, i)
	}
	return out, rows.Err()
}

// Invited is an invitation with the lobby that it is for.
type Invited struct {
	Invitation
	Listed
}

const invited = `SELECT i.id, i.inviter, i.created_at, g.game_id, g.version, g.status, g.updated_at, g.summary, s.name, s.invite_code
 FROM invitations i JOIN games g ON g.game_id = i.game_id LEFT JOIN game_settings s ON s.game_id = g.game_id WHERE `

// InvitationsTo returns the invitations that a user can accept, the newest first, and the cursor behind them, "" at the end.
func (c *Company) InvitationsTo(ctx context.Context, user string, page Page) ([]Invited, string, error) {
	before := uuid.Max.String() // behind all
	if page.After != "" {
		if !isID(page.After) {
			return nil, "", ErrBadCursor
		}
		before = page.After
	}
	query := invited + fmt.Sprintf(seenBy, "$1") + ` AND i.id < $2 ORDER BY i.id DESC LIMIT $3` //nolint:gosec // conditions written above
	rows, err := c.reader.QueryContext(ctx, query, user, before, page.Limit+1)
	if err != nil {
		return nil, "", fmt.Errorf("list invitations: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err below says it
	out := []Invited{}
	for rows.Next() {
		if len(out) == page.Limit {
			return out, out[len(out)-1].ID, nil
		}
		one := Invited{Invitation: Invitation{Invitee: user}}
		if one.Listed, err = scanListed(rows, &one.ID, &one.Inviter, &one.CreatedAt); err != nil {
			return nil, "", err
		}
		one.Game = one.State.ID
		out = append(out, one)
	}
	if err := rows.Err(); err != nil {
		return nil, "", fmt.Errorf("list invitations: %w", err)
	}
	return out, "", nil
}

// EndInvitation ends an open invitation; with is run in the same transaction. It returns whether it was open.
func (c *Company) EndInvitation(ctx context.Context, id string, with []Statement) (ended bool, err error) {
	err = inTx(ctx, c.writer, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE invitations SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL`, id, c.now().UnixMilli())
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if ended = n == 1; err != nil || !ended {
			return err
		}
		return run(ctx, tx, with)
	})
	if err != nil {
		return false, fmt.Errorf("end an invitation: %w", err)
	}
	return ended, nil
}

// Prune forgets invitations that ended before a time.
func (c *Company) Prune(ctx context.Context, before time.Time) error {
	if _, err := c.writer.ExecContext(ctx, `DELETE FROM invitations WHERE ended_at < $1
 OR ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM games g WHERE g.game_id = invitations.game_id AND g.status = 'lobby') AND created_at < $1`, before.UnixMilli()); err != nil {
		return fmt.Errorf("prune invitations: %w", err)
	}
	return nil
}

func scanInvitation(row interface{ Scan(...any) error }) (i Invitation, err error) {
	err = row.Scan(&i.ID, &i.Game, &i.Inviter, &i.Invitee, &i.CreatedAt)
	return i, err
}

// withoutInvitations are the statements that end what these events end: the invitation of who sits down, those by who leaves, and all of them when the lobby ends.
func withoutInvitations(before, after *Game, events []game.Event) (out []Statement) {
	id, at := after.State.ID, after.At
	for _, e := range events {
		switch e := e.(type) { //nolint:gochecksumtype // what ends invitations
		case game.PlayerJoined:
			if before.Version > 0 {
				out = append(out, Statement{SQL: endInvitations + ` AND invitee = $3`, Args: []any{id, at, e.UserID}})
			}
		case game.PlayerLeft:
			if user := before.State.Seats[e.Seat].User; user != "" {
				out = append(out, Statement{SQL: endInvitations + ` AND inviter = $3`, Args: []any{id, at, user}})
			}
		case game.GameStarted:
			out = append(out, Statement{SQL: endInvitations, Args: []any{id, at}})
		case game.GameCancelled:
			if before.State.Status == game.Lobby {
				out = append(out, Statement{SQL: endInvitations, Args: []any{id, at}})
			}
		}
	}
	return out
}

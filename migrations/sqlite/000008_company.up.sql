-- Invitations into lobbies. One that is open ends when it is accepted, declined or taken back, when who sent it leaves the lobby, and with the lobby.
CREATE TABLE invitations (
  id         TEXT    PRIMARY KEY,           -- UUIDv7: ordered by time
  game_id    TEXT    NOT NULL,
  inviter    TEXT    NOT NULL,
  invitee    TEXT    NOT NULL,
  created_at INTEGER NOT NULL,              -- Unix milliseconds
  ended_at   INTEGER                        -- null while it is open
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX invitations_open ON invitations (game_id, invitee) WHERE ended_at IS NULL;
CREATE INDEX invitations_to ON invitations (invitee, id) WHERE ended_at IS NULL;
CREATE INDEX invitations_by ON invitations (inviter) WHERE ended_at IS NULL;

CREATE TABLE blocks (
  user_id    TEXT    NOT NULL,
  blocked_id TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, blocked_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_of ON blocks (blocked_id);

-- The game that follows a game, with the same people. One that was cancelled in its lobby gives way to the next number.
CREATE TABLE rematches (
  game_id TEXT    NOT NULL,
  number  INTEGER NOT NULL,                 -- from 1
  next_id TEXT    NOT NULL,
  PRIMARY KEY (game_id, number)
) STRICT, WITHOUT ROWID;

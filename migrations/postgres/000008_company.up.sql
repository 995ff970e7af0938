-- Invitations into lobbies. One that is open ends when it is accepted, declined or taken back, when who sent it leaves the lobby, and with the lobby.
CREATE TABLE invitations (
  id         uuid   NOT NULL PRIMARY KEY,   -- UUIDv7: ordered by time
  game_id    uuid   NOT NULL,
  inviter    uuid   NOT NULL,
  invitee    uuid   NOT NULL,
  created_at bigint NOT NULL,               -- Unix milliseconds
  ended_at   bigint                         -- null while it is open
);
CREATE UNIQUE INDEX invitations_open ON invitations (game_id, invitee) WHERE ended_at IS NULL;
CREATE INDEX invitations_to ON invitations (invitee, id) WHERE ended_at IS NULL;
CREATE INDEX invitations_by ON invitations (inviter) WHERE ended_at IS NULL;

CREATE TABLE blocks (
  user_id    uuid   NOT NULL,
  blocked_id uuid   NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (user_id, blocked_id)
);
CREATE INDEX blocks_of ON blocks (blocked_id);

-- The game that follows a game, with the same people. One that was cancelled in its lobby gives way to the next number.
CREATE TABLE rematches (
  game_id uuid    NOT NULL,
  number  integer NOT NULL,                 -- from 1
  next_id uuid    NOT NULL,
  PRIMARY KEY (game_id, number)
);

-- An invite code alone leads to its game.
CREATE UNIQUE INDEX game_settings_by_code ON game_settings (invite_code) WHERE invite_code IS NOT NULL;

-- Who has left or was removed from a lobby, with the version of the event; kept for as long as apps may ask what has changed for them.
CREATE TABLE departures (
  user_id TEXT    NOT NULL,
  game_id TEXT    NOT NULL,
  version INTEGER NOT NULL,
  at      INTEGER NOT NULL,            -- Unix milliseconds
  PRIMARY KEY (user_id, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX departures_by_game ON departures (game_id);
CREATE INDEX departures_by_time ON departures (at);

-- Drawn anew when the database has been restored from a backup: apps' marks from before are known by it.
CREATE TABLE incarnation (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  secret TEXT NOT NULL                 -- 32 bytes in hex
) STRICT;
INSERT INTO incarnation (one, secret) VALUES (1, lower(hex(randomblob(32))));

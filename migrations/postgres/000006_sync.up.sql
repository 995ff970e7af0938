-- An invite code alone leads to its game.
CREATE UNIQUE INDEX game_settings_by_code ON game_settings (invite_code) WHERE invite_code IS NOT NULL;

-- Who has left or was removed from a lobby, with the version of the event; kept for as long as apps may ask what has changed for them.
CREATE TABLE departures (
  user_id uuid    NOT NULL,
  game_id uuid    NOT NULL,
  at      bigint  NOT NULL,            -- Unix milliseconds
  version integer NOT NULL,
  PRIMARY KEY (user_id, game_id)
);
CREATE INDEX departures_by_game ON departures (game_id);
CREATE INDEX departures_by_time ON departures (at);

-- Drawn anew when the database has been restored from a backup: apps' marks from before are known by it.
CREATE TABLE incarnation (
  one    integer NOT NULL PRIMARY KEY CHECK (one = 1),
  secret text    NOT NULL              -- 32 bytes in hex
);
INSERT INTO incarnation (one, secret) VALUES (1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

-- What is kept of a game outside of its stream: its label, and the code that opens a private one.
CREATE TABLE game_settings (
  game_id     TEXT PRIMARY KEY,
  name        TEXT,
  invite_code TEXT
) STRICT, WITHOUT ROWID;

-- Read models, written in the transaction of the events; `mago projections rebuild` makes the same rows anew.
CREATE TABLE games (
  game_id    TEXT PRIMARY KEY,
  version    INTEGER NOT NULL,
  status     TEXT    NOT NULL,
  visibility TEXT    NOT NULL,
  updated_at INTEGER NOT NULL,            -- never indexed: it changes with each move
  turn       INTEGER NOT NULL,            -- the seats that may act, as bits
  bot_turn   INTEGER NOT NULL,            -- those of them that the server plays
  summary    BLOB    NOT NULL             -- what lists show, whole: redacted when it is read
) STRICT, WITHOUT ROWID;
CREATE INDEX games_public ON games (game_id) WHERE visibility = 'public';
CREATE INDEX games_public_by_status ON games (status, game_id) WHERE visibility = 'public';
CREATE INDEX games_bot_turn ON games (game_id) WHERE bot_turn <> 0;
CREATE INDEX games_in_lobby ON games (game_id) WHERE status = 'lobby';

CREATE TABLE game_players (
  user_id TEXT    NOT NULL,
  game_id TEXT    NOT NULL,
  seat    INTEGER NOT NULL,
  PRIMARY KEY (user_id, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX game_players_by_game ON game_players (game_id);

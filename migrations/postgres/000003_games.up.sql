-- What is kept of a game outside of its stream: its label, and the code that opens a private one.
CREATE TABLE game_settings (
  game_id     uuid NOT NULL PRIMARY KEY,
  name        text,
  invite_code text
);

-- Read models, written in the transaction of the events; `mago projections rebuild` makes the same rows anew.
-- A move changes version, updated_at, turn and summary; no index covers them, nor asks for them in its WHERE.
CREATE TABLE games (
  game_id    uuid    NOT NULL PRIMARY KEY,
  updated_at bigint  NOT NULL,
  version    integer NOT NULL,
  turn       integer NOT NULL,            -- the seats that may act, as bits
  bot_turn   integer NOT NULL,            -- those of them that the server plays
  status     text    NOT NULL,
  visibility text    NOT NULL,
  summary    bytea   NOT NULL             -- what lists show, whole: redacted when it is read
) WITH (fillfactor = 50);
CREATE INDEX games_public ON games (game_id) WHERE visibility = 'public';
CREATE INDEX games_public_by_status ON games (status, game_id) WHERE visibility = 'public';
CREATE INDEX games_bot_turn ON games (game_id) WHERE bot_turn <> 0;
CREATE INDEX games_in_lobby ON games (game_id) WHERE status = 'lobby';

CREATE TABLE game_players (
  user_id uuid    NOT NULL,
  game_id uuid    NOT NULL,
  seat    integer NOT NULL,
  PRIMARY KEY (user_id, game_id)
);
CREATE INDEX game_players_by_game ON game_players (game_id);

-- Read models that follow the events from a checkpoint. Each is built under a number; the live build is the one that is read.
CREATE TABLE projections (
  name TEXT    PRIMARY KEY,
  live INTEGER NOT NULL            -- 0: none yet
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  name    TEXT    NOT NULL,
  build   INTEGER NOT NULL,
  version INTEGER NOT NULL,        -- of the code that fills it
  cursor  TEXT    NOT NULL,        -- how far it has read
  PRIMARY KEY (name, build)
) STRICT, WITHOUT ROWID;

-- Statistics: a player's finished games by option, and their totals by number of players for the leaderboard.
CREATE TABLE player_stats (
  build     INTEGER NOT NULL,
  user_id   TEXT    NOT NULL,
  players   INTEGER NOT NULL,
  bidding   TEXT    NOT NULL,
  length    TEXT    NOT NULL,
  foresight INTEGER NOT NULL,
  games     INTEGER NOT NULL,      -- played to the end by the player; what follows is of these alone, but for abandoned
  wins      INTEGER NOT NULL,
  score     INTEGER NOT NULL,      -- sum
  places    INTEGER NOT NULL,      -- sum
  bids      INTEGER NOT NULL,
  met       INTEGER NOT NULL,
  abandoned INTEGER NOT NULL,      -- finished games that the player had left
  PRIMARY KEY (build, user_id, players, bidding, length, foresight)
) STRICT, WITHOUT ROWID;

CREATE TABLE player_totals (
  build   INTEGER NOT NULL,
  players INTEGER NOT NULL,
  user_id TEXT    NOT NULL,
  games   INTEGER NOT NULL,
  wins    INTEGER NOT NULL,
  score   INTEGER NOT NULL,
  mean    INTEGER NOT NULL,        -- score a game, in thousandths
  PRIMARY KEY (build, players, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX player_totals_by_mean ON player_totals (build, players, mean, user_id);

-- Read models that follow the events from a checkpoint. Each is built under a number; the live build is the one that is read.
CREATE TABLE projections (
  name text    NOT NULL PRIMARY KEY,
  live integer NOT NULL            -- 0: none yet
);

CREATE TABLE checkpoints (
  name    text    NOT NULL,
  build   integer NOT NULL,
  version integer NOT NULL,        -- of the code that fills it
  cursor  text    NOT NULL,        -- how far it has read
  PRIMARY KEY (name, build)
);

-- Statistics: a player's finished games by option, and their totals by number of players for the leaderboard.
CREATE TABLE player_stats (
  build     integer NOT NULL,
  user_id   uuid    NOT NULL,
  players   integer NOT NULL,
  bidding   text    NOT NULL,
  length    text    NOT NULL,
  foresight integer NOT NULL,
  games     bigint  NOT NULL,      -- played to the end by the player; what follows is of these alone, but for abandoned
  wins      bigint  NOT NULL,
  score     bigint  NOT NULL,      -- sum
  places    bigint  NOT NULL,      -- sum
  bids      bigint  NOT NULL,
  met       bigint  NOT NULL,
  abandoned bigint  NOT NULL,      -- finished games that the player had left
  PRIMARY KEY (build, user_id, players, bidding, length, foresight)
);

CREATE TABLE player_totals (
  build   integer NOT NULL,
  players integer NOT NULL,
  user_id uuid    NOT NULL,
  games   bigint  NOT NULL,
  wins    bigint  NOT NULL,
  score   bigint  NOT NULL,
  mean    bigint  NOT NULL,        -- score a game, in thousandths
  PRIMARY KEY (build, players, user_id)
);
CREATE INDEX player_totals_by_mean ON player_totals (build, players, mean, user_id);

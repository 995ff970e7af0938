-- Seats on vacation, and seats for which a vacation would do something, as bits; both only while the game is played.
ALTER TABLE games ADD COLUMN on_vacation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN may_rest INTEGER NOT NULL DEFAULT 0;
CREATE INDEX games_on_vacation ON games (game_id) WHERE on_vacation <> 0;

-- Vacations: one that is on ends by itself, one that was ended early has ended then. Of each, whole days begun count, at least one.
CREATE TABLE vacations (
  user_id  TEXT    NOT NULL,
  began_at INTEGER NOT NULL,              -- Unix milliseconds
  until    INTEGER NOT NULL,
  PRIMARY KEY (user_id, began_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX vacations_by_end ON vacations (until);

-- Moves that players have the server make when their turn comes, one a seat. A row goes with the move that it makes.
CREATE TABLE premoves (
  game_id TEXT    NOT NULL,
  seat    INTEGER NOT NULL,
  id      TEXT    NOT NULL,               -- changes with each new move, so that nobody plays an old one
  round   INTEGER NOT NULL,               -- the round that it is for, and no other
  trick   INTEGER NOT NULL,               -- and the trick; 0 for a bid or a trump
  move    TEXT    NOT NULL,               -- JSON; shown to the seat's player alone
  spent   INTEGER NOT NULL,               -- 1 for the moment in which it is played
  PRIMARY KEY (game_id, seat)
) STRICT, WITHOUT ROWID;

-- When a game's clock next asks something of the server, Unix milliseconds; 0 for never.
ALTER TABLE games ADD COLUMN due_at bigint NOT NULL DEFAULT 0;
-- 1 while a clock or a bot must take the game on; with due_at and bot_turn 0 it would be stuck.
ALTER TABLE games ADD COLUMN awaited int NOT NULL DEFAULT 0;
CREATE INDEX games_due ON games (due_at, game_id) WHERE awaited <> 0;

-- Who serves says so here all the time; a long silence was an outage, and clocks are given it back.
CREATE TABLE heartbeat (
  one int    PRIMARY KEY CHECK (one = 1),
  at  bigint NOT NULL                     -- Unix milliseconds
);

CREATE TABLE outages (
  began bigint NOT NULL,                  -- Unix milliseconds
  ended bigint PRIMARY KEY
);

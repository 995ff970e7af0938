-- The first answers to requests that carried an Idempotency-Key, kept for a day in the transaction of what they answer for. An answer is built
-- again from what stands here, which is nothing that the client or the server said: the key and the request are hashed.
CREATE TABLE idempotency_keys (
  user_id    TEXT    NOT NULL,
  key        BLOB    NOT NULL CHECK (length(key) = 32),     -- SHA-256 of the key
  request    BLOB    NOT NULL CHECK (length(request) = 32), -- HMAC-SHA-256 of method, path and body under the key itself
  status     INTEGER NOT NULL,
  code       TEXT,                                          -- of a refusal
  subject    TEXT,                                          -- the game, or what else the answer is about
  version    INTEGER NOT NULL,                              -- of the game; 0 where there is none
  expires_at INTEGER NOT NULL,                              -- Unix milliseconds; the row is as good as gone from then on
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

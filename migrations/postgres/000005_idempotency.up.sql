-- The first answers to requests that carried an Idempotency-Key, kept for a day in the transaction of what they answer for. An answer is built
-- again from what stands here, which is nothing that the client or the server said: the key and the request are hashed.
CREATE TABLE idempotency_keys (
  user_id    uuid    NOT NULL,
  subject    uuid,                                          -- the game, or what else the answer is about
  expires_at bigint  NOT NULL,                              -- Unix milliseconds; the row is as good as gone from then on
  status     integer NOT NULL,
  version    integer NOT NULL,                              -- of the game; 0 where there is none
  key        bytea   NOT NULL CHECK (length(key) = 32),     -- SHA-256 of the key
  request    bytea   NOT NULL CHECK (length(request) = 32), -- HMAC-SHA-256 of method, path and body under the key itself
  code       text,                                          -- of a refusal
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- Accounts, their sessions, and the keys that sign access tokens. Times are Unix milliseconds.

CREATE TABLE users (
  id            TEXT    NOT NULL PRIMARY KEY,
  username      TEXT    UNIQUE,     -- in lower case; this, the display name and the hash are null once erased
  display_name  TEXT,
  password_hash TEXT,               -- argon2id with its parameters
  created_at    INTEGER NOT NULL,
  deleted_at    INTEGER             -- the row stays: games name it
) STRICT;

CREATE TABLE sessions (
  id         TEXT    NOT NULL PRIMARY KEY,
  user_id    TEXT    NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  ended_at   INTEGER
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);

-- A token is spent once a row names it as its parent; the unique parent is what lets only one successor exist.
CREATE TABLE refresh_tokens (
  hash       BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the token
  session_id TEXT    NOT NULL REFERENCES sessions (id),
  parent     BLOB    UNIQUE,               -- hash of the predecessor; null for a session's first
  random     BLOB    NOT NULL,             -- with the token itself this gives the successor, alone nothing
  issued_at  INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

CREATE TABLE signing_keys (
  number     INTEGER NOT NULL PRIMARY KEY, -- the highest signs, all verify
  kid        TEXT    NOT NULL UNIQUE,
  seed       BLOB    NOT NULL,             -- of an Ed25519 private key
  created_at INTEGER NOT NULL
) STRICT;

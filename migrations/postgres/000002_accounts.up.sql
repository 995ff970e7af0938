-- Accounts, their sessions, and the keys that sign access tokens. Times are Unix milliseconds.

CREATE TABLE users (
  id            uuid   NOT NULL PRIMARY KEY,
  username      text   UNIQUE,       -- in lower case; this, the display name and the hash are null once erased
  display_name  text,
  password_hash text,                -- argon2id with its parameters
  created_at    bigint NOT NULL,
  deleted_at    bigint               -- the row stays: games name it
);

CREATE TABLE sessions (
  id         uuid   NOT NULL PRIMARY KEY,
  user_id    uuid   NOT NULL REFERENCES users (id),
  created_at bigint NOT NULL,
  ended_at   bigint
);
CREATE INDEX sessions_user ON sessions (user_id);

-- A token is spent once a row names it as its parent; the unique parent is what lets only one successor exist.
CREATE TABLE refresh_tokens (
  hash       bytea  NOT NULL PRIMARY KEY, -- SHA-256 of the token
  session_id uuid   NOT NULL REFERENCES sessions (id),
  parent     bytea  UNIQUE,               -- hash of the predecessor; null for a session's first
  random     bytea  NOT NULL,             -- with the token itself this gives the successor, alone nothing
  issued_at  bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

CREATE TABLE signing_keys (
  number     integer NOT NULL PRIMARY KEY, -- the highest signs, all verify
  kid        text    NOT NULL UNIQUE,
  seed       bytea   NOT NULL,             -- of an Ed25519 private key
  created_at bigint  NOT NULL
);

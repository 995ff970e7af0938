-- The head of each stream: the version and hash of its last event. An append moves it from the version it expects.
CREATE TABLE streams (
  stream_id TEXT    PRIMARY KEY NOT NULL,
  version   INTEGER NOT NULL CHECK (version > 0),
  head_hash BLOB    NOT NULL CHECK (length(head_hash) = 32)
) STRICT, WITHOUT ROWID;

-- All events. There is one writer, so position is the order of commits; AUTOINCREMENT gives none twice.
CREATE TABLE events (
  position  INTEGER PRIMARY KEY AUTOINCREMENT,
  stream_id TEXT    NOT NULL,
  version   INTEGER NOT NULL CHECK (version > 0),
  type      TEXT    NOT NULL,
  at        INTEGER NOT NULL,                             -- Unix milliseconds
  cmd_id    TEXT,                                         -- on the first event of a command
  data      BLOB    NOT NULL,                             -- canonical JSON
  hash      BLOB    NOT NULL CHECK (length(hash) = 32),
  private   BLOB    NOT NULL CHECK (length(private) >= 16), -- salt (16 bytes), then the secret
  UNIQUE (stream_id, version)
) STRICT;

CREATE UNIQUE INDEX events_cmd ON events (stream_id, cmd_id) WHERE cmd_id IS NOT NULL;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;

-- REPLACE deletes the rows it clashes with without running the trigger above, so nothing that clashes may be inserted at all:
-- a stream takes its next version only, a command once, and a given position only behind all others. Where no position is given, NEW.position is -1.
CREATE TRIGGER events_in_order BEFORE INSERT ON events
WHEN NEW.version <> 1 + coalesce((SELECT max(version) FROM events WHERE stream_id = NEW.stream_id), 0)
  OR NEW.position BETWEEN 0 AND (SELECT coalesce(max(position), 0) FROM events)
  OR EXISTS (SELECT 1 FROM events WHERE stream_id = NEW.stream_id AND cmd_id = NEW.cmd_id)
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;

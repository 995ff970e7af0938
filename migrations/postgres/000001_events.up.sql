-- The head of each stream: the version and hash of its last event. An append moves it from the version it expects, which no index
-- covers, so that with the room left in each page the update touches no index (HOT).
CREATE TABLE streams (
  stream_id uuid     NOT NULL PRIMARY KEY,
  last_xid  xid8     NOT NULL,                       -- of the transaction that appended last, in its epoch
  version   integer  NOT NULL CHECK (version > 0),
  epoch     smallint NOT NULL,
  head_hash bytea    NOT NULL CHECK (length(head_hash) = 32)
) WITH (fillfactor = 50);

-- Transaction ids rise for ever in one cluster of databases and start over in another. The epoch counts the clusters: it is raised when the
-- tables have been restored into a cluster whose ids are lower than those in the rows (`mago migrate` does it).
CREATE TABLE event_epoch (
  epoch smallint NOT NULL,
  one   boolean  NOT NULL DEFAULT true PRIMARY KEY CHECK (one)
);
INSERT INTO event_epoch (epoch) VALUES (1);

-- All events. Positions and versions are given out before a commit, and commits come in any order; so who follows all events reads by
-- (epoch, xid, position) and only below the oldest transaction that still runs.
CREATE TABLE events (
  position  bigint   NOT NULL GENERATED ALWAYS AS IDENTITY, -- orders the events of one transaction; gaps mean nothing
  xid       xid8     NOT NULL,
  stream_id uuid     NOT NULL,
  at        bigint   NOT NULL,                       -- Unix milliseconds
  cmd_id    uuid,                                    -- on the first event of a command
  version   integer  NOT NULL CHECK (version > 0),
  epoch     smallint NOT NULL,
  type      text     NOT NULL,
  hash      bytea    NOT NULL CHECK (length(hash) = 32),
  private   bytea    NOT NULL CHECK (length(private) >= 16), -- salt (16 bytes), then the secret
  data      bytea    NOT NULL,                       -- canonical JSON; jsonb would reorder its keys
  PRIMARY KEY (stream_id, version)
);

CREATE UNIQUE INDEX events_cmd ON events (stream_id, cmd_id) WHERE cmd_id IS NOT NULL;
CREATE INDEX events_tail ON events (epoch, xid, position);

CREATE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events is append-only';
END $$;

CREATE TRIGGER events_no_change BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_change;   -- also where session_replication_role switches triggers off
ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_truncate;

-- Called by an append that found no head to move, so that the whole transaction fails, whatever else is in it:
-- MG001 is a conflict; MG002 says that the version is right and the transaction older than the stream's last one.
CREATE FUNCTION append_refused(stream uuid, expected integer) RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM streams WHERE stream_id = stream AND version = expected) THEN
    RAISE EXCEPTION 'the append to stream % is older than its last event', stream USING ERRCODE = 'MG002';
  END IF;
  RAISE EXCEPTION 'stream % is not at version %', stream, expected USING ERRCODE = 'MG001';
END $$;

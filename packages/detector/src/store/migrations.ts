/**
 * The schema, one entry a version: `PRAGMA user_version` says how many have run. Entries are never changed once
 * released; a new version is a new entry.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE turns (
    id    TEXT PRIMARY KEY,
    saved TEXT NOT NULL
  ) STRICT;

  CREATE TABLE baselines (
    key   TEXT PRIMARY KEY,
    saved TEXT NOT NULL
  ) STRICT;

  -- The unique key is what makes "exactly one event": a verdict that is reached twice is one row.
  CREATE TABLE outbox (
    id                 TEXT    NOT NULL,
    endpoint_id        TEXT    NOT NULL,
    sequence           INTEGER NOT NULL,
    type               TEXT    NOT NULL,
    turn_id            TEXT,
    body               TEXT    NOT NULL,
    created_at_ms      INTEGER NOT NULL,
    attempts           INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_ms INTEGER NOT NULL,
    state              TEXT    NOT NULL DEFAULT 'pending',
    error_code         TEXT,
    error_status       INTEGER,
    error_message      TEXT,
    UNIQUE (id, endpoint_id)
  ) STRICT;
  CREATE INDEX outbox_pending ON outbox (endpoint_id, next_attempt_at_ms) WHERE state = 'pending';
  CREATE INDEX outbox_settled ON outbox (created_at_ms) WHERE state <> 'pending';

  CREATE TABLE deliveries (
    id            TEXT    NOT NULL,
    endpoint_id   TEXT    NOT NULL,
    at_ms         INTEGER NOT NULL,
    outcome       TEXT    NOT NULL,
    status        INTEGER,
    error_code    TEXT,
    error_message TEXT
  ) STRICT;
  CREATE INDEX deliveries_event ON deliveries (id, endpoint_id);

  CREATE TABLE endpoint_states (
    endpoint_id TEXT PRIMARY KEY,
    saved       TEXT NOT NULL
  ) STRICT;
  `,
];

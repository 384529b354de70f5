/**
 * The schema, one entry a version: `PRAGMA user_version` says how many have run. Entries are never changed once
 * released; a new version is a new entry, and the version before it becomes a fixture (fixtures/README.md).
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
  `
  ALTER TABLE outbox ADD COLUMN superseded_by TEXT;
  CREATE INDEX outbox_newest ON outbox (sequence DESC, endpoint_id);

  -- The feed: each event once, whoever it was sent to.
  CREATE TABLE events (
    sequence      INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    type          TEXT    NOT NULL,
    turn_id       TEXT,
    recipient     TEXT,
    parent_id     TEXT,
    conversation  TEXT,
    agent         TEXT,
    managed       INTEGER NOT NULL,
    body          TEXT    NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX events_age ON events (created_at_ms);

  CREATE TABLE endpoints (
    id    TEXT PRIMARY KEY,
    saved TEXT NOT NULL
  ) STRICT;

  -- What was told before there was a feed is not in it.
  INSERT INTO meta (key, value) SELECT 'events_dropped', value FROM meta WHERE key = 'sequence';
  `,
  `
  -- Who was told of a turn is asked for with every turn that is shown.
  CREATE INDEX outbox_turn ON outbox (turn_id);

  -- What operators did. No id is given twice, also where the newest was dropped.
  CREATE TABLE audit (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms      INTEGER NOT NULL,
    by         TEXT    NOT NULL,
    action     TEXT    NOT NULL,
    turn_id    TEXT,
    baseline   TEXT,
    why        TEXT,
    details    TEXT    NOT NULL,
    request_id TEXT
  ) STRICT;
  CREATE INDEX audit_turn ON audit (turn_id, id);
  `,
  `
  -- Whose token started a turn, a process or an engine: no other may change it.
  CREATE TABLE owners (
    kind  TEXT NOT NULL,
    id    TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What nobody has learned from for long is dropped. What there is counts as used today.
  ALTER TABLE baselines ADD COLUMN used_at_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE baselines SET used_at_ms = unixepoch() * 1000;
  CREATE INDEX baselines_use ON baselines (used_at_ms);

  -- What turns of the first versions did not know of yet.
  UPDATE turns SET saved = json_set(saved, '$.turn.lessons.hung', json('{}'))
    WHERE json_type(saved, '$.turn.lessons.hung') IS NULL;
  UPDATE turns SET saved = json_set(saved, '$.turn.verdict.updates', json((
      SELECT json_group_object(json_extract(value, '$.id'), json_extract(value, '$.updates'))
      FROM json_each(saved, '$.turn.verdict.details.pendingCalls'))))
    WHERE json_extract(saved, '$.turn.verdict.state') = 'stale' AND json_type(saved, '$.turn.verdict.updates') IS NULL;
  `,
];

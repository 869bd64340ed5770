-- Wrong codes at a phone, over all its codes, by the kind of key that issued them.
CREATE TABLE failures (
  app_id TEXT NOT NULL,
  key_kind TEXT NOT NULL,
  phone_hash BLOB NOT NULL,
  -- JSON: in a row, by day, since when locked.
  state TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, key_kind, phone_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_old ON failures (last_at);

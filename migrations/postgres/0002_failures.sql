-- Wrong codes at a phone, over all its codes, by the kind of key that issued them.
CREATE TABLE failures (
  app_id text NOT NULL,
  key_kind text NOT NULL,
  phone_hash bytea NOT NULL,
  -- JSON: in a row, by day, since when locked.
  state text NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (app_id, key_kind, phone_hash)
);
CREATE INDEX failures_old ON failures (last_at);

-- Days an app's live issues are kept. NULL: as the server is set.
ALTER TABLE apps ADD COLUMN retention_days INTEGER CHECK (retention_days > 0);

-- When what belongs to its phone was erased: the row is there to be counted and charged. NULL: not erased.
ALTER TABLE issues ADD COLUMN erased_at INTEGER;

-- Those: to be removed once nothing counts them any more, and then to be known for as long as idempotency keys that stand for them.
CREATE TABLE erased_issues (
  app_id   TEXT NOT NULL,
  mode     TEXT NOT NULL,
  issue_id BLOB NOT NULL CHECK (length(issue_id) = 16),
  gone     INTEGER NOT NULL CHECK (gone IN (0, 1)), -- the issue is removed
  PRIMARY KEY (issue_id)
) STRICT, WITHOUT ROWID;

-- Phones that were erased, by their keyed hash, to be erased again where a backup brings them back. '' stands for every app.
CREATE TABLE erasures (
  phone_hash BLOB NOT NULL CHECK (length(phone_hash) = 32),
  app_id     TEXT NOT NULL,
  erased_at  INTEGER NOT NULL,
  done_at    INTEGER, -- NULL: not all of it is done
  PRIMARY KEY (phone_hash, app_id)
) STRICT, WITHOUT ROWID;

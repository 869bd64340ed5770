-- Keys that do not follow from the master secret of today, each sealed for the secrets that open this database. None: the
-- secret has never been changed, and all follow from it.
CREATE TABLE key_ring (
  name TEXT NOT NULL,
  secret_id BLOB NOT NULL,
  sealed BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  -- NULL: every server is to know it before the first uses it.
  begun_at INTEGER,
  PRIMARY KEY (name, secret_id)
) STRICT, WITHOUT ROWID;

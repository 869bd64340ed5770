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

-- Which key of the ring the hashes of a row are encrypted by. NULL: they are stored as they are.
ALTER TABLE issues ADD COLUMN hash_key INTEGER;
ALTER TABLE failures ADD COLUMN hash_key INTEGER;
ALTER TABLE erasures ADD COLUMN hash_key INTEGER;
ALTER TABLE claims ADD COLUMN hash_key INTEGER;
ALTER TABLE decisions ADD COLUMN hash_key INTEGER;
ALTER TABLE operator_addresses ADD COLUMN hash_key INTEGER;
ALTER TABLE audit_entries ADD COLUMN hash_key INTEGER;

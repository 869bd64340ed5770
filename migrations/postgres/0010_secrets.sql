-- Keys that do not follow from the master secret of today, each sealed for the secrets that open this database. None: the
-- secret has never been changed, and all follow from it.
CREATE TABLE key_ring (
  name      text COLLATE "C" NOT NULL,
  secret_id bytea NOT NULL,
  sealed    bytea NOT NULL,
  made_at   bigint NOT NULL,
  begun_at  bigint, -- NULL: every server is to know it before the first uses it
  PRIMARY KEY (name, secret_id)
);

-- Which key of the ring the hashes of a row are encrypted by. NULL: they are stored as they are.
ALTER TABLE issues ADD COLUMN hash_key integer;
ALTER TABLE failures ADD COLUMN hash_key integer;
ALTER TABLE erasures ADD COLUMN hash_key integer;
ALTER TABLE claims ADD COLUMN hash_key integer;
ALTER TABLE decisions ADD COLUMN hash_key integer;
ALTER TABLE operator_addresses ADD COLUMN hash_key integer;
ALTER TABLE audit_entries ADD COLUMN hash_key integer;

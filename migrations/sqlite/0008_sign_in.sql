-- Addresses operators have signed in from, as keyed hashes: from there the right password always counts.
CREATE TABLE operator_addresses (
  operator_id  TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
  address_hash BLOB NOT NULL CHECK (length(address_hash) = 16),
  seen_at      INTEGER NOT NULL,
  PRIMARY KEY (operator_id, address_hash)
) STRICT, WITHOUT ROWID;
-- When the pauses that failed sign-ins have earned were lifted last. NULL: never.
ALTER TABLE operators ADD COLUMN unlocked_at INTEGER;
-- Tells this database from others: the console's cookie is named after it, since cookies do not know ports.
INSERT INTO facts (name, value) VALUES ('installation', randomblob(16));

-- An app that was removed is kept with its ledger and issues, and found nowhere but by their ids. NULL: not removed.
ALTER TABLE apps ADD COLUMN removed_at INTEGER;

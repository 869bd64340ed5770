-- When the clock was set back, and by how much.
CREATE TABLE clock_steps (
  noticed_at INTEGER NOT NULL,
  set_back_ms INTEGER NOT NULL CHECK (set_back_ms > 0),
  -- The process that noticed it first.
  noticed_by TEXT NOT NULL
) STRICT;
-- The expiry a caller was told, where a clock that was set back has made it another. NULL: as it was told.
ALTER TABLE issues ADD COLUMN promised_expires_at INTEGER;

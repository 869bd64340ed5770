-- A message waits in the queue of the carrier that has no room for it, so that a slow carrier holds up nobody else.
-- '' is the front, where every job starts. `leased` tells a job that runs from one that waits for its time.
ALTER TABLE jobs ADD COLUMN queue TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN leased INTEGER NOT NULL DEFAULT 0;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (kind, queue, run_at);

-- NULL: the setting of the installation.
ALTER TABLE providers ADD COLUMN concurrency INTEGER CHECK (concurrency > 0);
ALTER TABLE providers ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE providers ADD COLUMN timeout_ms INTEGER CHECK (timeout_ms > 0);

-- What the running server last found of a provider, for people in other processes.
CREATE TABLE provider_health (
  provider   TEXT PRIMARY KEY,
  is_healthy INTEGER NOT NULL,
  since      INTEGER NOT NULL,
  code       TEXT,
  retry_at   INTEGER
) STRICT;

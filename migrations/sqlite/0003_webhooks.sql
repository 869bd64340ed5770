-- Work is no longer about issues alone: a job's subject is an issue, or a webhook to deliver.
CREATE TABLE jobs_new (
  job_id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: part of the fence
  kind       TEXT NOT NULL CHECK (kind IN ('deliver', 'await-report', 'settle', 'webhook')),
  app_id     TEXT NOT NULL,
  mode       TEXT NOT NULL,
  subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
  run_at     INTEGER NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  queue      TEXT NOT NULL DEFAULT '', -- '' is the front; else a carrier or a webhook endpoint
  leased     INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO jobs_new SELECT job_id, kind, app_id, mode, issue_id, run_at, attempt, queue, leased FROM jobs;
-- The counter goes on where it was, so that no old fence opens a new job.
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'jobs') WHERE name = 'jobs_new';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'jobs_new', seq FROM sqlite_sequence
  WHERE name = 'jobs' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'jobs_new');
DROP TABLE jobs;
ALTER TABLE jobs_new RENAME TO jobs;
CREATE INDEX jobs_due ON jobs (kind, queue, run_at);
-- At most one job of a kind for a subject: what makes a second send or settlement impossible to queue.
CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject_id, kind);

CREATE TABLE webhook_endpoints (
  endpoint_id     TEXT PRIMARY KEY,
  app_id          TEXT NOT NULL REFERENCES apps,
  mode            TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  url             TEXT NOT NULL,
  events          TEXT NOT NULL CHECK (json_valid(events)),
  filters         TEXT NOT NULL CHECK (json_valid(filters)),
  headers         BLOB NOT NULL, -- sealed: they may hold credentials
  template        TEXT,
  secrets         BLOB NOT NULL, -- sealed: newest first, an older one with the time it ends
  disabled_at     INTEGER,
  disabled_reason TEXT,
  failing_since   INTEGER,
  created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_endpoints_by_app ON webhook_endpoints (app_id, mode);

-- What happened, once for all endpoints that were told of it.
CREATE TABLE webhook_events (
  event_id   BLOB PRIMARY KEY CHECK (length(event_id) = 16),
  app_id     TEXT NOT NULL,
  mode       TEXT NOT NULL,
  type       TEXT NOT NULL,
  issue_id   BLOB, -- NULL: a test event
  body       BLOB NOT NULL, -- sealed
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_events_by_issue ON webhook_events (issue_id) WHERE issue_id IS NOT NULL;

-- One event for one endpoint.
CREATE TABLE webhook_deliveries (
  seq         INTEGER PRIMARY KEY, -- in the order of what happened
  delivery_id BLOB NOT NULL UNIQUE CHECK (length(delivery_id) = 16),
  endpoint_id TEXT NOT NULL,
  event_id    BLOB NOT NULL,
  issue_id    BLOB,
  status      TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts    INTEGER NOT NULL DEFAULT 0, -- in all
  tries       INTEGER NOT NULL DEFAULT 0, -- since it was queued or replayed
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, seq);
-- What keeps an issue's events in order.
CREATE INDEX webhook_deliveries_untried ON webhook_deliveries (endpoint_id, issue_id, seq)
  WHERE attempts = 0 AND status = 'pending' AND issue_id IS NOT NULL;
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

CREATE TABLE webhook_attempts (
  delivery_id BLOB NOT NULL,
  number      INTEGER NOT NULL,
  called_at   INTEGER NOT NULL,
  answered_at INTEGER NOT NULL,
  status      INTEGER, -- NULL: there was no answer
  error       TEXT,
  answer      BLOB, -- sealed: its first KiB
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

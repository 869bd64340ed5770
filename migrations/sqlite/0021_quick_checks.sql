-- The same checks without lists of three or more: for each of those SQLite makes a table of its own, every time that a row is
-- stored, which for a delivered code took as long as all else of its checks and rows together.
CREATE TABLE issues_new (
  app_id              TEXT NOT NULL,
  mode                TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  issue_id            BLOB NOT NULL CHECK (length(issue_id) = 16),
  message_id          BLOB NOT NULL CHECK (length(message_id) = 16),
  purpose             TEXT NOT NULL,
  template_id         TEXT NOT NULL,
  channel             TEXT NOT NULL CHECK (channel IN ('alimtalk', 'sms')),
  sms_fallback        INTEGER NOT NULL CHECK (sms_fallback IN (0, 1)),
  phone_hash          BLOB NOT NULL CHECK (length(phone_hash) = 32),
  code_hash           BLOB NOT NULL CHECK (length(code_hash) = 32),
  country             TEXT,
  metadata            TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
  created_at          INTEGER NOT NULL,
  expires_at          INTEGER NOT NULL,
  max_attempts        INTEGER NOT NULL CHECK (max_attempts BETWEEN 1 AND 10),
  verification_status TEXT NOT NULL CHECK (
    verification_status = 'issued' OR verification_status = 'verified' OR verification_status = 'expired'
    OR verification_status = 'replaced' OR verification_status = 'max_attempts'),
  attempts_used       INTEGER NOT NULL CHECK (attempts_used BETWEEN 0 AND max_attempts),
  verified_at         INTEGER,
  delivery_status     TEXT NOT NULL CHECK (
    delivery_status = 'queued' OR delivery_status = 'sent' OR delivery_status = 'delivered' OR delivery_status = 'failed'),
  leg                 TEXT NOT NULL CHECK (leg IN ('alimtalk', 'sms')),
  send_pending        INTEGER NOT NULL CHECK (send_pending IN (0, 1)),
  outcome_ambiguous   INTEGER NOT NULL CHECK (outcome_ambiguous IN (0, 1)),
  outcome_code        TEXT CHECK (length(outcome_code) <= 128),
  billing_status      TEXT NOT NULL CHECK (
    billing_status = 'reserved' OR billing_status = 'debited' OR billing_status = 'released'
    OR billing_status = 'debit_pending' OR billing_status = 'release_pending'),
  price               INTEGER NOT NULL CHECK (price >= 0),
  debited_amount      INTEGER NOT NULL CHECK (debited_amount IN (0, price)),
  updated_at          INTEGER NOT NULL,
  key_kind            TEXT,
  promised_expires_at INTEGER,
  prefix_hash         BLOB,
  network_hash        BLOB,
  origin              TEXT,
  erased_at           INTEGER,
  hash_key            INTEGER,
  PRIMARY KEY (app_id, mode, issue_id),
  CHECK ((verification_status = 'verified') = (verified_at IS NOT NULL)),
  CHECK (send_pending = 0 OR delivery_status IN ('queued', 'sent')),
  CHECK (verification_status <> 'issued' OR attempts_used < max_attempts),
  CHECK ((billing_status = 'debited') >= (debited_amount > 0))
) STRICT, WITHOUT ROWID;
INSERT INTO issues_new SELECT * FROM issues;
DROP TABLE issues;
ALTER TABLE issues_new RENAME TO issues;
CREATE UNIQUE INDEX issues_live ON issues (app_id, mode, phone_hash, purpose) WHERE verification_status = 'issued';
CREATE INDEX issues_due ON issues (expires_at) WHERE verification_status = 'issued';

CREATE TABLE attempts_new (
  app_id              TEXT NOT NULL,
  mode                TEXT NOT NULL,
  issue_id            BLOB NOT NULL CHECK (length(issue_id) = 16),
  number              INTEGER NOT NULL CHECK (number > 0),
  leg                 TEXT NOT NULL CHECK (leg IN ('alimtalk', 'sms')),
  provider            TEXT NOT NULL,
  message_id          BLOB NOT NULL CHECK (length(message_id) = 16),
  called_at           INTEGER NOT NULL,
  answered_at         INTEGER,
  outcome             TEXT CHECK (outcome = 'accepted' OR outcome = 'refused' OR outcome = 'ambiguous'),
  retry               TEXT CHECK (retry = 'later' OR retry = 'elsewhere' OR retry = 'never'),
  code                TEXT CHECK (length(code) <= 128),
  provider_message_id TEXT CHECK (length(provider_message_id) <= 256),
  PRIMARY KEY (app_id, mode, issue_id, number),
  CHECK ((retry IS NOT NULL) = (outcome IS 'refused')),
  CHECK ((outcome IS NULL) = (answered_at IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO attempts_new SELECT * FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_new RENAME TO attempts;

CREATE TABLE ledger_entries_new (
  app_id        TEXT NOT NULL REFERENCES apps,
  created_at    INTEGER NOT NULL,
  seq           INTEGER NOT NULL CHECK (seq > 0),
  entry_type    TEXT NOT NULL CHECK (
    entry_type = 'debit' OR entry_type = 'credit' OR entry_type = 'refund' OR entry_type = 'clawback'),
  amount_delta  INTEGER NOT NULL,
  balance_after INTEGER NOT NULL,
  issue_id      BLOB CHECK (length(issue_id) = 16),
  reference     TEXT CHECK (length(reference) BETWEEN 1 AND 128), -- of an operator's entry: makes it once only
  PRIMARY KEY (app_id, created_at, seq),
  CHECK ((entry_type = 'debit') <= (issue_id IS NOT NULL AND amount_delta <= 0)),
  CHECK ((entry_type IN ('credit', 'refund')) <= (amount_delta > 0)),
  CHECK ((entry_type = 'refund') <= (issue_id IS NOT NULL)),
  CHECK ((entry_type = 'clawback') <= (amount_delta < 0))
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_entries_new SELECT * FROM ledger_entries;
DROP TABLE ledger_entries;
ALTER TABLE ledger_entries_new RENAME TO ledger_entries;
CREATE UNIQUE INDEX ledger_entries_by_reference ON ledger_entries (app_id, entry_type, reference) WHERE reference IS NOT NULL;
CREATE INDEX ledger_entries_by_issue ON ledger_entries (issue_id) WHERE issue_id IS NOT NULL;

CREATE TABLE jobs_new (
  job_id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: part of the fence
  kind       TEXT NOT NULL CHECK (kind = 'deliver' OR kind = 'webhook' OR kind = 'await-report' OR kind = 'settle'),
  app_id     TEXT NOT NULL,
  mode       TEXT NOT NULL,
  subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
  run_at     INTEGER NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  queue      TEXT NOT NULL DEFAULT '', -- '' is the front; else a carrier or a webhook endpoint
  leased     INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO jobs_new SELECT * FROM jobs;
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'jobs') WHERE name = 'jobs_new';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'jobs_new', seq FROM sqlite_sequence
  WHERE name = 'jobs' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'jobs_new');
DROP TABLE jobs;
ALTER TABLE jobs_new RENAME TO jobs;
CREATE INDEX jobs_due ON jobs (kind, queue, run_at);
-- At most one job of a kind for a subject: what makes a second send or settlement impossible to queue.
CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject_id, kind);

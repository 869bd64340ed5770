-- Identifiers of hot rows are UUIDv7 as 16-byte BLOBs: time-ordered, so that new rows are appended.
-- Times are Unix milliseconds, amounts credits. Invariants are repeated here as CHECKs and unique indexes.

CREATE TABLE organizations (
  organization_id TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE apps (
  app_id          TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations,
  name            TEXT NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  key_id          TEXT PRIMARY KEY,
  app_id          TEXT NOT NULL REFERENCES apps,
  kind            TEXT NOT NULL CHECK (kind IN ('sk', 'pk')),
  mode            TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  hash            BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  prefix          TEXT NOT NULL,
  last_four       TEXT NOT NULL,
  scopes          TEXT NOT NULL CHECK (json_valid(scopes)),
  allowed_origins TEXT NOT NULL CHECK (json_valid(allowed_origins)),
  allowed_cidrs   TEXT NOT NULL CHECK (json_valid(allowed_cidrs)),
  limits          TEXT NOT NULL CHECK (json_valid(limits)),
  expires_at      INTEGER,
  revoked_at      INTEGER,
  created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_app ON api_keys (app_id);

CREATE TABLE templates (
  app_id                 TEXT NOT NULL REFERENCES apps,
  template_id            TEXT NOT NULL,
  version                INTEGER NOT NULL,
  name                   TEXT NOT NULL,
  channel_support        TEXT NOT NULL CHECK (json_valid(channel_support)),
  body                   TEXT NOT NULL CHECK (instr(body, '#{code}') > 0),
  variables              TEXT NOT NULL CHECK (json_valid(variables)),
  provider_template_code TEXT NOT NULL,
  created_at             INTEGER NOT NULL,
  PRIMARY KEY (app_id, template_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE providers (
  name       TEXT PRIMARY KEY,
  type       TEXT NOT NULL,
  channels   TEXT NOT NULL CHECK (json_valid(channels)),
  config     BLOB NOT NULL, -- sealed: it holds credentials
  created_at INTEGER NOT NULL
) STRICT;

-- Which providers deliver a channel, in order; '' stands for every country, or every app.
CREATE TABLE routes (
  channel   TEXT NOT NULL CHECK (channel IN ('alimtalk', 'sms')),
  country   TEXT NOT NULL CHECK (length(country) IN (0, 2)),
  app_id    TEXT NOT NULL,
  providers TEXT NOT NULL CHECK (json_array_length(providers) > 0),
  PRIMARY KEY (channel, country, app_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE wallets (
  app_id          TEXT PRIMARY KEY REFERENCES apps,
  balance         INTEGER NOT NULL DEFAULT 0,
  reserved        INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  overdraft_limit INTEGER NOT NULL DEFAULT 0 CHECK (overdraft_limit >= 0),
  entries         INTEGER NOT NULL DEFAULT 0,
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One page of an app's ledger lies together; `seq` is the wallet's own count, so no entry is lost or doubled.
CREATE TABLE ledger_entries (
  app_id        TEXT NOT NULL REFERENCES apps,
  created_at    INTEGER NOT NULL,
  seq           INTEGER NOT NULL CHECK (seq > 0),
  entry_type    TEXT NOT NULL CHECK (entry_type IN ('credit', 'debit', 'refund', 'clawback')),
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
CREATE UNIQUE INDEX ledger_entries_by_reference ON ledger_entries (app_id, entry_type, reference) WHERE reference IS NOT NULL;

-- Rows of one app, mode and time lie together: the primary key serves look-ups and pages alike.
CREATE TABLE issues (
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
  verification_status TEXT NOT NULL
    CHECK (verification_status IN ('issued', 'verified', 'expired', 'max_attempts', 'replaced')),
  attempts_used       INTEGER NOT NULL CHECK (attempts_used BETWEEN 0 AND max_attempts),
  verified_at         INTEGER,
  delivery_status     TEXT NOT NULL CHECK (delivery_status IN ('queued', 'sent', 'delivered', 'failed')),
  leg                 TEXT NOT NULL CHECK (leg IN ('alimtalk', 'sms')),
  send_pending        INTEGER NOT NULL CHECK (send_pending IN (0, 1)),
  outcome_ambiguous   INTEGER NOT NULL CHECK (outcome_ambiguous IN (0, 1)),
  outcome_code        TEXT CHECK (length(outcome_code) <= 128),
  billing_status      TEXT NOT NULL
    CHECK (billing_status IN ('reserved', 'debit_pending', 'debited', 'release_pending', 'released')),
  price               INTEGER NOT NULL CHECK (price >= 0),
  debited_amount      INTEGER NOT NULL CHECK (debited_amount IN (0, price)),
  updated_at          INTEGER NOT NULL,
  PRIMARY KEY (app_id, mode, issue_id),
  CHECK ((verification_status = 'verified') = (verified_at IS NOT NULL)),
  CHECK (send_pending = 0 OR delivery_status IN ('queued', 'sent')),
  CHECK (verification_status <> 'issued' OR attempts_used < max_attempts),
  CHECK ((billing_status = 'debited') >= (debited_amount > 0))
) STRICT, WITHOUT ROWID;

-- One live code per app, mode, phone and purpose. Small: the expiry sweep ends what has expired.
CREATE UNIQUE INDEX issues_live ON issues (app_id, mode, phone_hash, purpose) WHERE verification_status = 'issued';
CREATE INDEX issues_due ON issues (expires_at) WHERE verification_status = 'issued';

-- Idempotency keys, hashed. They expire, so that the one index whose keys arrive in random order stays small.
CREATE TABLE claims (
  claim_id    INTEGER PRIMARY KEY,
  app_id      TEXT NOT NULL,
  mode        TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash    BLOB NOT NULL CHECK (length(key_hash) = 16),
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 16),
  issue_id    BLOB NOT NULL CHECK (length(issue_id) = 16),
  created_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX claims_by_key ON claims (app_id, mode, key_hash);

-- Number and text of a message that may still have to be sent, sealed with AES-256-GCM. Nothing else holds them.
CREATE TABLE outbox (
  issue_id   BLOB PRIMARY KEY CHECK (length(issue_id) = 16),
  sealed     BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every call of a provider, written before the call.
CREATE TABLE attempts (
  app_id              TEXT NOT NULL,
  mode                TEXT NOT NULL,
  issue_id            BLOB NOT NULL CHECK (length(issue_id) = 16),
  number              INTEGER NOT NULL CHECK (number > 0),
  leg                 TEXT NOT NULL CHECK (leg IN ('alimtalk', 'sms')),
  provider            TEXT NOT NULL,
  message_id          BLOB NOT NULL CHECK (length(message_id) = 16),
  called_at           INTEGER NOT NULL,
  answered_at         INTEGER,
  outcome             TEXT CHECK (outcome IN ('accepted', 'refused', 'ambiguous')),
  retry               TEXT CHECK (retry IN ('later', 'elsewhere', 'never')),
  code                TEXT CHECK (length(code) <= 128),
  provider_message_id TEXT CHECK (length(provider_message_id) <= 256),
  PRIMARY KEY (app_id, mode, issue_id, number),
  CHECK ((retry IS NOT NULL) = (outcome IS 'refused')),
  CHECK ((outcome IS NULL) = (answered_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Messages whose fate a provider may still report, by our id and by the provider's. Forgotten once it is known.
CREATE TABLE awaited_reports (
  message_id          BLOB PRIMARY KEY CHECK (length(message_id) = 16),
  provider            TEXT NOT NULL,
  provider_message_id TEXT CHECK (length(provider_message_id) <= 256),
  app_id              TEXT NOT NULL,
  mode                TEXT NOT NULL,
  issue_id            BLOB NOT NULL CHECK (length(issue_id) = 16),
  leg                 TEXT NOT NULL CHECK (leg IN ('alimtalk', 'sms')),
  answered_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX awaited_reports_by_provider ON awaited_reports (provider, provider_message_id)
  WHERE provider_message_id IS NOT NULL;

-- Claiming a job moves run_at past the lease and raises attempt; a crashed runner's job comes back by itself.
CREATE TABLE jobs (
  job_id   INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: part of the fence
  kind     TEXT NOT NULL CHECK (kind IN ('deliver', 'await-report', 'settle')),
  app_id   TEXT NOT NULL,
  mode     TEXT NOT NULL,
  issue_id BLOB NOT NULL CHECK (length(issue_id) = 16),
  run_at   INTEGER NOT NULL,
  attempt  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX jobs_due ON jobs (kind, run_at);
-- At most one job of a kind for an issue: what makes a second send or settlement impossible to queue.
CREATE UNIQUE INDEX jobs_by_issue ON jobs (issue_id, kind);

-- Facts about this database: which master secret sealed it.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- The server that runs a job; '' in this database, which has one.
ALTER TABLE jobs ADD COLUMN leased_by TEXT;

-- A message and a verification are two things, and most rows are both: an issue. A relayed text is a message alone, and a review
-- number a verification alone. The idempotency key lives in the row.
CREATE TABLE issues_of_two_parts (
  app_id              TEXT NOT NULL,
  mode                TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  issue_id            BLOB NOT NULL CHECK (length(issue_id) = 16),
  message_id          BLOB NOT NULL CHECK (length(message_id) = 16),
  purpose             TEXT NOT NULL,
  template_id         TEXT NOT NULL,
  channel             TEXT NOT NULL REFERENCES channels,
  sms_fallback        INTEGER CHECK (sms_fallback IN (0, 1)),
  phone_hash          BLOB NOT NULL CHECK (length(phone_hash) = 32),
  code_hash           BLOB CHECK (length(code_hash) = 32),
  country             TEXT,
  metadata            TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
  created_at          INTEGER NOT NULL,
  expires_at          INTEGER NOT NULL,
  max_attempts        INTEGER CHECK (max_attempts BETWEEN 1 AND 10),
  verification_status TEXT CHECK (
    verification_status = 'issued' OR verification_status = 'verified' OR verification_status = 'expired'
    OR verification_status = 'replaced' OR verification_status = 'max_attempts'),
  attempts_used       INTEGER CHECK (attempts_used BETWEEN 0 AND max_attempts),
  verified_at         INTEGER,
  delivery_status     TEXT CHECK (
    delivery_status = 'queued' OR delivery_status = 'sent' OR delivery_status = 'delivered' OR delivery_status = 'failed'),
  leg                 TEXT REFERENCES channels,
  send_pending        INTEGER CHECK (send_pending IN (0, 1)),
  outcome_ambiguous   INTEGER CHECK (outcome_ambiguous IN (0, 1)),
  outcome_code        TEXT CHECK (length(outcome_code) <= 128),
  billing_status      TEXT CHECK (
    billing_status = 'reserved' OR billing_status = 'debited' OR billing_status = 'released'
    OR billing_status = 'debit_pending' OR billing_status = 'release_pending'),
  price               INTEGER CHECK (price >= 0),
  debited_amount      INTEGER CHECK (debited_amount IN (0, price)),
  updated_at          INTEGER NOT NULL,
  key_kind            TEXT NOT NULL, -- of the key that issued: each kind has an allowance of its own for a phone
  promised_expires_at INTEGER, -- as the caller was told; NULL: the clock was not set back since
  prefix_hash         BLOB, -- keyed: where a code went and who asked show whether messages pay; NULL: too old
  network_hash        BLOB,
  origin              TEXT, -- the request that made it, by which its lines of the log are found; NULL: no request
  legs                TEXT, -- of a delivery plan: the leg it is on and those that may follow, as JSON; NULL: by channel
  wrong_at            TEXT, -- when each wrong code was checked, as JSON; NULL: none was wrong
  erased_at           INTEGER, -- what belongs to its phone; the row is there to be counted and charged
  key_hash            BLOB CHECK (length(key_hash) = 16), -- the idempotency key, hashed, until it is forgotten
  fingerprint         BLOB CHECK (length(fingerprint) = 16),
  begun_at            INTEGER, -- a call of a provider that was begun as the message was stored, until its answer is: when, and
  begun_call          TEXT CHECK ((begun_call IS NULL) = (begun_at IS NULL)), -- of whom, as JSON
  sealed_code         TEXT, -- of a relay's test message: the other platform's code, for the inbox
  PRIMARY KEY (app_id, mode, issue_id),
  -- Each row has a message, a verification (a code of ours), or both.
  CHECK (delivery_status IS NOT NULL OR verification_status IS NOT NULL),
  CHECK ((delivery_status IS NULL) = (leg IS NULL) AND (leg IS NULL) = (billing_status IS NULL)
    AND (leg IS NULL) = (price IS NULL) AND (leg IS NULL) = (debited_amount IS NULL) AND (leg IS NULL) = (sms_fallback IS NULL)
    AND (leg IS NULL) = (send_pending IS NULL) AND (leg IS NULL) = (outcome_ambiguous IS NULL)),
  CHECK (delivery_status IS NOT NULL OR coalesce(outcome_code, legs, begun_call, sealed_code) IS NULL),
  CHECK ((verification_status IS NULL) = (code_hash IS NULL) AND (code_hash IS NULL) = (max_attempts IS NULL)
    AND (code_hash IS NULL) = (attempts_used IS NULL)),
  CHECK (verification_status IS NOT NULL OR coalesce(verified_at, promised_expires_at, wrong_at) IS NULL),
  CHECK ((verification_status = 'verified') = (verified_at IS NOT NULL)),
  CHECK (send_pending = 0 OR delivery_status IN ('queued', 'sent')),
  CHECK (verification_status <> 'issued' OR attempts_used < max_attempts),
  CHECK ((billing_status = 'debited') >= (debited_amount > 0))
) STRICT, WITHOUT ROWID;
INSERT INTO issues_of_two_parts (
  app_id, mode, issue_id, message_id, purpose, template_id, channel, sms_fallback, phone_hash, code_hash, country, metadata,
  created_at, expires_at, max_attempts, verification_status, attempts_used, verified_at, delivery_status, leg, send_pending,
  outcome_ambiguous, outcome_code, billing_status, price, debited_amount, updated_at, key_kind, promised_expires_at,
  prefix_hash, network_hash, origin, legs, wrong_at, erased_at, key_hash, fingerprint, sealed_code
)
SELECT
  issues.app_id, issues.mode, issues.issue_id, message_id, iif(is_relayed, substr(purpose, 2), purpose), template_id,
  channel, iif(is_review, NULL, sms_fallback), phone_hash, iif(is_relayed, NULL, code_hash), country,
  iif(is_relayed, nullif(json_remove(metadata, '$.code'), '{}'), metadata), issues.created_at, expires_at,
  iif(is_relayed, NULL, max_attempts), iif(is_relayed, NULL, verification_status), iif(is_relayed, NULL, attempts_used),
  iif(is_relayed, NULL, verified_at), iif(is_review, NULL, delivery_status), iif(is_review, NULL, leg),
  iif(is_review, NULL, send_pending), iif(is_review, NULL, outcome_ambiguous), iif(is_review, NULL, outcome_code),
  iif(is_review, NULL, billing_status), iif(is_review, NULL, price), iif(is_review, NULL, debited_amount), updated_at,
  key_kind, iif(is_relayed, NULL, promised_expires_at), prefix_hash, network_hash, origin, iif(is_review, NULL, legs),
  iif(is_relayed, NULL, wrong_at), erased_at, claims.key_hash, claims.fingerprint,
  iif(is_relayed, json_extract(metadata, '$.code'), NULL)
FROM (SELECT *, key_kind = 'relay' AS is_relayed, price = 0 AND outcome_code IS 'REVIEW_NUMBER' AS is_review FROM issues) AS issues
  LEFT JOIN claims ON claims.app_id = issues.app_id AND claims.mode = issues.mode AND claims.issue_id = issues.issue_id
  ORDER BY issues.app_id, issues.mode, issues.issue_id;
DROP TABLE issues;
ALTER TABLE issues_of_two_parts RENAME TO issues;
-- One live code per app, mode, phone and purpose. Small: the expiry sweep ends what has expired.
CREATE UNIQUE INDEX issues_live ON issues (app_id, mode, phone_hash, purpose) WHERE verification_status = 'issued';
CREATE INDEX issues_due ON issues (expires_at) WHERE verification_status = 'issued';
-- What a phone has had: its limits are counted here, so that a server that starts need not read the last day. A part of the
-- hash tells phones apart well enough; behind it come app, mode and id, which is in the order of time.
CREATE INDEX issues_by_phone ON issues (substr(phone_hash, 1, 6));
CREATE UNIQUE INDEX issues_by_key ON issues (app_id, mode, key_hash) WHERE key_hash IS NOT NULL;
-- Small: calls that are being made, by our id of the message.
CREATE INDEX issues_begun ON issues (message_id) WHERE begun_at IS NOT NULL;

-- The key of an issue that was erased and removed.
ALTER TABLE erased_issues ADD COLUMN key_hash BLOB CHECK (length(key_hash) = 16);
ALTER TABLE erased_issues ADD COLUMN fingerprint BLOB CHECK (length(fingerprint) = 16);
UPDATE erased_issues SET key_hash = claims.key_hash, fingerprint = claims.fingerprint FROM claims
  WHERE gone = 1 AND erased_issues.issue_id = claims.issue_id;
CREATE UNIQUE INDEX erased_issues_by_key ON erased_issues (app_id, mode, key_hash) WHERE key_hash IS NOT NULL;
INSERT OR REPLACE INTO facts (name, value)
  SELECT 'keys_forgotten', CAST(CAST(min(created_at) AS TEXT) AS BLOB) FROM claims HAVING min(created_at) IS NOT NULL;
DROP TABLE claims;

-- Since when the report of an attempt is awaited; NULL: none is.
ALTER TABLE attempts ADD COLUMN awaited_at INTEGER;
UPDATE attempts SET awaited_at = awaited.answered_at, provider_message_id = coalesce(awaited.provider_message_id, attempts.provider_message_id)
  FROM awaited_reports AS awaited
  WHERE attempts.app_id = awaited.app_id AND attempts.mode = awaited.mode AND attempts.issue_id = awaited.issue_id
    AND attempts.number = (SELECT max(number) FROM attempts AS last WHERE last.app_id = awaited.app_id
      AND last.mode = awaited.mode AND last.issue_id = awaited.issue_id AND last.message_id = awaited.message_id);
CREATE INDEX attempts_awaited ON attempts (message_id) WHERE awaited_at IS NOT NULL;
CREATE INDEX attempts_awaited_by_provider ON attempts (provider, provider_message_id)
  WHERE awaited_at IS NOT NULL AND provider_message_id IS NOT NULL;
DROP TABLE awaited_reports;

-- Tokens of the management API. Those of finance's tools go on: they read usage and nothing else.
CREATE TABLE admin_tokens (
  token_id      TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  token_hash    BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  scopes        TEXT NOT NULL,
  app_ids       TEXT,
  allowed_cidrs TEXT NOT NULL,
  expires_at    INTEGER,
  created_by    TEXT NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO admin_tokens (token_id, name, token_hash, scopes, allowed_cidrs, created_by, created_at)
  SELECT token_id, name, token_hash, '["usage:read"]', '[]', created_by, created_at FROM report_tokens;
DROP TABLE report_tokens;

-- Requests that have created something, for a day: repeated they are answered alike.
CREATE TABLE admin_requests (
  request_id  TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  answer      BLOB
) STRICT, WITHOUT ROWID;

-- Servers of the release before must have stopped: they would look for what moves here where it is not any more.
DO $$ BEGIN
  IF EXISTS (SELECT FROM nodes WHERE NOT leaving AND seen_at > clock_ms() - 30000) THEN
    RAISE EXCEPTION 'servers of the release before still run' USING ERRCODE = 'WW003';
  END IF;
END $$;
UPDATE schema_version SET needs = 2;

-- Credit is reserved in the wallet's row, by a rule of the program.
UPDATE wallets SET reserved = reserved - aside FROM (
  SELECT app_id AS of_app, sum(available) AS aside FROM wallet_slots GROUP BY app_id) AS slots WHERE app_id = of_app;
DROP FUNCTION reserve_credit(text, bigint, integer);
DROP FUNCTION lock_wallet(text, bigint);
DROP FUNCTION take_back_aside(text);
DROP TABLE wallet_slots;
DROP FUNCTION count_one(text[], bigint[], bigint[]);
DROP FUNCTION take_back_one(text[], bigint[]);

-- The idempotency key that an issue stands for, hashed, until it is forgotten.
ALTER TABLE issues ADD COLUMN key_hash bytea CHECK (length(key_hash) = 16);
ALTER TABLE issues ADD COLUMN fingerprint bytea CHECK (length(fingerprint) = 16);
-- A call of a provider that was begun as the issue was stored, until its answer is: when, and of whom, as JSON.
ALTER TABLE issues ADD COLUMN begun_at bigint;
ALTER TABLE issues ADD COLUMN begun_call text;
ALTER TABLE issues ADD CHECK ((begun_call IS NULL) = (begun_at IS NULL));
UPDATE issues SET key_hash = claims.key_hash, fingerprint = claims.fingerprint FROM claims
  WHERE issues.app_id = claims.app_id AND issues.mode = claims.mode AND issues.issue_id = claims.issue_id;
-- A message and a verification are two things, and most rows are both: an issue. A relayed text is a message alone, and a review
-- number a verification alone.
ALTER TABLE issues
  ADD COLUMN sealed_code text, -- of a relay's test message: the other platform's code, for the inbox
  ALTER COLUMN sms_fallback DROP NOT NULL,
  ALTER COLUMN delivery_status DROP NOT NULL,
  ALTER COLUMN leg DROP NOT NULL,
  ALTER COLUMN send_pending DROP NOT NULL,
  ALTER COLUMN outcome_ambiguous DROP NOT NULL,
  ALTER COLUMN billing_status DROP NOT NULL,
  ALTER COLUMN price DROP NOT NULL,
  ALTER COLUMN debited_amount DROP NOT NULL,
  ALTER COLUMN code_hash DROP NOT NULL,
  ALTER COLUMN max_attempts DROP NOT NULL,
  ALTER COLUMN verification_status DROP NOT NULL,
  ALTER COLUMN attempts_used DROP NOT NULL;
UPDATE issues SET sealed_code = metadata::json ->> 'code', metadata = nullif(regexp_replace(metadata, ',?"code":"[^"]*"', ''), '{}'),
    purpose = substr(purpose, 2), code_hash = NULL, max_attempts = NULL, verification_status = NULL, attempts_used = NULL,
    verified_at = NULL, promised_expires_at = NULL, wrong_at = NULL
  WHERE key_kind = 'relay';
UPDATE issues SET sms_fallback = NULL, delivery_status = NULL, leg = NULL, send_pending = NULL, outcome_ambiguous = NULL,
    outcome_code = NULL, billing_status = NULL, price = NULL, debited_amount = NULL, legs = NULL
  WHERE price = 0 AND outcome_code = 'REVIEW_NUMBER';
ALTER TABLE issues
  ADD CHECK (delivery_status IS NOT NULL OR verification_status IS NOT NULL),
  ADD CHECK (num_nulls(delivery_status, leg, billing_status, price, debited_amount, sms_fallback, send_pending, outcome_ambiguous)
    IN (0, 8)),
  ADD CHECK (delivery_status IS NOT NULL OR num_nonnulls(outcome_code, legs, begun_call, sealed_code) = 0),
  ADD CHECK (num_nulls(verification_status, code_hash, max_attempts, attempts_used) IN (0, 4)),
  ADD CHECK (verification_status IS NOT NULL OR num_nonnulls(verified_at, promised_expires_at, wrong_at) = 0);
CREATE UNIQUE INDEX issues_by_key ON issues (key_hash, app_id, mode) WHERE key_hash IS NOT NULL;
-- Small: calls that are being made, by our id of the message.
CREATE INDEX issues_begun ON issues (message_id) WHERE begun_at IS NOT NULL;

-- The key of an issue that was erased and removed.
ALTER TABLE erased_issues ADD COLUMN key_hash bytea CHECK (length(key_hash) = 16);
ALTER TABLE erased_issues ADD COLUMN fingerprint bytea CHECK (length(fingerprint) = 16);
UPDATE erased_issues SET key_hash = claims.key_hash, fingerprint = claims.fingerprint FROM claims
  WHERE gone AND erased_issues.issue_id = claims.issue_id;
CREATE UNIQUE INDEX erased_issues_by_key ON erased_issues (key_hash, app_id, mode) WHERE key_hash IS NOT NULL;
INSERT INTO facts (name, value)
  SELECT 'keys_forgotten', convert_to(min(created_at)::text, 'UTF8') FROM claims HAVING min(created_at) IS NOT NULL
  ON CONFLICT (name) DO UPDATE SET value = excluded.value;
DROP TABLE claims;

-- Since when the report of an attempt is awaited; NULL: none is.
ALTER TABLE attempts ADD COLUMN awaited_at bigint;
UPDATE attempts SET awaited_at = awaited.answered_at,
    provider_message_id = coalesce(awaited.provider_message_id, attempts.provider_message_id)
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
  token_id      text PRIMARY KEY,
  name          text NOT NULL,
  token_hash    bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  scopes        text NOT NULL,
  app_ids       text,
  allowed_cidrs text NOT NULL,
  expires_at    bigint,
  created_by    text NOT NULL,
  created_at    bigint NOT NULL
);
INSERT INTO admin_tokens (token_id, name, token_hash, scopes, allowed_cidrs, created_by, created_at)
  SELECT token_id, name, token_hash, '["usage:read"]', '[]', created_by, created_at FROM report_tokens;
DROP TABLE report_tokens;

-- Requests that have created something, for a day: repeated they are answered alike.
CREATE TABLE admin_requests (
  request_id  text PRIMARY KEY,
  fingerprint text NOT NULL,
  created_at  bigint NOT NULL,
  answer      bytea
);

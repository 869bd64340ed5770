-- Identifiers of hot rows are UUIDv7 as 16-byte BLOBs: time-ordered, so that new rows are appended.
-- Times are Unix milliseconds, amounts credits. Invariants are repeated here as CHECKs and unique indexes. In tables that each
-- code writes to, a CHECK names its values one by one: for a list of three or more SQLite makes a table at each write, which
-- took as long as all other checks and rows of a delivered code together.

-- The ways to a phone: one more is one more row.
CREATE TABLE channels (
  channel TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO channels VALUES ('sms'), ('alimtalk'), ('whatsapp'), ('telegram'), ('voice');

CREATE TABLE organizations (
  organization_id TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE apps (
  app_id          TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations,
  name            TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  removed_at      INTEGER,
  region          TEXT, -- ISO 3166 country whose national phone formats are read; NULL: the server's default
  protection      TEXT NOT NULL CHECK (json_valid(protection)), -- what its owner has decided about abuse
  texts           TEXT, -- what fills codes in, and who chooses the language, as JSON; NULL: nothing decided
  proves_metadata INTEGER NOT NULL DEFAULT 0 CHECK (proves_metadata IN (0, 1)),
  retention_days  INTEGER CHECK (retention_days > 0), -- of live issues; NULL: as the server is set
  plans           TEXT CHECK (plans IS NULL OR json_valid(plans)), -- delivery plans; NULL: each channel's own
  review_numbers  TEXT CHECK (review_numbers IS NULL OR json_valid(review_numbers)), -- of reviewers, with a fixed code; NULL: none
  twilio_purposes TEXT CHECK (twilio_purposes IS NULL OR json_valid(twilio_purposes)) -- that clients of Twilio Verify may name; NULL: none
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
  created_at      INTEGER NOT NULL,
  last_used_at    INTEGER,
  allows          TEXT NOT NULL DEFAULT '["from","text"]', -- what a live browser key may do beyond the usual
  name            TEXT, -- NULL: none
  created_by      TEXT NOT NULL -- an operator, or 'cli'
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
  locale                 TEXT, -- of the body; NULL: not said
  bodies                 TEXT, -- the same in other languages, as JSON; NULL: in none
  dlt                    TEXT, -- ids of India's DLT for the body, as JSON; NULL: none
  saved_by               TEXT NOT NULL, -- as the actor of the audit log
  PRIMARY KEY (app_id, template_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE providers (
  name        TEXT PRIMARY KEY,
  type        TEXT NOT NULL,
  channels    TEXT NOT NULL CHECK (json_valid(channels)),
  config      BLOB NOT NULL, -- sealed: it holds credentials
  created_at  INTEGER NOT NULL,
  concurrency INTEGER CHECK (concurrency > 0),
  changed_at  INTEGER NOT NULL DEFAULT 0,
  timeout_ms  INTEGER CHECK (timeout_ms > 0),
  paused_at   INTEGER -- set: it gets no new message
) STRICT;

-- Which providers deliver a channel, in order; '' stands for every country, or every app.
CREATE TABLE routes (
  channel   TEXT NOT NULL REFERENCES channels,
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
  updated_at      INTEGER NOT NULL,
  alert_below     INTEGER CHECK (alert_below >= 0)
) STRICT, WITHOUT ROWID;

-- One page of an app's ledger lies together; `seq` is the wallet's own count, so no entry is lost or doubled.
CREATE TABLE ledger_entries (
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
CREATE UNIQUE INDEX ledger_entries_by_reference ON ledger_entries (app_id, entry_type, reference) WHERE reference IS NOT NULL;
-- What was charged for an issue, found as fast among ten million entries as among ten.
CREATE INDEX ledger_entries_by_issue ON ledger_entries (issue_id) WHERE issue_id IS NOT NULL;

-- Rows of one app, mode and time lie together: the primary key serves look-ups and pages alike.
CREATE TABLE issues (
  app_id              TEXT NOT NULL,
  mode                TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  issue_id            BLOB NOT NULL CHECK (length(issue_id) = 16),
  message_id          BLOB NOT NULL CHECK (length(message_id) = 16),
  purpose             TEXT NOT NULL,
  template_id         TEXT NOT NULL,
  channel             TEXT NOT NULL REFERENCES channels,
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
  leg                 TEXT NOT NULL REFERENCES channels,
  send_pending        INTEGER NOT NULL CHECK (send_pending IN (0, 1)),
  outcome_ambiguous   INTEGER NOT NULL CHECK (outcome_ambiguous IN (0, 1)),
  outcome_code        TEXT CHECK (length(outcome_code) <= 128),
  billing_status      TEXT NOT NULL CHECK (
    billing_status = 'reserved' OR billing_status = 'debited' OR billing_status = 'released'
    OR billing_status = 'debit_pending' OR billing_status = 'release_pending'),
  price               INTEGER NOT NULL CHECK (price >= 0),
  debited_amount      INTEGER NOT NULL CHECK (debited_amount IN (0, price)),
  updated_at          INTEGER NOT NULL,
  key_kind            TEXT NOT NULL, -- of the key that issued: each kind has an allowance of its own for a phone
  promised_expires_at INTEGER, -- as the caller was told; NULL: the clock was not set back since
  prefix_hash         BLOB, -- keyed: where a code went and who asked show whether messages pay; NULL: too old
  network_hash        BLOB,
  origin              TEXT, -- the request that made it, by which its lines of the log are found; NULL: no request
  legs                TEXT, -- of a delivery plan: the leg it is on and those that may follow, as JSON; NULL: by channel
  wrong_at            TEXT, -- when each wrong code was checked, as JSON; NULL: none was wrong
  erased_at           INTEGER, -- what belongs to its phone; the row is there to be counted and charged
  PRIMARY KEY (app_id, mode, issue_id),
  CHECK ((verification_status = 'verified') = (verified_at IS NOT NULL)),
  CHECK (send_pending = 0 OR delivery_status IN ('queued', 'sent')),
  CHECK (verification_status <> 'issued' OR attempts_used < max_attempts),
  CHECK ((billing_status = 'debited') >= (debited_amount > 0))
) STRICT, WITHOUT ROWID;
-- One live code per app, mode, phone and purpose. Small: the expiry sweep ends what has expired.
CREATE UNIQUE INDEX issues_live ON issues (app_id, mode, phone_hash, purpose) WHERE verification_status = 'issued';
CREATE INDEX issues_due ON issues (expires_at) WHERE verification_status = 'issued';
-- What a phone has had: its limits are counted here, so that a server that starts need not read the last day. A part of the
-- hash tells phones apart well enough; behind it come app, mode and id, which is in the order of time.
CREATE INDEX issues_by_phone ON issues (substr(phone_hash, 1, 6));

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
  leg                 TEXT NOT NULL REFERENCES channels,
  provider            TEXT NOT NULL,
  message_id          BLOB NOT NULL CHECK (length(message_id) = 16),
  called_at           INTEGER NOT NULL,
  answered_at         INTEGER,
  outcome             TEXT CHECK (outcome = 'accepted' OR outcome = 'refused' OR outcome = 'ambiguous'),
  retry               TEXT CHECK (retry = 'later' OR retry = 'elsewhere' OR retry = 'never'),
  code                TEXT CHECK (length(code) <= 128),
  said                TEXT CHECK (length(said) <= 200), -- the provider's own words on a failure, without digits
  text                TEXT, -- as sent, with the code and what callers fill in masked; NULL: the channel words it itself, or it is erased
  report              TEXT CHECK (report = 'delivered' OR report = 'failed'), -- the last one
  reported_at         INTEGER,
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
  leg                 TEXT NOT NULL REFERENCES channels,
  answered_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX awaited_reports_by_provider ON awaited_reports (provider, provider_message_id)
  WHERE provider_message_id IS NOT NULL;

-- Claiming a job moves run_at past the lease and raises attempt; a crashed runner's job comes back by itself.
CREATE TABLE jobs (
  job_id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: part of the fence
  kind       TEXT NOT NULL CHECK (kind = 'deliver' OR kind = 'webhook' OR kind = 'await-report' OR kind = 'next-leg' OR kind = 'notice'),
  app_id     TEXT NOT NULL,
  mode       TEXT NOT NULL,
  subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
  run_at     INTEGER NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  queue      TEXT NOT NULL DEFAULT '', -- '' is the front; else a carrier, a webhook endpoint or a way of notices
  leased     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX jobs_due ON jobs (kind, queue, run_at);
-- At most one job of a kind for a subject: what makes a second send or settlement impossible to queue.
CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject_id, kind);

-- Facts about this database: which master secret sealed it.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- Tells this database from others: the console's cookie is named after it, since cookies do not know ports.
INSERT INTO facts (name, value) VALUES ('installation', randomblob(16));

-- What the running server last found of a provider, for people in other processes.
CREATE TABLE provider_health (
  provider   TEXT PRIMARY KEY,
  is_healthy INTEGER NOT NULL,
  since      INTEGER NOT NULL,
  code       TEXT,
  retry_at   INTEGER
) STRICT;

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
  created_at      INTEGER NOT NULL,
  certificate_until INTEGER -- 0: it is refused
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
  created_at INTEGER NOT NULL,
  origin     TEXT
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

CREATE TABLE operators (
  operator_id   TEXT PRIMARY KEY,
  email         TEXT NOT NULL UNIQUE, -- in lower case
  name          TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'operator', 'support', 'finance', 'viewer')),
  password_hash TEXT NOT NULL, -- argon2id
  totp_secret   BLOB, -- sealed; NULL: none
  created_at    INTEGER NOT NULL,
  last_seen_at  INTEGER,
  unlocked_at   INTEGER, -- when the pauses that failed sign-ins have earned were lifted last
  totp_begun    BLOB, -- a second factor that was shown and is not proved yet, sealed, with its end
  app_ids       TEXT CHECK (json_array_length(app_ids) > 0) -- the only apps they see; NULL: all
) STRICT, WITHOUT ROWID;

CREATE TABLE operator_sessions (
  token_hash   BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  operator_id  TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  browser      TEXT NOT NULL, -- one word each; '' where it is not known
  system       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id);

-- Links that make an account: of invitations, and of the first start.
CREATE TABLE invitations (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  role       TEXT NOT NULL,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  app_ids    TEXT CHECK (json_array_length(app_ids) > 0), -- NULL: all
  note       TEXT -- for whom it is; NULL: not said
) STRICT, WITHOUT ROWID;

-- Every change of an operator. Each row's hash covers the one before: none can be changed or left out unseen.
CREATE TABLE audit_entries (
  seq    INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  actor  TEXT NOT NULL,
  ip     TEXT,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  hash   BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- Quarters of an hour, counted once all that can happen to their issues has happened. Every time zone's days begin at one.
CREATE TABLE usage_intervals (
  at       INTEGER NOT NULL,
  app_id   TEXT NOT NULL,
  mode     TEXT NOT NULL,
  channel  TEXT NOT NULL REFERENCES channels,
  provider TEXT NOT NULL, -- '' where no carrier took the message
  country  TEXT NOT NULL,
  purpose  TEXT NOT NULL,
  issued    INTEGER NOT NULL,
  sent      INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed    INTEGER NOT NULL,
  verified  INTEGER NOT NULL,
  spent     INTEGER NOT NULL,
  messages  INTEGER NOT NULL, -- accepted by the carrier; an issue may have one for each of its legs
  latencies TEXT NOT NULL CHECK (json_valid(latencies)), -- a histogram
  PRIMARY KEY (app_id, mode, at, channel, provider, country, purpose)
) STRICT, WITHOUT ROWID;

-- What a message costs at a carrier. '' stands for any; the most specific price that is valid on a day wins.
CREATE TABLE prices (
  price_id   TEXT PRIMARY KEY,
  provider   TEXT NOT NULL,
  country    TEXT NOT NULL,
  channel    TEXT NOT NULL,
  currency   TEXT NOT NULL,
  millionths INTEGER NOT NULL CHECK (millionths >= 0),
  valid_from TEXT NOT NULL, -- a day
  UNIQUE (provider, country, channel, valid_from)
) STRICT, WITHOUT ROWID;

-- Tokens of finance's tools, which may read usage and nothing else.
CREATE TABLE report_tokens (
  token_id   TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Addresses operators have signed in from, as keyed hashes: from there the right password always counts.
CREATE TABLE operator_addresses (
  operator_id  TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
  address_hash BLOB NOT NULL CHECK (length(address_hash) = 16),
  seen_at      INTEGER NOT NULL,
  PRIMARY KEY (operator_id, address_hash)
) STRICT, WITHOUT ROWID;

-- When the clock was set back, and by how much.
CREATE TABLE clock_steps (
  noticed_at INTEGER NOT NULL,
  set_back_ms INTEGER NOT NULL CHECK (set_back_ms > 0)
) STRICT;

-- Wrong codes at a phone, over all its codes, by the kind of key that issued them.
CREATE TABLE failures (
  app_id TEXT NOT NULL,
  key_kind TEXT NOT NULL,
  phone_hash BLOB NOT NULL,
  -- JSON: in a row, by day, since when locked.
  state TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, key_kind, phone_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_old ON failures (last_at);
-- Phones that wrong codes may hold up: ten in a row, a lock, or codes that come seldom. Of most there is no row.
CREATE INDEX failures_held ON failures (app_id, last_at)
  WHERE json_extract(state, '$.inARow') >= 10 OR json_extract(state, '$.lockedAt') > 0 OR json_extract(state, '$.issuedAt') > 0;

-- What an app sent to a country with a kind of key in an hour, and what became of it.
CREATE TABLE traffic_hours (
  app_id TEXT NOT NULL,
  key_kind TEXT NOT NULL,
  country TEXT NOT NULL,
  hour INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  unverified INTEGER NOT NULL,
  PRIMARY KEY (app_id, hour, key_kind, country)
) STRICT, WITHOUT ROWID;

-- What rules were against, by the minute: how often, and whether it was refused. Empty hashes: of several, or of none.
CREATE TABLE decisions (
  app_id TEXT NOT NULL,
  minute INTEGER NOT NULL,
  key_kind TEXT NOT NULL,
  country TEXT NOT NULL,
  rule TEXT NOT NULL,
  refused INTEGER NOT NULL,
  prefix_hash BLOB NOT NULL,
  network_hash BLOB NOT NULL,
  times INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (app_id, minute, key_kind, country, rule, refused, prefix_hash, network_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_old ON decisions (minute);

-- Codes that nobody types: one that is open for an app, a kind of key and a country.
CREATE TABLE incidents (
  incident_id BLOB PRIMARY KEY NOT NULL,
  app_id TEXT NOT NULL,
  key_kind TEXT NOT NULL,
  country TEXT NOT NULL,
  since INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ended_at INTEGER,
  blocked INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  -- JSON: names of rules.
  rules TEXT NOT NULL,
  paused_until INTEGER,
  pauses INTEGER NOT NULL,
  -- What codes have cost that nobody typed, credits.
  cost INTEGER NOT NULL,
  -- When the operator is to be told next, and how often that has failed.
  tell_at INTEGER,
  tells INTEGER NOT NULL,
  refunded INTEGER
) STRICT;
CREATE UNIQUE INDEX incidents_open ON incidents (app_id, key_kind, country) WHERE ended_at IS NULL;
CREATE INDEX incidents_to_tell ON incidents (tell_at) WHERE tell_at IS NOT NULL;
CREATE INDEX incidents_by_app ON incidents (app_id, since);

-- What the operator must know. One of a kind and subject is open at a time, so that nothing is told twice.
CREATE TABLE notices (
  notice_id BLOB PRIMARY KEY NOT NULL CHECK (length(notice_id) = 16),
  kind      TEXT NOT NULL,
  subject   TEXT NOT NULL,
  app_id    TEXT,
  facts     TEXT NOT NULL, -- JSON: the values of its sentence
  since     INTEGER NOT NULL,
  gone_at   INTEGER,
  ended_at  INTEGER
) STRICT;
CREATE UNIQUE INDEX notices_open ON notices (kind, subject) WHERE ended_at IS NULL;
CREATE INDEX notices_ended ON notices (ended_at) WHERE ended_at IS NOT NULL;

-- Where notices are told, beside the console.
CREATE TABLE notice_ways (
  way_id     TEXT PRIMARY KEY NOT NULL,
  name       TEXT NOT NULL,
  channel    TEXT NOT NULL,
  settings   BLOB NOT NULL, -- sealed: passwords, secrets, and URLs that are secrets
  created_at INTEGER NOT NULL
) STRICT;

-- One message about a notice on one way: that it began, and that it ended.
CREATE TABLE notice_messages (
  message_id BLOB PRIMARY KEY NOT NULL CHECK (length(message_id) = 16),
  notice_id  BLOB NOT NULL,
  way_id     TEXT NOT NULL,
  phase      TEXT NOT NULL,
  status     TEXT NOT NULL,
  tries      INTEGER NOT NULL,
  tried_at   INTEGER,
  error      TEXT
) STRICT;
CREATE UNIQUE INDEX notice_messages_once ON notice_messages (notice_id, way_id, phase);

-- The proof of a human that an app asks for where it would refuse.
CREATE TABLE challenges (
  app_id TEXT PRIMARY KEY,
  -- Sealed: it holds the app's secret at the vendor.
  settings BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Platforms that hand over codes of their own.
CREATE TABLE relays (
  relay_id TEXT PRIMARY KEY,
  app_id   TEXT NOT NULL REFERENCES apps,
  settings BLOB NOT NULL -- sealed: it holds the secret of the platform
) STRICT, WITHOUT ROWID;
CREATE INDEX relays_by_app ON relays (app_id);

-- Erased issues: to be removed once nothing counts them any more, and then to be known for as long as idempotency keys that stand for them.
CREATE TABLE erased_issues (
  app_id   TEXT NOT NULL,
  mode     TEXT NOT NULL,
  issue_id BLOB NOT NULL CHECK (length(issue_id) = 16),
  gone     INTEGER NOT NULL CHECK (gone IN (0, 1)), -- the issue is removed
  PRIMARY KEY (issue_id)
) STRICT, WITHOUT ROWID;

-- Phones that were erased, by their keyed hash, to be erased again where a backup brings them back. '' stands for every app.
CREATE TABLE erasures (
  phone_hash BLOB NOT NULL CHECK (length(phone_hash) = 32),
  app_id     TEXT NOT NULL,
  erased_at  INTEGER NOT NULL,
  done_at    INTEGER, -- NULL: not all of it is done
  PRIMARY KEY (phone_hash, app_id)
) STRICT, WITHOUT ROWID;

-- Phones that a channel does not reach, such as those without WhatsApp: its legs are left out until then.
CREATE TABLE absent_phones (
  channel    TEXT NOT NULL REFERENCES channels,
  phone_hash BLOB NOT NULL CHECK (length(phone_hash) = 32),
  until      INTEGER NOT NULL,
  PRIMARY KEY (phone_hash, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX absent_phones_old ON absent_phones (until);

-- Keys that do not follow from the master secret of today, each sealed for the secrets that open this database. None: the
-- secret has never been changed, and all follow from it.
CREATE TABLE key_ring (
  name TEXT NOT NULL,
  secret_id BLOB NOT NULL,
  sealed BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  -- NULL: every server is to know it before the first uses it.
  begun_at INTEGER,
  PRIMARY KEY (name, secret_id)
) STRICT, WITHOUT ROWID;

-- What was known of where an app's codes go, sealed: a server that starts goes on from there.
CREATE TABLE traffic_snapshots (
  app_id  TEXT PRIMARY KEY,
  made_at INTEGER NOT NULL,
  sealed  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

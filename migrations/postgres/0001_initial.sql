-- The tables of migrations/sqlite in PostgreSQL's words. Ids of hot rows are UUIDv7: time-ordered, so that new rows are
-- appended. Times are Unix milliseconds, amounts credits. Texts that are compared or sorted are so by their bytes.

-- The one clock of all servers.
CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- The lives of this database: each ends with a crash, which empties what is unlogged. A crash forgets the numbers of
-- transactions that had stored nothing, and the next life gives them again: from `first_transaction` on they are its own.
CREATE TABLE lives (
  life              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_transaction xid8 NOT NULL
);
CREATE UNLOGGED TABLE this_life (life bigint NOT NULL);

-- WW001 where nobody has begun it: then nothing may be stored.
CREATE FUNCTION current_life() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  known bigint;
BEGIN
  SELECT life INTO known FROM this_life;
  IF known IS NULL THEN RAISE EXCEPTION 'nobody has begun this life of the database' USING ERRCODE = 'WW001'; END IF;
  RETURN known;
END $$;

-- Recovery ends with a checkpoint, which knows the next number; where we may not look, ours is the first that counts.
CREATE FUNCTION begin_life() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first xid8 := pg_current_xact_id();
  known text;
  begun bigint;
BEGIN
  LOCK TABLE this_life IN EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM this_life) THEN RETURN; END IF;
  BEGIN
    SELECT next_xid INTO known FROM pg_control_checkpoint();
    first := least(first,
      (split_part(known, ':', 1)::numeric * 4294967296 + split_part(known, ':', 2)::numeric)::text::xid8);
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END;
  INSERT INTO lives (first_transaction) VALUES (first) RETURNING life INTO begun;
  INSERT INTO this_life VALUES (begun);
END $$;
SELECT begin_life();

-- What became of a transaction of a life: as pg_xact_status. That it is told is stored behind it, so what is told as
-- committed is also where this database is copied to before anybody answers.
CREATE FUNCTION outcome_of(transaction xid8, of_life bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  status text;
BEGIN
  IF current_life() > of_life AND
     transaction >= (SELECT first_transaction FROM lives WHERE life > of_life ORDER BY life LIMIT 1) THEN
    RETURN 'aborted';
  END IF;
  status := pg_xact_status(transaction);
  IF status = 'committed' THEN PERFORM pg_logical_emit_message(true, 'watchword', ''); END IF;
  RETURN status;
END $$;

-- Facts about this database: which master secret sealed it, what it is called.
CREATE TABLE facts (
  name  text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);
INSERT INTO facts (name, value) VALUES ('installation', decode(replace(gen_random_uuid()::text, '-', ''), 'hex'));

-- Raised with every change of keys, apps, templates, providers and routes: whoever remembers them looks at it.
CREATE TABLE settings_version (version bigint NOT NULL);
INSERT INTO settings_version VALUES (0);

-- The ways to a phone: one more is one more word.
CREATE DOMAIN channel AS text COLLATE "C" CHECK (VALUE IN ('sms', 'alimtalk', 'whatsapp', 'telegram', 'voice'));

CREATE TABLE organizations (
  organization_id text COLLATE "C" PRIMARY KEY,
  name            text NOT NULL,
  created_at      bigint NOT NULL
);

CREATE TABLE apps (
  app_id          text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  name            text NOT NULL,
  created_at      bigint NOT NULL,
  removed_at      bigint, -- kept with its ledger and issues, and found nowhere but by their ids
  region          text, -- ISO 3166 country whose national phone formats are read; NULL: the server's default
  protection      text NOT NULL CHECK (protection::json IS NOT NULL), -- what its owner has decided about abuse
  texts           text, -- what fills codes in, and who chooses the language, as JSON; NULL: nothing decided
  proves_metadata boolean NOT NULL DEFAULT false,
  retention_days  integer CHECK (retention_days > 0), -- of live issues; NULL: as the server is set
  plans           text, -- delivery plans, as JSON; NULL: each channel's own
  review_numbers  text, -- of reviewers, who get a fixed code and no message, as JSON; NULL: none
  twilio_purposes text -- that clients of Twilio Verify may name, as JSON; NULL: none
);

CREATE TABLE api_keys (
  key_id          text COLLATE "C" PRIMARY KEY,
  app_id          text COLLATE "C" NOT NULL REFERENCES apps,
  kind            text NOT NULL CHECK (kind IN ('sk', 'pk')),
  mode            text NOT NULL CHECK (mode IN ('live', 'test')),
  hash            bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  prefix          text NOT NULL,
  last_four       text NOT NULL,
  scopes          text NOT NULL CHECK (scopes::json IS NOT NULL),
  allowed_origins text NOT NULL CHECK (allowed_origins::json IS NOT NULL),
  allowed_cidrs   text NOT NULL CHECK (allowed_cidrs::json IS NOT NULL),
  limits          text NOT NULL CHECK (limits::json IS NOT NULL),
  expires_at      bigint,
  revoked_at      bigint,
  allows          text NOT NULL CHECK (allows::json IS NOT NULL),
  created_at      bigint NOT NULL,
  last_used_at    bigint,
  name            text, -- NULL: none
  created_by      text NOT NULL -- an operator, or 'cli'
);
CREATE INDEX api_keys_by_app ON api_keys (app_id);

CREATE TABLE templates (
  app_id                 text COLLATE "C" NOT NULL REFERENCES apps,
  template_id            text COLLATE "C" NOT NULL,
  version                integer NOT NULL,
  name                   text NOT NULL,
  channel_support        text NOT NULL CHECK (channel_support::json IS NOT NULL),
  body                   text NOT NULL CHECK (position('#{code}' IN body) > 0),
  variables              text NOT NULL CHECK (variables::json IS NOT NULL),
  provider_template_code text NOT NULL,
  created_at             bigint NOT NULL,
  locale                 text, -- of the body; NULL: not said
  bodies                 text, -- the same in other languages, as JSON; NULL: in none
  dlt                    text, -- ids of India's DLT for the body, as JSON; NULL: none
  saved_by               text NOT NULL, -- as the actor of the audit log
  PRIMARY KEY (app_id, template_id, version)
);

CREATE TABLE providers (
  name        text COLLATE "C" PRIMARY KEY,
  type        text NOT NULL,
  channels    text NOT NULL CHECK (channels::json IS NOT NULL),
  config      bytea NOT NULL, -- sealed: it holds credentials
  created_at  bigint NOT NULL,
  concurrency integer CHECK (concurrency > 0),
  changed_at  bigint NOT NULL,
  timeout_ms  integer CHECK (timeout_ms > 0),
  paused_at   bigint -- set: it gets no new message
);

CREATE TABLE provider_health (
  provider   text COLLATE "C" PRIMARY KEY,
  is_healthy boolean NOT NULL,
  since      bigint NOT NULL,
  code       text,
  retry_at   bigint
);

-- Which providers deliver a channel, in order; '' stands for every country, or every app.
CREATE TABLE routes (
  channel   channel NOT NULL,
  country   text COLLATE "C" NOT NULL CHECK (length(country) IN (0, 2)),
  app_id    text COLLATE "C" NOT NULL,
  providers text NOT NULL CHECK (json_array_length(providers::json) > 0),
  PRIMARY KEY (channel, country, app_id)
);

CREATE TABLE wallets (
  app_id          text COLLATE "C" PRIMARY KEY REFERENCES apps,
  balance         bigint NOT NULL,
  reserved        bigint NOT NULL CHECK (reserved >= 0), -- what is set aside below included
  overdraft_limit bigint NOT NULL CHECK (overdraft_limit >= 0),
  entries         bigint NOT NULL,
  alert_below     bigint CHECK (alert_below >= 0),
  updated_at      bigint NOT NULL
) WITH (fillfactor = 50);

-- Credit of a wallet that is set aside for whoever reserves next: a busy app would wait for one row otherwise.
CREATE TABLE wallet_slots (
  app_id    text COLLATE "C" NOT NULL REFERENCES wallets,
  slot      integer NOT NULL,
  available bigint NOT NULL CHECK (available >= 0),
  PRIMARY KEY (app_id, slot)
) WITH (fillfactor = 50);

-- `seq` is the wallet's own count, so no entry is lost or doubled.
CREATE TABLE ledger_entries (
  app_id        text COLLATE "C" NOT NULL REFERENCES apps,
  created_at    bigint NOT NULL,
  seq           bigint NOT NULL CHECK (seq > 0),
  entry_type    text NOT NULL CHECK (entry_type IN ('credit', 'debit', 'refund', 'clawback')),
  amount_delta  bigint NOT NULL,
  balance_after bigint NOT NULL,
  issue_id      uuid,
  reference     text COLLATE "C" CHECK (length(reference) BETWEEN 1 AND 128), -- makes an operator's entry once only
  PRIMARY KEY (app_id, created_at, seq),
  CHECK (entry_type <> 'debit' OR (issue_id IS NOT NULL AND amount_delta <= 0)),
  CHECK (entry_type NOT IN ('credit', 'refund') OR amount_delta > 0),
  CHECK (entry_type <> 'refund' OR issue_id IS NOT NULL),
  CHECK (entry_type <> 'clawback' OR amount_delta < 0)
);
CREATE UNIQUE INDEX ledger_entries_by_seq ON ledger_entries (app_id, seq);
CREATE UNIQUE INDEX ledger_entries_by_reference ON ledger_entries (app_id, entry_type, reference) WHERE reference IS NOT NULL;
CREATE INDEX ledger_entries_by_issue ON ledger_entries (issue_id) WHERE issue_id IS NOT NULL;

-- Keeps credit for a message. WW402 with the overdraft limit as its detail where there is too little, counted exactly:
-- what is set aside is taken back first. Whoever waits here holds no slot, and whoever holds a slot waits for no wallet.
CREATE FUNCTION reserve_credit(of_app text, amount bigint, in_slot integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  wallet wallets;
  free   bigint;
  aside  bigint;
BEGIN
  UPDATE wallet_slots SET available = available - amount
    WHERE app_id = of_app AND slot = in_slot AND available >= amount;
  IF FOUND THEN RETURN; END IF;
  SELECT * INTO wallet FROM wallets WHERE app_id = of_app FOR UPDATE;
  free := coalesce(wallet.balance + wallet.overdraft_limit - wallet.reserved, 0);
  -- Where there is plenty, for the next ones, too.
  IF free >= amount * 1024 THEN
    INSERT INTO wallet_slots AS s VALUES (of_app, in_slot, amount * 31)
      ON CONFLICT (app_id, slot) DO UPDATE SET available = s.available + excluded.available;
    UPDATE wallets SET reserved = reserved + amount * 32 WHERE app_id = of_app;
  ELSIF free >= amount THEN
    UPDATE wallets SET reserved = reserved + amount WHERE app_id = of_app;
  ELSE
    aside := take_back_aside(of_app);
    IF free + aside < amount THEN
      RAISE EXCEPTION 'too little credit' USING ERRCODE = 'WW402', DETAIL = coalesce(wallet.overdraft_limit, 0);
    END IF;
    UPDATE wallets SET reserved = reserved - aside + amount WHERE app_id = of_app;
  END IF;
END $$;

-- Empties the slots of a wallet that is locked; answers what was in them.
CREATE FUNCTION take_back_aside(of_app text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  aside bigint;
BEGIN
  SELECT coalesce(sum(available), 0) INTO aside
    FROM (SELECT available FROM wallet_slots WHERE app_id = of_app ORDER BY slot FOR UPDATE) AS slots;
  IF aside > 0 THEN
    UPDATE wallet_slots SET available = 0 WHERE app_id = of_app AND available > 0;
  END IF;
  RETURN aside;
END $$;

-- A wallet as it is, with nothing set aside; made where there is none.
CREATE FUNCTION lock_wallet(of_app text, at bigint) RETURNS SETOF wallets LANGUAGE plpgsql AS $$
DECLARE
  aside bigint;
BEGIN
  INSERT INTO wallets (app_id, balance, reserved, overdraft_limit, entries, updated_at) VALUES (of_app, 0, 0, 0, 0, at)
    ON CONFLICT DO NOTHING;
  PERFORM 1 FROM wallets WHERE app_id = of_app FOR UPDATE;
  aside := take_back_aside(of_app);
  IF aside > 0 THEN
    UPDATE wallets SET reserved = reserved - aside WHERE app_id = of_app;
  END IF;
  RETURN QUERY SELECT * FROM wallets WHERE app_id = of_app;
END $$;

-- Ids begin with their time: rows of one app and time lie together in the index.
CREATE TABLE issues (
  app_id              text COLLATE "C" NOT NULL,
  mode                text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
  issue_id            uuid NOT NULL,
  message_id          uuid NOT NULL,
  purpose             text COLLATE "C" NOT NULL,
  template_id         text NOT NULL,
  channel             channel NOT NULL,
  key_kind            text NOT NULL, -- of the key that issued: each kind has an allowance of its own for a phone
  sms_fallback        boolean NOT NULL,
  phone_hash          bytea NOT NULL CHECK (length(phone_hash) = 32),
  code_hash           bytea NOT NULL CHECK (length(code_hash) = 32),
  country             text,
  metadata            text,
  created_at          bigint NOT NULL,
  expires_at          bigint NOT NULL,
  promised_expires_at bigint, -- as the caller was told, where a clock that was set back has made it another
  max_attempts        integer NOT NULL CHECK (max_attempts BETWEEN 1 AND 10),
  verification_status text NOT NULL
    CHECK (verification_status IN ('issued', 'verified', 'expired', 'max_attempts', 'replaced')),
  attempts_used       integer NOT NULL CHECK (attempts_used BETWEEN 0 AND max_attempts),
  verified_at         bigint,
  delivery_status     text NOT NULL CHECK (delivery_status IN ('queued', 'sent', 'delivered', 'failed')),
  leg                 channel NOT NULL,
  send_pending        boolean NOT NULL,
  outcome_ambiguous   boolean NOT NULL,
  outcome_code        text CHECK (length(outcome_code) <= 128),
  billing_status      text NOT NULL
    CHECK (billing_status IN ('reserved', 'debit_pending', 'debited', 'release_pending', 'released')),
  price               bigint NOT NULL CHECK (price >= 0),
  debited_amount      bigint NOT NULL CHECK (debited_amount IN (0, price)),
  updated_at          bigint NOT NULL,
  prefix_hash         bytea, -- keyed: where a code went and who asked show whether messages pay; NULL: too old
  network_hash        bytea,
  origin              text, -- the request that made it, by which its lines of the log are found; NULL: no request
  legs                text, -- of a delivery plan: the leg it is on and those that may follow, as JSON; NULL: by channel
  wrong_at            text, -- when each wrong code was checked, as JSON; NULL: none was wrong
  erased_at           bigint, -- what belongs to its phone; the row is there to be counted and charged
  PRIMARY KEY (app_id, mode, issue_id),
  CHECK ((verification_status = 'verified') = (verified_at IS NOT NULL)),
  CHECK (NOT send_pending OR delivery_status IN ('queued', 'sent')),
  CHECK (verification_status <> 'issued' OR attempts_used < max_attempts),
  CHECK (debited_amount = 0 OR billing_status = 'debited')
) WITH (fillfactor = 80);

-- One live code per app, mode, phone and purpose. Small: the expiry sweep ends what has expired.
CREATE UNIQUE INDEX issues_live ON issues (app_id, mode, phone_hash, purpose) WHERE verification_status = 'issued';
CREATE INDEX issues_due ON issues (expires_at) WHERE verification_status = 'issued';
-- What a phone has had: its limits are counted here, for all servers at once.
CREATE INDEX issues_by_phone ON issues (phone_hash, app_id, created_at);

-- Idempotency keys, hashed.
CREATE TABLE claims (
  claim_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id      text COLLATE "C" NOT NULL,
  mode        text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash    bytea NOT NULL CHECK (length(key_hash) = 16),
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 16),
  issue_id    uuid NOT NULL,
  created_at  bigint NOT NULL
);
-- What is looked for comes first: a planner that knows nothing of a young table yet would read all claims of the app.
CREATE UNIQUE INDEX claims_by_key ON claims (key_hash, app_id, mode);

-- Number and text of a message that may still have to be sent, sealed with AES-256-GCM. Nothing else holds them.
CREATE TABLE outbox (
  issue_id   uuid PRIMARY KEY,
  sealed     bytea NOT NULL,
  expires_at bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Every call of a provider, written before the call.
CREATE TABLE attempts (
  app_id              text COLLATE "C" NOT NULL,
  mode                text COLLATE "C" NOT NULL,
  issue_id            uuid NOT NULL,
  number              integer NOT NULL CHECK (number > 0),
  leg                 channel NOT NULL,
  provider            text NOT NULL,
  message_id          uuid NOT NULL,
  called_at           bigint NOT NULL,
  answered_at         bigint,
  outcome             text CHECK (outcome IN ('accepted', 'refused', 'ambiguous')),
  retry               text CHECK (retry IN ('later', 'elsewhere', 'never')),
  code                text CHECK (length(code) <= 128),
  said                text CHECK (length(said) <= 200), -- the provider's own words on a failure, without digits
  text                text, -- as sent, with the code and what callers fill in masked; NULL: the channel words it itself, or it is erased
  report              text CHECK (report = 'delivered' OR report = 'failed'), -- the last one
  reported_at         bigint,
  provider_message_id text CHECK (length(provider_message_id) <= 256),
  PRIMARY KEY (app_id, mode, issue_id, number),
  CHECK ((retry IS NOT NULL) = (outcome IS NOT DISTINCT FROM 'refused')),
  CHECK ((outcome IS NULL) = (answered_at IS NULL))
) WITH (fillfactor = 80);

-- Messages whose fate a provider may still report, by our id and by the provider's. Forgotten once it is known.
CREATE TABLE awaited_reports (
  message_id          uuid PRIMARY KEY,
  provider            text COLLATE "C" NOT NULL,
  provider_message_id text COLLATE "C" CHECK (length(provider_message_id) <= 256),
  app_id              text COLLATE "C" NOT NULL,
  mode                text COLLATE "C" NOT NULL,
  issue_id            uuid NOT NULL,
  leg                 channel NOT NULL,
  answered_at         bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX awaited_reports_by_provider ON awaited_reports (provider, provider_message_id)
  WHERE provider_message_id IS NOT NULL;

-- Work that is due at a time. Claiming moves run_at past the lease and raises attempt; a job whose server is gone comes
-- back by itself. Rows live for seconds: vacuumed often, and updated in place.
CREATE TABLE jobs (
  job_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never given twice: part of the fence
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('deliver', 'await-report', 'next-leg', 'webhook', 'notice')),
  app_id     text COLLATE "C" NOT NULL,
  mode       text COLLATE "C" NOT NULL,
  subject_id uuid NOT NULL,
  run_at     bigint NOT NULL,
  attempt    integer NOT NULL,
  queue      text COLLATE "C" NOT NULL, -- '' is the front; else a carrier, a webhook endpoint or a way of notices
  leased     boolean NOT NULL,
  leased_by  text COLLATE "C" -- the server that runs it
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX jobs_due ON jobs (kind, queue, run_at);
-- At most one job of a kind for a subject: what makes a second send or settlement impossible to queue.
CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject_id, kind);

CREATE TABLE webhook_endpoints (
  endpoint_id     text COLLATE "C" PRIMARY KEY,
  app_id          text COLLATE "C" NOT NULL REFERENCES apps,
  mode            text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
  url             text NOT NULL,
  events          text NOT NULL CHECK (events::json IS NOT NULL),
  filters         text NOT NULL CHECK (filters::json IS NOT NULL),
  headers         bytea NOT NULL, -- sealed: they may hold credentials
  template        text,
  secrets         bytea NOT NULL, -- sealed: newest first, an older one with the time it ends
  disabled_at     bigint,
  disabled_reason text,
  failing_since   bigint,
  created_at      bigint NOT NULL,
  certificate_until bigint -- 0: it is refused
);
CREATE INDEX webhook_endpoints_by_app ON webhook_endpoints (app_id, mode);

-- What happened, once for all endpoints that were told of it.
CREATE TABLE webhook_events (
  event_id   uuid PRIMARY KEY,
  app_id     text COLLATE "C" NOT NULL,
  mode       text COLLATE "C" NOT NULL,
  type       text NOT NULL,
  issue_id   uuid, -- NULL: a test event
  body       bytea NOT NULL, -- sealed
  created_at bigint NOT NULL,
  origin     text
);
CREATE INDEX webhook_events_by_issue ON webhook_events (issue_id) WHERE issue_id IS NOT NULL;

-- One event for one endpoint. An endpoint that is removed beside waits for what is being added, and the other way round.
CREATE TABLE webhook_deliveries (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order of what happened
  delivery_id uuid NOT NULL UNIQUE,
  endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints,
  event_id    uuid NOT NULL,
  issue_id    uuid,
  status      text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts    integer NOT NULL, -- in all
  tries       integer NOT NULL, -- since it was queued or replayed
  created_at  bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, seq);
CREATE INDEX webhook_deliveries_untried ON webhook_deliveries (endpoint_id, issue_id, seq)
  WHERE attempts = 0 AND status = 'pending' AND issue_id IS NOT NULL;
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL,
  number      integer NOT NULL,
  called_at   bigint NOT NULL,
  answered_at bigint NOT NULL,
  status      integer, -- NULL: there was no answer
  error       text,
  answer      bytea, -- sealed: its first KiB
  PRIMARY KEY (delivery_id, number)
);

CREATE TABLE operators (
  operator_id   text COLLATE "C" PRIMARY KEY,
  email         text COLLATE "C" NOT NULL UNIQUE, -- in lower case
  name          text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'developer', 'operator', 'support', 'finance', 'viewer')),
  password_hash text NOT NULL, -- argon2id
  totp_secret   bytea, -- sealed; NULL: none
  totp_begun    bytea, -- sealed: one that was shown and is not proved yet, with the time until which it can be
  created_at    bigint NOT NULL,
  last_seen_at  bigint,
  unlocked_at   bigint,
  app_ids       text CHECK (json_array_length(app_ids::json) > 0) -- the only apps they see; NULL: all
);

-- Addresses operators have signed in from, as keyed hashes: from there the right password always counts.
CREATE TABLE operator_addresses (
  operator_id  text COLLATE "C" NOT NULL REFERENCES operators ON DELETE CASCADE,
  address_hash bytea NOT NULL CHECK (length(address_hash) = 16),
  seen_at      bigint NOT NULL,
  PRIMARY KEY (operator_id, address_hash)
);

CREATE TABLE operator_sessions (
  token_hash   bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  operator_id  text COLLATE "C" NOT NULL REFERENCES operators ON DELETE CASCADE,
  created_at   bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  browser      text NOT NULL, -- one word each; '' where it is not known
  system       text NOT NULL
);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id);

-- Links that make an account: of invitations, and of the first start.
CREATE TABLE invitations (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  role       text NOT NULL,
  invited_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  app_ids    text CHECK (json_array_length(app_ids::json) > 0), -- NULL: all
  note       text -- for whom it is; NULL: not said
);

-- Every change of an operator. Each row's hash covers the one before: none can be changed or left out unseen.
CREATE TABLE audit_entries (
  seq    bigint PRIMARY KEY,
  at     bigint NOT NULL,
  actor  text NOT NULL,
  ip     text,
  action text NOT NULL,
  target text NOT NULL,
  detail text NOT NULL,
  hash   bytea NOT NULL CHECK (length(hash) = 32)
);

-- Quarters of an hour, counted once all that can happen to their issues has happened. Every time zone's days begin at one.
CREATE TABLE usage_intervals (
  at        bigint NOT NULL,
  app_id    text COLLATE "C" NOT NULL,
  mode      text COLLATE "C" NOT NULL,
  channel   channel NOT NULL,
  provider  text COLLATE "C" NOT NULL, -- '' where no carrier took the message
  country   text COLLATE "C" NOT NULL,
  purpose   text COLLATE "C" NOT NULL,
  issued    bigint NOT NULL,
  sent      bigint NOT NULL,
  delivered bigint NOT NULL,
  failed    bigint NOT NULL,
  verified  bigint NOT NULL,
  spent     bigint NOT NULL,
  messages  bigint NOT NULL, -- accepted by the carrier; an issue may have one for each of its legs
  latencies text NOT NULL, -- a histogram
  PRIMARY KEY (app_id, mode, at, channel, provider, country, purpose)
);

-- What a message costs at a carrier. '' stands for any; the most specific price that is valid on a day wins.
CREATE TABLE prices (
  price_id   text COLLATE "C" PRIMARY KEY,
  provider   text COLLATE "C" NOT NULL,
  country    text COLLATE "C" NOT NULL,
  channel    text COLLATE "C" NOT NULL,
  currency   text NOT NULL,
  millionths bigint NOT NULL CHECK (millionths >= 0),
  valid_from text COLLATE "C" NOT NULL, -- a day
  UNIQUE (provider, country, channel, valid_from)
);

-- Tokens of finance's tools, which may read usage and nothing else.
CREATE TABLE report_tokens (
  token_id   text PRIMARY KEY,
  name       text NOT NULL,
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_by text NOT NULL,
  created_at bigint NOT NULL
);

-- When the clock was set back, and by how much.
CREATE TABLE clock_steps (
  noticed_at  bigint NOT NULL,
  set_back_ms bigint NOT NULL CHECK (set_back_ms > 0)
);

-- The servers that share this database. One that has not been heard of for long is gone.
CREATE TABLE nodes (
  node_id    text COLLATE "C" PRIMARY KEY,
  name       text NOT NULL,
  version    text NOT NULL,
  started_at bigint NOT NULL,
  seen_at    bigint NOT NULL,
  leaving    boolean NOT NULL,
  lag_ms     bigint NOT NULL, -- how late the oldest due job of all was when it looked
  followed   boolean NOT NULL DEFAULT false, -- a page of the console is open there
  changes    text NOT NULL DEFAULT '{}' -- JSON: how often each topic has changed there, for open pages
) WITH (fillfactor = 50);

-- What all servers count together: the times of a sliding window, or how often in a UTC day (then one number).
CREATE TABLE counted (
  subject text COLLATE "C" PRIMARY KEY,
  times   bigint[] NOT NULL,
  ends_at bigint NOT NULL -- from then on nothing of it counts
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX counted_over ON counted (ends_at);

-- Counts one under each subject, or under none: then the number of the rule that waits longest, and how long. A window of 0
-- is the UTC day. Subjects come in their order: two that count the same wait for each other in one direction.
CREATE FUNCTION count_one(subjects text[], most bigint[], windows bigint[], OUT rule integer, OUT wait bigint)
LANGUAGE plpgsql AS $$
DECLARE
  at     bigint := clock_ms();
  day    bigint := 86400000;
  starts bigint;
  ends   bigint;
  kept   bigint[];
  waits  bigint;
BEGIN
  FOR i IN 1 .. cardinality(subjects) LOOP
    ends := CASE windows[i] WHEN 0 THEN (at / day + 1) * day ELSE at + windows[i] END;
    INSERT INTO counted VALUES (subjects[i], '{}', ends) ON CONFLICT DO NOTHING;
    SELECT times INTO kept FROM counted WHERE subject = subjects[i] AND (ends_at > at OR times = '{}') FOR UPDATE;
    waits := NULL;
    IF windows[i] = 0 THEN
      IF coalesce(kept[1], 0) >= most[i] THEN waits := ends - at; END IF;
    ELSE
      starts := at - windows[i];
      kept := ARRAY(SELECT least(t, at) FROM unnest(kept) AS t WHERE t > starts ORDER BY t);
      IF cardinality(kept) >= most[i] THEN
        waits := greatest(1, kept[cardinality(kept) - most[i] + 1] + windows[i] - at);
      END IF;
    END IF;
    IF waits > coalesce(wait, 0) THEN
      rule := i;
      wait := waits;
    END IF;
  END LOOP;
  IF rule IS NOT NULL THEN RETURN; END IF;
  FOR i IN 1 .. cardinality(subjects) LOOP
    UPDATE counted SET
      times = CASE
        WHEN windows[i] = 0 AND ends_at > at THEN ARRAY[coalesce(times[1], 0) + 1]
        WHEN windows[i] = 0 THEN ARRAY[1::bigint]
        ELSE ARRAY(SELECT least(t, at) FROM unnest(times) AS t WHERE t > at - windows[i] ORDER BY t) || at END,
      ends_at = CASE windows[i] WHEN 0 THEN (at / day + 1) * day ELSE at + windows[i] END
    WHERE subject = subjects[i];
  END LOOP;
END $$;

-- Takes back what was counted: the latest.
CREATE FUNCTION take_back_one(subjects text[], windows bigint[]) RETURNS void LANGUAGE sql AS $$
  UPDATE counted SET times = CASE
      WHEN asked.window_ms = 0 THEN ARRAY[greatest(0, times[1] - 1)]
      ELSE times[1 : cardinality(times) - 1] END
    FROM unnest(subjects, windows) AS asked (subject, window_ms)
    WHERE counted.subject = asked.subject AND cardinality(times) > 0 AND ends_at > clock_ms()
$$;

-- Wrong codes at a phone, over all its codes, by the kind of key that issued them.
CREATE TABLE failures (
  app_id text NOT NULL,
  key_kind text NOT NULL,
  phone_hash bytea NOT NULL,
  -- JSON: in a row, by day, since when locked.
  state text NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (app_id, key_kind, phone_hash)
);
CREATE INDEX failures_old ON failures (last_at);
-- Phones that wrong codes may hold up: ten in a row, a lock, or codes that come seldom. Of most there is no row.
CREATE INDEX failures_held ON failures (app_id, last_at)
  WHERE (state::jsonb ->> 'inARow')::bigint >= 10 OR (state::jsonb ->> 'lockedAt')::bigint > 0
    OR (state::jsonb ->> 'issuedAt')::bigint > 0;

-- What an app sent to a country with a kind of key in an hour, and what became of it.
CREATE TABLE traffic_hours (
  app_id text NOT NULL,
  key_kind text NOT NULL,
  country text NOT NULL,
  hour bigint NOT NULL,
  sent bigint NOT NULL,
  credits bigint NOT NULL,
  verified bigint NOT NULL,
  unverified bigint NOT NULL,
  PRIMARY KEY (app_id, hour, key_kind, country)
);

-- What rules were against, by the minute: how often, and whether it was refused. Empty hashes: of several, or of none.
CREATE TABLE decisions (
  app_id text NOT NULL,
  minute bigint NOT NULL,
  key_kind text NOT NULL,
  country text NOT NULL,
  rule text NOT NULL,
  refused boolean NOT NULL,
  prefix_hash bytea NOT NULL,
  network_hash bytea NOT NULL,
  times bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (app_id, minute, key_kind, country, rule, refused, prefix_hash, network_hash)
);
CREATE INDEX decisions_old ON decisions (minute);

-- Codes that nobody types: one that is open for an app, a kind of key and a country.
CREATE TABLE incidents (
  incident_id uuid PRIMARY KEY,
  app_id text NOT NULL,
  key_kind text NOT NULL,
  country text NOT NULL,
  since bigint NOT NULL,
  last_at bigint NOT NULL,
  ended_at bigint,
  blocked boolean NOT NULL,
  refused bigint NOT NULL,
  -- JSON: names of rules.
  rules text NOT NULL,
  paused_until bigint,
  pauses integer NOT NULL,
  -- What codes have cost that nobody typed, credits.
  cost bigint NOT NULL,
  -- When the operator is to be told next, and how often that has failed.
  tell_at bigint,
  tells integer NOT NULL,
  refunded bigint
);
CREATE UNIQUE INDEX incidents_open ON incidents (app_id, key_kind, country) WHERE ended_at IS NULL;
CREATE INDEX incidents_to_tell ON incidents (tell_at) WHERE tell_at IS NOT NULL;
CREATE INDEX incidents_by_app ON incidents (app_id, since);

-- What the operator must know. One of a kind and subject is open at a time, so that nothing is told twice.
CREATE TABLE notices (
  notice_id uuid PRIMARY KEY,
  kind      text NOT NULL,
  subject   text NOT NULL,
  app_id    text,
  facts     text NOT NULL CHECK (facts::json IS NOT NULL), -- JSON: the values of its sentence
  since     bigint NOT NULL,
  gone_at   bigint,
  ended_at  bigint
);
CREATE UNIQUE INDEX notices_open ON notices (kind, subject) WHERE ended_at IS NULL;
CREATE INDEX notices_ended ON notices (ended_at) WHERE ended_at IS NOT NULL;

-- Where notices are told, beside the console.
CREATE TABLE notice_ways (
  way_id     text PRIMARY KEY,
  name       text NOT NULL,
  channel    text NOT NULL,
  settings   bytea NOT NULL, -- sealed: passwords, secrets, and URLs that are secrets
  created_at bigint NOT NULL
);

-- One message about a notice on one way: that it began, and that it ended.
CREATE TABLE notice_messages (
  message_id uuid PRIMARY KEY,
  notice_id  uuid NOT NULL,
  way_id     text NOT NULL,
  phase      text NOT NULL,
  status     text NOT NULL,
  tries      integer NOT NULL,
  tried_at   bigint,
  error      text
);
CREATE UNIQUE INDEX notice_messages_once ON notice_messages (notice_id, way_id, phase);

-- The proof of a human that an app asks for where it would refuse.
CREATE TABLE challenges (
  app_id text PRIMARY KEY,
  -- Sealed: it holds the app's secret at the vendor.
  settings bytea NOT NULL
);

-- Platforms that hand over codes of their own.
CREATE TABLE relays (
  relay_id text PRIMARY KEY,
  app_id   text NOT NULL REFERENCES apps,
  settings bytea NOT NULL -- sealed: it holds the secret of the platform
);
CREATE INDEX relays_by_app ON relays (app_id);

-- Erased issues: to be removed once nothing counts them any more, and then to be known for as long as idempotency keys that stand for them.
CREATE TABLE erased_issues (
  app_id   text COLLATE "C" NOT NULL,
  mode     text COLLATE "C" NOT NULL,
  issue_id uuid PRIMARY KEY,
  gone     boolean NOT NULL -- the issue is removed
);

-- Phones that were erased, by their keyed hash, to be erased again where a backup brings them back. '' stands for every app.
CREATE TABLE erasures (
  phone_hash bytea NOT NULL CHECK (length(phone_hash) = 32),
  app_id     text COLLATE "C" NOT NULL,
  erased_at  bigint NOT NULL,
  done_at    bigint, -- NULL: not all of it is done
  PRIMARY KEY (phone_hash, app_id)
);

-- Phones that a channel does not reach, such as those without WhatsApp: its legs are left out until then.
CREATE TABLE absent_phones (
  channel    channel NOT NULL,
  phone_hash bytea NOT NULL CHECK (length(phone_hash) = 32),
  until      bigint NOT NULL,
  PRIMARY KEY (phone_hash, channel)
);
CREATE INDEX absent_phones_old ON absent_phones (until);

-- Keys that do not follow from the master secret of today, each sealed for the secrets that open this database. None: the
-- secret has never been changed, and all follow from it.
CREATE TABLE key_ring (
  name      text COLLATE "C" NOT NULL,
  secret_id bytea NOT NULL,
  sealed    bytea NOT NULL,
  made_at   bigint NOT NULL,
  begun_at  bigint, -- NULL: every server is to know it before the first uses it
  PRIMARY KEY (name, secret_id)
);

-- What was known of where an app's codes go, sealed: a server that starts goes on from there.
CREATE TABLE traffic_snapshots (
  app_id  text PRIMARY KEY,
  made_at bigint NOT NULL,
  sealed  bytea NOT NULL
);

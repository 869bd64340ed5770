CREATE TABLE operators (
  operator_id   TEXT PRIMARY KEY,
  email         TEXT NOT NULL UNIQUE, -- in lower case
  name          TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
  password_hash TEXT NOT NULL, -- argon2id
  totp_secret   BLOB, -- sealed; NULL: none
  created_at    INTEGER NOT NULL,
  last_seen_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE operator_sessions (
  token_hash   BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  operator_id  TEXT NOT NULL REFERENCES operators ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id);

-- Links that make an account: of invitations, and of the first start.
CREATE TABLE invitations (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  role       TEXT NOT NULL,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
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

-- Whole hours, counted once all that can happen to their issues has happened.
CREATE TABLE usage_hours (
  hour     INTEGER NOT NULL,
  app_id   TEXT NOT NULL,
  mode     TEXT NOT NULL,
  channel  TEXT NOT NULL,
  provider TEXT NOT NULL, -- '' where no carrier took the message
  country  TEXT NOT NULL,
  purpose  TEXT NOT NULL,
  issued    INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed    INTEGER NOT NULL,
  verified  INTEGER NOT NULL,
  spent     INTEGER NOT NULL,
  latencies TEXT NOT NULL CHECK (json_valid(latencies)), -- a histogram
  PRIMARY KEY (app_id, mode, hour, channel, provider, country, purpose)
) STRICT, WITHOUT ROWID;

ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
ALTER TABLE wallets ADD COLUMN alert_below INTEGER CHECK (alert_below >= 0);

-- Apps that were there before: they send where a code was verified, and are watched elsewhere.
UPDATE apps SET protection = json_object(
  'countries', 'watch', 'capping', 'watch', 'conversion', 'watch',
  'closed', json('[]'), 'resendMs', json('{"sk":0,"pk":30000}'), 'lockMs', 86400000,
  'open', json((
    SELECT json_group_array(country) FROM (
      SELECT DISTINCT country FROM issues
      WHERE issues.app_id = apps.app_id AND mode = 'live' AND verification_status = 'verified' AND country IS NOT NULL
      ORDER BY country)))
) WHERE protection IS NULL;

-- Where a code went and who asked for it, as keyed hashes: whether messages pay is seen by these. NULL: not noted, or too old.
ALTER TABLE issues ADD COLUMN prefix_hash BLOB;
ALTER TABLE issues ADD COLUMN network_hash BLOB;

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

-- Apps that were there before: they send where a code was verified, and are watched elsewhere. First,
-- while nothing is locked: it reads all issues.
UPDATE apps SET protection = json_build_object(
  'countries', 'watch', 'capping', 'watch', 'conversion', 'watch',
  'closed', '[]'::json, 'resendMs', '{"sk":0,"pk":30000}'::json, 'lockMs', 86400000,
  'open', (
    SELECT coalesce(json_agg(country ORDER BY country), '[]') FROM (
      SELECT DISTINCT country FROM issues
      WHERE issues.app_id = apps.app_id AND mode = 'live' AND verification_status = 'verified' AND country IS NOT NULL
    ) AS verified)
)::text WHERE protection IS NULL;

-- Where a code went and who asked for it, as keyed hashes: whether messages pay is seen by these. NULL: not noted, or too old.
ALTER TABLE issues ADD COLUMN prefix_hash bytea;
ALTER TABLE issues ADD COLUMN network_hash bytea;

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

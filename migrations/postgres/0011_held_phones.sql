-- Phones that wrong codes may hold up: ten in a row, a lock, or codes that come seldom. Of most there is no row.
CREATE INDEX failures_held ON failures (app_id, last_at)
  WHERE (state::jsonb ->> 'inARow')::bigint >= 10 OR (state::jsonb ->> 'lockedAt')::bigint > 0
    OR (state::jsonb ->> 'issuedAt')::bigint > 0;

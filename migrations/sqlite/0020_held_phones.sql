-- Phones that wrong codes may hold up: ten in a row, a lock, or codes that come seldom. Of most there is no row.
CREATE INDEX failures_held ON failures (app_id, last_at)
  WHERE json_extract(state, '$.inARow') >= 10 OR json_extract(state, '$.lockedAt') > 0 OR json_extract(state, '$.issuedAt') > 0;

-- Days an app's live issues are kept. NULL: as the server is set.
ALTER TABLE apps ADD COLUMN retention_days integer CHECK (retention_days > 0);

-- When what belongs to its phone was erased: the row is there to be counted and charged. NULL: not erased.
ALTER TABLE issues ADD COLUMN erased_at bigint;

-- Those: to be removed once nothing counts them any more, and then to be known for as long as idempotency keys that stand for them.
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

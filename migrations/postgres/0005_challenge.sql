-- The proof of a human that an app asks for where it would refuse.
CREATE TABLE challenges (
  app_id text PRIMARY KEY,
  -- Sealed: it holds the app's secret at the vendor.
  settings bytea NOT NULL
);

-- What a live browser key may do beyond the usual (from, text). Keys made before keep what they could do.
ALTER TABLE api_keys ADD COLUMN allows TEXT NOT NULL DEFAULT '["from","text"]';
-- The kind of key that issued: each kind has an allowance of its own for a phone. NULL: issued before this was noted.
ALTER TABLE issues ADD COLUMN key_kind TEXT;
-- ISO 3166 country whose national phone formats an app's numbers are read in. NULL: the server's default.
ALTER TABLE apps ADD COLUMN region TEXT;

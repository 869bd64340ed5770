-- Whether the proof of a verification says what an issue's metadata is, to whoever verifies.
ALTER TABLE apps ADD COLUMN proves_metadata boolean NOT NULL DEFAULT false;

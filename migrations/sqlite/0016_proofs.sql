-- Whether the proof of a verification says what an issue's metadata is, to whoever verifies.
ALTER TABLE apps ADD COLUMN proves_metadata INTEGER NOT NULL DEFAULT 0 CHECK (proves_metadata IN (0, 1));

-- Whether the proof of a verification says what an issue's metadata is, to whoever verifies. NULL: it does not.
ALTER TABLE apps ADD COLUMN proves_metadata INTEGER CHECK (proves_metadata IN (0, 1));

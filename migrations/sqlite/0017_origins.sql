-- The request that made an issue, which lines of the log and spans of a trace are found by. NULL: of before, or of no request.
ALTER TABLE issues ADD COLUMN origin TEXT;
ALTER TABLE webhook_events ADD COLUMN origin TEXT;

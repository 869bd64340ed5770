-- What was charged for an issue, found as fast among ten million entries as among ten.
CREATE INDEX ledger_entries_by_issue ON ledger_entries (issue_id) WHERE issue_id IS NOT NULL;

"""The state of sites, runs and documents in SQL: the ledger, the transitions, recovery."""

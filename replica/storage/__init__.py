"""Where a replica is kept: in SQLite, or in dictionaries for a simulation."""

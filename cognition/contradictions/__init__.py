"""Claims in one slot that cannot all hold: how they are read, compared, settled and shown."""

"""Deterministic worlds: no threads, no event loop, no wall clock; one seed replays everything."""

"""The pure fold of ops into what shows: no I/O, no clock, no randomness of its own."""

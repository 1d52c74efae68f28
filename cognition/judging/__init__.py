"""Name what a new telling may repeat or contradict, and keep what whoever understands it says of that."""

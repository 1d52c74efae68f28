"""The searches that bring candidates: by words, by vectors, by names."""

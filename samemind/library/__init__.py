"""The verbs as methods, for programs in Python."""

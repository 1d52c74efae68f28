"""Where memories stand as they fade, and what is about to be forgotten."""

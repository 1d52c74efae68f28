"""Find what recurs in memories: who comes up with whom, when, in what mood, about what, and at the centre of what."""

"""Bring something up by itself: what is worth it, how urgent it is, and what became of it on any device."""

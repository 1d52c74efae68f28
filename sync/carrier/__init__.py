"""Carry ops by hand: the same signed ops as on a link, sealed in a file for the members of the group."""

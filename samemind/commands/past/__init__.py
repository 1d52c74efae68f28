"""The commands about the past."""

"""The commands about other devices."""

"""The commands that have the machine start the daemon."""

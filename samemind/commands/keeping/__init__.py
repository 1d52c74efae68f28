"""The commands of what comes up by itself, and of who you are."""

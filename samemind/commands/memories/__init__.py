"""The commands that write, read and change memories."""

"""The commands that bring memories in and take them out."""

"""The commands of what a mind does by itself."""

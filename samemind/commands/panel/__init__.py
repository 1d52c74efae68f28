"""The commands of what browsers open: the web panel, and the app of a phone."""

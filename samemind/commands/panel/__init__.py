"""The command of the web panel."""

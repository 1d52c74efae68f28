"""The command line: read what was typed, have it done, print what came of it."""

"""Rules that somebody could have written, each wrong, by what they are about."""

"""The commands that carry ops by hand: in a file, on a stick, through a folder that some service copies."""

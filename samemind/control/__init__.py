"""The local socket by which other programs use a store that one program holds."""

"""The commands about taking things in: what still waits to be done, and what is held back."""

"""The commands about what cannot all be true."""

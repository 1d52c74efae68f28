"""Bring memories that say much the same under one summary, which can be undone and is never written down."""

"""Who the owner is."""

"""The commands about this device."""

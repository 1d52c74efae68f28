"""What lies in a device's folder beside its store, and who may open it."""

"""What each verb does: a file for each family, async functions from a device and options to a result."""

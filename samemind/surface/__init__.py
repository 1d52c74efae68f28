"""What can be asked of a device: every verb, its options and its result. Declarations only; nothing heavy."""

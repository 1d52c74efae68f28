"""Turn memory into a block of text for a prompt, within a budget of tokens."""

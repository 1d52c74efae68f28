"""The commands that make something of memories: a block for a prompt, and reasons."""

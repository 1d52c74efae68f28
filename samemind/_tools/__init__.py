"""What writes parts of the tree from other parts of it. Nothing that runs imports it."""

"""The commands that keep the store safe."""

"""What a mind does by itself, step by step, and when."""

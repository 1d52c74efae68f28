"""Other words for what memories say: by whom they are written, where they are kept, and how they are searched."""

"""The program that holds a store and keeps it in step, and what it does by itself."""

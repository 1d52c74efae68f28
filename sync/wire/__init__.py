"""What two devices say to each other, as bytes: frames, the messages in them, and their limits."""

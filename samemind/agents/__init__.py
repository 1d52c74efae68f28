"""Where agents keep their settings, and what they are told about using memory."""

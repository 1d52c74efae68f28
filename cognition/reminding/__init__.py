"""Read what people ask to be reminded of, and when."""

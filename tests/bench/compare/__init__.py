"""Compare: the same work done by this project, by what people would use instead, and by as little code as can do it."""

"""What is done behind a telling: embed it, and read the names in it."""

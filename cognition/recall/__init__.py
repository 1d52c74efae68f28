"""Find the memories that a query asks for, and say why."""

"""The memory in the shape that frameworks for agents ask for; each module needs the extra of its name."""

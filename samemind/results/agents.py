"""What the verbs for agents return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The server ended; what it had to say it said to the agent."""

"""What the verbs of thinking return."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """How many things a step of thinking raised or changed, and their ids."""

    count: int = 0
    ids: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """What one cycle of thinking came to; `more` says that a step has work left for the next one."""

    contradictions: Raised
    consolidated: Raised
    patterns: Raised
    triggers: Raised
    took_ms: float
    more: bool = False

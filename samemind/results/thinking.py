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


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconsolidated:
    """A summary that is no more, and the memories that stand for themselves again."""

    rid: str
    rids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """A telling that stands apart again, and the tellings (`rids`) that it was shown with."""

    rid: str
    rids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted:
    """What was taken back, or would be (`dry_run`): memories, facts taken from them, edges, lines of the profile.

    `changed` names memories of others that the retracted device wrote to; these are as it left them.
    """

    rids: list[str]
    facts: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    dry_run: bool = False

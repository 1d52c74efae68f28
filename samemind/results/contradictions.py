"""What the verbs about contradictions return."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A memory says something else now, and so do the facts beside it.

    `settled` are contradictions that this settled, `contradictions` ones that it left or made open. A correction that
    looks secret is `held`: it waits on this device, under this id, and was not made.
    """

    rid: str
    text: str
    facts: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    held: str | None = None

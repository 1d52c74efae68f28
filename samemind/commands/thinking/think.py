"""Think now: find contradictions, consolidate, find patterns, raise triggers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device

# What memories wait for, in words.
_LEFT: Final = {
    "read": "to read",
    "embed": "to embed",
    "compare": "to compare with older ones",
    "link": "to look for repetitions of",
    "consolidate": "to consolidate",
    "patterns": "to look for patterns in",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """Think now: find contradictions, consolidate, find patterns, raise triggers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """How many things a step of thinking raised or changed, and their ids."""

    count: int = 0
    ids: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """What one cycle of thinking came to, which ends after a few seconds.

    `more`: something is left, as after a large import, and the next cycle goes on there. `left` counts the memories
    that wait to be read, embedded, compared (`compare`), linked, consolidated, and looked through for patterns.
    """

    contradictions: Raised
    consolidated: Raised
    patterns: Raised
    triggers: Raised
    took_ms: float
    more: bool = False
    left: Mapping[str, int] = field(default_factory=dict)


async def run(device: "Device", options: Think) -> Thought:
    """Run one cycle, after what was brought in is read and everything has its vector, as far as time allows."""
    from samemind.memory_trim import LONG_MS, give_back

    last = device.mind.last_cycle
    cycle = await device.mind.think(reads_brought=True)
    ends_another = last is not None and last.more
    if cycle.took_ms >= LONG_MS or ends_another:  # however short the last piece of a long work is
        await give_back(device.replica)
    raised = {name: Raised(count=len(ids), ids=list(ids)) for name, ids in cycle.ids.items()}
    return Thought(
        contradictions=raised.get("contradictions", Raised()),
        consolidated=raised.get("consolidated", Raised()),
        patterns=raised.get("patterns", Raised()),
        triggers=raised.get("triggers", Raised()),
        took_ms=cycle.took_ms,
        more=cycle.more,
        left=cycle.left,
    )


def render(document: Document) -> list[str]:
    lines = [
        f"{name:<14} {raised['count']}"
        for name, raised in document.items()
        if name != "left" and isinstance(raised, Mapping) and raised["count"]
    ]
    lines = lines or ["nothing new" if not document["more"] else "nothing new so far"]
    if document["more"]:
        lines += _to_go_on(document["left"])
    return lines


def _to_go_on(left: Mapping[str, int]) -> list[str]:
    """Return what is left, and who does it when."""
    waits = ", ".join(f"{count:,} {_LEFT[name]}" for name, count in left.items())
    return [
        f"not finished: {waits}" if waits else "not finished",
        "  a running daemon goes on by itself; to go on now: samemind think",
    ]


COMMAND: Final = Command(
    "think",
    Think,
    Thought,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "think",
        "Run one cycle of thinking now: some seconds at most; call it again while its result has `more`.",
    ),
    kept="what it found so far is kept; `samemind think` goes on with the rest",
    place=1,
)

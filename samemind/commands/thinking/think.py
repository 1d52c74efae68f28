"""Think now: find contradictions, consolidate, find patterns, raise triggers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method
from samemind.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


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
    """What one cycle of thinking came to; `more` says that a step has work left for the next one."""

    contradictions: Raised
    consolidated: Raised
    patterns: Raised
    triggers: Raised
    took_ms: float
    more: bool = False


async def run(device: "Device", options: Think) -> Thought:
    """Run one cycle, after all was read, and everything that waits for its vector has one or was given up."""
    from samemind.memory_trim import LONG_MS, give_back

    await device.mind.ingest.read_brought()
    cycle = await device.mind.think()
    if cycle.took_ms >= LONG_MS:
        await give_back(device.replica)
    raised = {name: Raised(count=len(ids), ids=list(ids)) for name, ids in cycle.ids.items()}
    return Thought(
        contradictions=raised.get("contradictions", Raised()),
        consolidated=raised.get("consolidated", Raised()),
        patterns=raised.get("patterns", Raised()),
        triggers=raised.get("triggers", Raised()),
        took_ms=cycle.took_ms,
        more=cycle.more,
    )


def render(document: Document) -> list[str]:
    lines = [
        f"{name:<14} {raised['count']}"
        for name, raised in document.items()
        if isinstance(raised, Mapping) and raised["count"]
    ]
    return lines or ["nothing new"]


COMMAND: Final = Command(
    "think",
    Think,
    Thought,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("think", "Run one cycle of thinking now."),
    kept="what it found so far is kept; `samemind think` begins a new cycle",
    place=1,
)

"""List quarantined texts: they look secret, so they were not stored as memories."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHeld:
    """List quarantined texts: they look secret, so they were not stored as memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldView:
    """Something that was told and is kept back on this device. `shown` is its text with the secrets covered.

    `about` is the memory that it would change; it is null for what would be a new one.
    """

    id: str
    kinds: list[str]
    shown: str
    held_at: datetime | None
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldList:
    """What is kept back, oldest first."""

    held: list[HeldView]


async def run(device: "Device", options: ListHeld) -> HeldList:
    """List what is held, with the secrets covered: a list is looked at, copied and logged."""
    from cognition.extraction.secrets import masked
    from cognition.ingest.holding import held_here, texts_of
    from replica import show_memory_id
    from samemind.formats.times import at_ms

    found = await device.replica.read(held_here)
    return HeldList(
        held=[
            HeldView(
                id=show_memory_id(each.rid),
                kinds=list(each.kinds),
                shown="; ".join(masked(one) for one in (each.text, *texts_of(each.fields)) if one)
                if each.about is not None
                else masked(each.text),
                held_at=at_ms(each.held_at),
                about=None if each.about is None else show_memory_id(each.about),
            )
            for each in found
        ]
    )


def render(document: Document) -> list[str]:
    return [
        f"{each['id']}  {', '.join(each['kinds'])}: {one_line(each['shown'])}"
        + (f"  (would change {each['about']})" if each["about"] else "")
        for each in document["held"]
    ] or ["nothing is held"]


COMMAND: Final = Command(
    "held list",
    ListHeld,
    HeldList,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=Method("held"),
    rows="held",
    place=4,
    short=True,
)

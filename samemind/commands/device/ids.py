"""List ids of memories and devices by prefix, with the shortest form of each: for shell completion."""

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.errors import Usage
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


# A screen of ids, each with twenty others that begin like it.
IDS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListIds:
    """List ids of memories and devices by prefix, with the shortest form of each: for shell completion."""

    beginnings: tuple[str, ...] = argument(
        "prefixes or whole ids; without any, the newest", takes=Takes.ID, optional=True, many=True
    )
    limit: int = option(
        "--limit", "at most this many for each", default=20, metavar="N", short="-n", least=0, most=IDS_MAX
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdView:
    """An id, and the fewest of its characters that are safe to type."""

    id: str
    short: str
    kind: str
    """`memory` or `device`."""
    text: str
    """The beginning of what the memory says, or the device's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """Ids that begin as asked."""

    ids: list[IdView]


_HEX: Final = frozenset(string.hexdigits)
# So much of a text tells memories apart in a list of completions.
ID_TEXT_CHARACTERS: Final = 60


async def run(device: "Device", options: ListIds) -> Ids:
    """List the ids that begin so, and how short each may be typed."""
    if len(options.beginnings) > IDS_MAX:
        raise Usage(f"expected at most {IDS_MAX} beginnings, got {len(options.beginnings)}", code="invalid")

    def read(connection: "sqlite3.Connection") -> Ids:
        found: dict[str, IdView] = {}
        for beginning in options.beginnings or ("",):
            plain = beginning.strip().replace("-", "").lower()
            if set(plain) <= _HEX:
                found |= {view.id: view for view in _beginning(connection, plain, options.limit)}
        return Ids(ids=list(found.values())[:IDS_MAX])

    return await device.replica.read(read)


def _beginning(connection: "sqlite3.Connection", plain: str, limit: int) -> list[IdView]:
    """Return the memories, newest first, and then the devices whose ids begin with these digits."""
    from replica import devices_beginning, memories_beginning, show_memory_id

    memories = memories_beginning(connection, plain, limit=limit, characters=ID_TEXT_CHARACTERS)
    devices = devices_beginning(connection, plain, limit=limit)
    return [
        *(
            IdView(id=show_memory_id(rid), short=short, kind="memory", text=text)
            for rid, short, text in memories
        ),
        *(IdView(id=device.hex(), short=short, kind="device", text=name) for device, short, name in devices),
    ]


def render(document: Document) -> list[str]:
    return [f"{each['short']}  {one_line(each['text'])}" for each in document["ids"]]


COMMAND: Final = Command(
    "ids",
    ListIds,
    Ids,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="is for shells that complete",
    library=Method("ids", "List ids of memories and devices by prefix, with the shortest form of each."),
    opens_mind=False,
    rows="ids",
    place=11,
)

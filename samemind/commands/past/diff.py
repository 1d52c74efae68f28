"""Compare what was remembered at two moments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, option
from samemind.errors import Usage
from samemind.formats.memory_view import MemoryView
from samemind.formats.plain import to_json
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, plain, titled

if TYPE_CHECKING:
    import sqlite3

    from replica import MemoryId
    from samemind.device import Device

# As of other listings.
DIFF_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Show how memories changed between two times."""

    since: str = option("--since", "from this time on", default="", takes=Takes.TIME)
    until: str | None = option("--until", "up to this time; without it, up to now", takes=Takes.TIME)
    seen_by: str | None = option("--seen-by", "as this device knew it", metavar="DEVICE")
    limit: int = option(
        "--limit", "at most this many of each", default=50, metavar="N", short="-n", least=0, most=DIFF_MAX
    )
    offset: int = option("--offset", "skip this many of each", default=0, metavar="N", least=0)


Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A memory that says something else than it did. `fields` holds those that differ, as they are now."""

    rid: str
    before: str
    after: str
    fields: Meta = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What became of memories between two moments, the oldest first.

    `forgotten` shows them as they were at the first; what was erased is in no past. `more`: there are others beyond
    the `limit`.
    """

    since: datetime | None
    until: datetime | None
    added: list[MemoryView]
    changed: list[Changed]
    forgotten: list[MemoryView]
    more: bool = False


# So many memories are compared at a time.
PER_READ: Final = 1_000
# Of a memory that was merely recalled nothing changed.
_NO_CHANGE: Final = frozenset({"accesses", "last_access", "updated_at", "device_name"})


async def run(device: "Device", options: Diff) -> Difference:
    """Make both moments, of what something happened to between them, and compare them."""
    from samemind.formats.times import at_ms, read_since
    from samemind.moments import moment_of, opened_pasts

    if not options.since:
        raise Usage("diff: expected --since TIME, which is missing")
    since_ms = read_since(options.since, name="since", now_ms=device.now_ms())
    until_ms = moment_of(device, options.until, name="until")
    if until_ms < since_ms:
        until = f"until ({options.until})" if options.until else "now"
        raise Usage(f"expected a time for since that is before {until}, got {options.since}", code="invalid")
    async with opened_pasts(device, since_ms - 1, until_ms, options.seen_by) as pasts:
        before, after = (past.connection for past in pasts)
        start, stop = options.offset, options.offset + options.limit
        added, changed, forgotten, more = await device.apart(_compared, before, after, start, stop)
    return Difference(
        since=at_ms(since_ms),
        until=at_ms(until_ms),
        added=added,
        changed=changed,
        forgotten=forgotten,
        more=more,
    )


def _compared(
    before: "sqlite3.Connection", after: "sqlite3.Connection", start: int, stop: int
) -> tuple[list[MemoryView], list[Changed], list[MemoryView], bool]:
    """Return what was added, what changed and what was forgotten, a stretch of each, and whether there is more."""
    from replica.reads.memories import rids_by_age

    had, has = rids_by_age(before), rids_by_age(after)
    known, kept = set(had), set(has)
    added = [rid for rid in has if rid not in known]
    forgotten = [rid for rid in had if rid not in kept]
    # One more than wanted tells whether there are more.
    found = islice(_changes(before, after, (rid for rid in has if rid in known)), stop + 1)
    changed = list(found)
    return (
        list(_views(after, added[start:stop])),
        changed[start:stop],
        list(_views(before, forgotten[start:stop])),
        max(len(added), len(changed), len(forgotten)) > stop,
    )


def _changes(
    before: "sqlite3.Connection", after: "sqlite3.Connection", rids: "Iterator[MemoryId]"
) -> Iterator[Changed]:
    while some := [*islice(rids, PER_READ)]:
        pairs = zip(_views(before, some), _views(after, some), strict=True)
        yield from (each for pair in pairs if (each := _change(*pair)) is not None)


def _views(connection: "sqlite3.Connection", rids: "Sequence[MemoryId]") -> Iterator[MemoryView]:
    """Return memories that are there, in the order of their ids."""
    from replica import memories_called
    from samemind.formats.views import view_of_memory

    for start in range(0, len(rids), PER_READ):
        some = rids[start : start + PER_READ]
        found = {each.rid: each for each in memories_called(connection, some)}
        yield from (view_of_memory(found[rid]) for rid in some)


def _change(before: MemoryView, after: MemoryView) -> Changed | None:
    if before == after:  # nearly all
        return None
    old: dict[str, Any] = to_json(before)
    new: dict[str, Any] = to_json(after)
    fields = {
        name: value
        for name, value in new.items()
        if old.get(name) != value and name not in _NO_CHANGE and name != "text"
    }
    if before.text == after.text and not fields:
        return None
    return Changed(rid=after.rid, before=before.text, after=after.text, fields=fields)


def render(document: Document) -> list[str]:
    lines = [f"+ {memory['rid']}  {titled(memory)}" for memory in document["added"]]
    lines += [f"- {memory['rid']}  {titled(memory)}" for memory in document["forgotten"]]
    for changed in document["changed"]:
        fields = " ".join(f"{name}={plain(value)}" for name, value in changed["fields"].items())
        text = "" if changed["before"] == changed["after"] else f"  {one_line(changed['after'])}"
        lines.append(f"~ {changed['rid']}{text}{'  ' if fields else ''}{fields}")
    if document["more"]:
        lines.append("there is more: --offset goes on from here")
    return lines or ["nothing changed"]


def rows(document: Document) -> list[Document]:
    """Return a record for each memory that something became of: what, and what it said before and says now."""
    return [
        *(_record("added", each["rid"], None, each["text"]) for each in document["added"]),
        *({"change": "changed", **each} for each in document["changed"]),
        *(_record("forgotten", each["rid"], each["text"], None) for each in document["forgotten"]),
    ]


def _record(change: str, rid: str, before: str | None, after: str | None) -> Document:
    return {"change": change, "rid": rid, "before": before, "after": after}


COMMAND: Final = Command(
    "diff",
    Diff,
    Difference,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "diff",
        ("Return how memories changed between two times: what is new, what changed, what was forgotten."),
        by_place=("since",),
    ),
    rows=rows,
    place=1,
)

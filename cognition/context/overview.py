"""Choose what an agent should know when a session begins, before anything was asked.

What is pinned comes first, then what came lately, what is used often, and what nobody touched for long and may be out
of date. A memory stands in the first of these that it belongs to, and what was told several times stands there once.
Facts are passed over: the memory that they were taken from says them already. Where the budget ends, the block ends.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cognition.context.block import NO_NAMES, Context, Section, line_of, named, render
from cognition.context.budget import tokens
from cognition.filters import Filters
from cognition.memories import read_memories
from cognition.tellings import shown_once
from replica import Memory, MemoryId
from replica.hlc import latest_plausible
from replica.reads.ids import STORED

PINNED: Final = "Pinned"
RECENT: Final = "Recent"
FREQUENT: Final = "Often used"
STALE: Final = "Untouched for long, perhaps out of date"

# A page that is read at the start of every session: enough to be reminded, little enough to be read.
PINNED_MAX: Final = 20
RECENT_MAX: Final = 10
FREQUENT_MAX: Final = 10
STALE_MAX: Final = 5
# A quarter of a year without being told again, edited or recalled.
STALE_MS: Final = 90 * 86_400_000
# What stands under a summary says much the same as its neighbours: whoever asks for that gets the summary.
_NOT_COLD: Final = "NOT EXISTS (SELECT 1 FROM summary_member x WHERE x.id = m.id)"

# SQL, and what stands for its question marks.
_Asked = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class OverviewSection:
    """Memories under one heading, in their order."""

    title: str
    memories: tuple[Memory, ...]


def read_overview(connection: sqlite3.Connection, filters: Filters, *, now_ms: int) -> list[OverviewSection]:
    """Return the parts that are not empty."""
    before_ms, latest = now_ms - STALE_MS, latest_plausible(now_ms)
    untouched = "m.updated < ? AND ifnull(m.last_access, 0) < ?"
    before = (before_ms << 16, before_ms)
    parts = [
        _part(connection, filters, PINNED, ("m.pinned = 1", ()), ("m.created", ()), PINNED_MAX),
        _part(connection, filters, RECENT, ("1", ()), (f"{STORED} DESC", (latest,)), RECENT_MAX),
        _part(connection, filters, FREQUENT, ("m.accesses > 0", ()), ("m.accesses DESC", ()), FREQUENT_MAX),
        _part(connection, filters, STALE, (untouched, before), ("m.updated", ()), STALE_MAX),
    ]
    return [part for part in parts if part.memories]


def widen(
    context: Context,
    parts: Sequence[OverviewSection],
    *,
    max_tokens: int,
    names: Mapping[MemoryId, str] = NO_NAMES,
) -> Context:
    """Return a block with these parts behind what it holds, as far as the budget reaches.

    A line of a memory that has one of the `names` ends with it.
    """
    sections, rids = list(context.sections), list(context.rids)
    for part in parts:
        lines: list[str] = []
        for memory in part.memories:
            said, name = line_of(memory), names.get(MemoryId(memory.rid))
            wider = [*lines, f"{said}{named(name)}"]
            if MemoryId(memory.rid) in rids or any(_tells(section, said) for section in sections):
                continue
            text = render([*sections, Section(part.title, tuple(wider))])
            if tokens(text) <= max_tokens:
                lines = wider
                rids.append(MemoryId(memory.rid))
        if lines:
            sections.append(Section(part.title, tuple(lines)))
    text = render(sections)
    return Context(text, tokens(text), context.kind, tuple(sections), tuple(rids))


def _tells(section: Section, line: str) -> bool:
    """Say whether a line stands in a section, whichever telling it names."""
    return any(each == line or each.startswith(f"{line} [") for each in section.lines)


def _part(
    connection: sqlite3.Connection,
    filters: Filters,
    title: str,
    condition: _Asked,
    order: _Asked,
    limit: int,
) -> OverviewSection:
    allowed, values = filters.sql()
    belongs = f"{allowed} AND m.parent IS NULL AND {condition[0]} AND {_NOT_COLD}"
    once, both = shown_once(belongs, (*values, *condition[1]))
    rows = connection.execute(
        f"SELECT m.id FROM shown_memory m WHERE {once} ORDER BY {order[0]}, m.rid LIMIT ?",
        (*both, *order[1], limit),
    )
    wanted = [number for (number,) in rows]
    found = {shown.id: shown.memory for shown in read_memories(connection, wanted)}
    return OverviewSection(title, tuple(found[number] for number in wanted))

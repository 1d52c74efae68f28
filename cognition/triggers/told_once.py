"""Take a reminder that was told several times as one.

What says the same is shown once; so it comes up once, and stands in a calendar once, as what was told first. Tellings
of different times stay apart: each has its own.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from cognition.reminding.repeating import rule_text
from cognition.tellings import groups_of
from replica import Memory, MemoryId


class _Shown(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def rid(self) -> MemoryId: ...
    @property
    def memory(self) -> Memory: ...


Reminder = TypeVar("Reminder", bound=_Shown)


def told_once(connection: sqlite3.Connection, reminders: Iterable[Reminder]) -> list[Reminder]:
    """Return the reminders in their order, of those that say the same for the same time only what was told first."""
    found = _by_key(connection, reminders)
    first: dict[tuple[Any, ...], Reminder] = {}
    for key, it in found:
        known = first.get(key)
        if known is None or (it.memory.created, it.rid) < (known.memory.created, known.rid):
            first[key] = it
    return [it for key, it in found if first[key] is it]


def told_with(connection: sqlite3.Connection, reminders: Iterable[Reminder], rid: MemoryId) -> list[Reminder]:
    """Return those of the reminders that are one with that of a name, itself among them; none where it is not there."""
    found = _by_key(connection, reminders)
    keys = [key for key, it in found if it.rid == rid]
    return [it for key, it in found if key in keys]


def _by_key(
    connection: sqlite3.Connection, reminders: Iterable[Reminder]
) -> list[tuple[tuple[Any, ...], Reminder]]:
    found = list(reminders)
    groups = groups_of(connection, [it.id for it in found])
    return [(_key(it, groups.get(it.id)), it) for it in found]


def _key(it: Reminder, group: int | None) -> tuple[Any, ...]:
    """Return what is equal of reminders that are one; a telling that stands alone is like no other."""
    return (it.id,) if group is None else (group, it.memory.fields.get("event_start"), rule_text(it.memory))

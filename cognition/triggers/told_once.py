"""Take a reminder that was told several times as one.

What says the same is shown once; so it comes up once, and stands in a calendar once, as what was told first. Tellings
of different times stay apart: each has its own.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from cognition.memories import CHARACTERS_MAX, Shown
from cognition.reminding.repeating import REPEATS, rule_of, rule_text
from cognition.tellings import groups_of
from replica import Memory, MemoryId, memories_to_come


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


def known_reminders(connection: sqlite3.Connection, *, characters: int = CHARACTERS_MAX) -> list[Shown]:
    """Return every reminder that is known, the earliest first, each once: when it is due, and so much of its text."""
    to_come = memories_to_come(connection, characters=CHARACTERS_MAX)
    return told_once(connection, (bare(it, characters) for it in to_come))


def bare(it: Shown, characters: int) -> Shown:
    """Return a reminder with nothing but when it is due, and its text or the beginning of that.

    Anybody may have written thousands, and megabytes beside each.
    """
    text, fields = it.memory.text, it.memory.fields
    kept: dict[str, Any] = {name: fields[name] for name in ("event_start", "event_end") if name in fields}
    if (rule := rule_of(it.memory)) is not None:
        kept["meta"] = {REPEATS: rule}
    shown = text if len(text) <= characters else f"{text[:characters]}…"
    return it._replace(memory=it.memory._replace(text=shown, fields=kept))


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

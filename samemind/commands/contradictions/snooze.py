"""Postpone a contradiction on every device: nobody is asked until then, unless something new is told about it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ID_DIGITS, ContradictionView, subject
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument
from samemind.errors import Usage
from samemind.formats.rendering import Document, clock

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device

# What is typed instead of a time by whoever wants to be asked again at once.
_NOW: Final = "now"


@dataclass(frozen=True, slots=True, kw_only=True)
class SnoozeContradiction:
    """Postpone a contradiction on every device: nobody is asked until then, unless something new is told about it."""

    id: str = argument("its id, or at least its first 6 characters", takes=Takes.ID)
    until: str = argument(
        "a time within a year, how long (30m, 2h, 1d), or words: 'tomorrow at 9'; now: ask again",
        takes=Takes.TIME,
    )


async def run(device: "Device", options: SnoozeContradiction) -> ContradictionView:
    """Put one off until a time, by this device's clock; what is decided meanwhile is decided."""
    from cognition.contradictions.slots import ContradictionStatus
    from cognition.contradictions.snoozing import SNOOZE_MS_MAX, snooze, snoozed
    from cognition.contradictions.tables import judged_of
    from cognition.days import DAY_MS
    from replica.reads.devices import device_names
    from samemind.commands.contradictions._work import find_contradiction, view_of
    from samemind.formats.times import read_later

    now_ms = device.now_ms()
    until_ms = None if options.until == _NOW else read_later(options.until, name="until", now_ms=now_ms)
    if until_ms is not None and until_ms > now_ms + SNOOZE_MS_MAX:
        raise Usage(
            f"expected a time within {SNOOZE_MS_MAX // DAY_MS} days, got {options.until!r}",
            hint="`samemind contradictions resolve ID --keep-both` ends the question for good",
        )

    def write(core: "Core", connection: "sqlite3.Connection") -> ContradictionView:
        record = find_contradiction(connection, options.id)
        judged = judged_of(connection, record.slot)
        if until_ms is not None and judged.status is not ContradictionStatus.OPEN:
            raise Usage(
                "expected a contradiction that is open, got one that is settled: nobody is asked about it",
                code="settled",
                hint=f"`samemind contradictions reopen {record.slot.hex()[:ID_DIGITS]}` asks again",
            )
        if snoozed(connection, now_ms).get(record.slot) != until_ms:
            core.commit([snooze(connection, record.slot, until_ms)], now_ms)
        names, later = device_names(connection), snoozed(connection, now_ms)
        return view_of(connection, record, judged, names, later)

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    """Return until when nobody is asked."""
    until = document["snoozed_until"]
    about = subject(document["entity"], document["relation"])
    return [f"{about}{f'nobody is asked until {clock(until)}' if until else 'asked again'}"]


COMMAND: Final = Command(
    "contradictions snooze",
    SnoozeContradiction,
    ContradictionView,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "snooze_contradiction",
        "Postpone a contradiction on every device: nobody is asked until then, unless something new is told.",
    ),
    workspace=Workspace.CONTRADICTION,
    place=5,
)

"""List triggers (what memory brings up by itself), most urgent first."""

from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.keeping._parts import ComingReminder, Triggers, trigger_line
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.formats.options import MomentOptions
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, repeated_here

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from replica import MemoryId
    from samemind.device import Device


# Who asks wants to see that a reminder was taken, not a calendar; `samemind calendar` is one.
COMING_MAX: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTriggers(MomentOptions):
    """List triggers (what memory brings up by itself), most urgent first."""

    all: bool = option("--all", "include those that were dismissed, acted on or have expired", default=False)


async def run(device: "Device", options: ListTriggers) -> Triggers:
    """List triggers; those that are moot or over only when all are asked for."""
    from cognition.triggers.raised import described, read_live
    from samemind.commands.keeping._triggers import LIVE, views_of
    from samemind.moments import moment_of, read_at

    now_ms = moment_of(device, options.as_of)

    def read(connection: "sqlite3.Connection") -> Triggers:
        live = None if options.all else read_live(connection, now_ms, device.thresholds)
        found = described(connection, now_ms, device.thresholds, among=live)
        shown = [one for one in found if options.all or (one.reason is not None and one.status in LIVE)]
        return replace(views_of(connection, shown, device.thresholds), coming=_coming(connection, now_ms))

    return await read_at(device, options.as_of, options.seen_by, read)


def _coming(connection: "sqlite3.Connection", now_ms: int) -> list[ComingReminder]:
    """Return the next reminders that are not due yet, the earliest first."""
    from cognition.reminding.repeating import following, rule_of
    from cognition.triggers.told_once import known_reminders
    from replica import memories_called, show_memory_id
    from samemind.formats.times import at_ms

    found: list[tuple[int, MemoryId, datetime, object]] = []
    for it in known_reminders(connection, characters=0):
        rule, first_ms = rule_of(it.memory), int(it.memory.fields["event_start"])
        due_ms = first_ms if first_ms > now_ms else following(first_ms, rule, now_ms)
        due = None if due_ms is None else at_ms(due_ms)
        if due_ms is None or due is None:
            continue
        found.append((due_ms, it.rid, due, rule))
    next_ones = nsmallest(COMING_MAX, found, key=lambda each: each[:2])
    texts = {
        it.rid: it.memory.text for it in memories_called(connection, [rid for _, rid, _, _ in next_ones])
    }
    return [
        ComingReminder(
            rid=show_memory_id(rid),
            text=texts[rid],
            due=due,
            repeats=rule if isinstance(rule, str) else None,
        )
        for _, rid, due, rule in next_ones
    ]


def render(document: Document) -> list[str]:
    lines = [trigger_line(trigger) for trigger in document["triggers"]] or ["nothing to bring up"]
    return lines + [
        f"coming: {clock(each['due'])}{repeated_here(each['repeats'])}  {one_line(each['text'])}"
        for each in document["coming"]
    ]


COMMAND: Final = Command(
    "triggers list",
    ListTriggers,
    Triggers,
    run=run,
    render=render,
    place=1,
    elsewhere=("inbox", "reminder", "reminders"),
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("triggers"),
    rows="triggers",
    short=True,
)

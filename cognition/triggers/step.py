"""The step of thinking that raises triggers: what is due, was not raised before, and is not too much at once.

Raising is one op on the memory that a trigger hangs on. What was raised anywhere is not raised again: its id says
so. Cool-downs and the number that may wait are this device's own restraint; devices that were apart may raise more
between them, and never one thing twice. Only what this device found itself counts for them: a member may raise any id
on any memory.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from cognition.days import DAY_MS
from cognition.patterns.found import mark_raised, not_raised
from cognition.reminding.repeating import following, rule_of
from cognition.thinking.cycle import StepOutcome
from cognition.triggers.detect import DETECTORS, PATTERNS_LOOKED_AT, put_off
from cognition.triggers.kinds import PATTERN, REMINDER, Thresholds, TriggerCandidate, kind_of, most_urgent
from cognition.triggers.lattice import TriggerState, TriggerStatus
from cognition.triggers.raised import read_live, read_raised_of
from cognition.triggers.snoozing import SNOOZED, snoozes_of
from cognition.triggers.tables import last_found, note_found, read_found
from replica import (
    Core,
    DeviceId,
    MemoryId,
    Trigger,
    Write,
    derived_transaction,
    memories_called,
    show_memory_id,
)

# A mind that wants to say more at once has nothing to say.
RAISED_MAX: Final = 100
# In one commit. It holds all there is of each memory that is written on, three times over; a member makes that 16 MB.
RAISED_IN_A_COMMIT: Final = 4


class TriggerStep:
    """A `cognition.thinking.cycle.Step`."""

    name = "triggers"

    def __init__(self, thresholds: Thresholds = Thresholds()) -> None:
        self._thresholds = thresholds

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        """Raise what is to be raised, a few in each commit; the ids are of the triggers."""
        found = list(chain.from_iterable(each(connection, now_ms, self._thresholds) for each in DETECTORS))
        held = held_for(connection, found, now_ms, self._thresholds)
        of = devices_of(connection, [each.rid for each in found] + [each.rid for each in held])
        chosen = choose(found, held, now_ms, self._thresholds, of, core.device)
        writes = [write_of(each, TriggerStatus.PENDING) for each in chosen]
        for start in range(0, len(writes), RAISED_IN_A_COMMIT):
            core.commit(writes[start : start + RAISED_IN_A_COMMIT], now_ms)
        # After the commits: what a power cut leaves on the lists is raised already, and taken off by the next cycle.
        with derived_transaction(connection):
            _leave_void(connection, found, now_ms)
            raised = {each.id for each in held} | {each.id for each in chosen}
            _settle(connection, found, raised)
            lifetime_ms = self._thresholds.lifetime_ms
            note_found(connection, [each for each in found if each.id in raised], now_ms, lifetime_ms)
        return StepOutcome(tuple(show_memory_id(each.id) for each in chosen))


def held_for(
    connection: sqlite3.Connection, found: Iterable[TriggerCandidate], now_ms: int, thresholds: Thresholds
) -> list[TriggerState]:
    """Return what was raised already, as far as it matters to these candidates.

    That is themselves, what was last raised of their kinds on their memories, and what waits (`read_live`), as far as
    it was found here. What a member raised on any memory and under any id holds nothing back, and all that was ever
    raised is not gone through.
    """
    triggers = {each.id: None for each in found}
    for each in found:
        last = last_found(connection, each.rid, each.kind.name)
        if last is not None:
            triggers[last] = None
    counted = read_found(connection) | triggers.keys()
    held = {each.id: each for each in read_live(connection, now_ms, thresholds) if each.id in counted}
    held |= {
        each.id: each for each in read_raised_of(connection, [each for each in triggers if each not in held])
    }
    return [held[trigger] for trigger in sorted(held)]


def devices_of(connection: sqlite3.Connection, rids: Iterable[MemoryId]) -> dict[MemoryId, DeviceId]:
    """Return which device told each of these memories."""
    of: dict[MemoryId, DeviceId] = {}
    for rid in dict.fromkeys(rids):
        for (device,) in connection.execute(
            "SELECT f.device FROM shown_memory m JOIN known_feed f ON f.no = m.feed WHERE m.rid = ?", (rid,)
        ):
            of[rid] = DeviceId(device)
    return of


def write_of(candidate: TriggerCandidate, status: TriggerStatus) -> Write:
    """Return the op that says how far a trigger came."""
    body = Trigger(candidate.id, int(status), candidate.written_kind, candidate.about)
    return Write(body, candidate.rid)


@dataclass(slots=True)
class _Restraint:
    """What holds candidates back: what was raised lately, by kind and memory, and how many wait, by kind.

    Reminders that wait are counted for each device that told of them: a member's hold nobody else's back. Of any other
    kind one may always wait on the memories of this device itself, however many do on those of others.
    """

    now_ms: int
    of: Mapping[MemoryId, DeviceId]
    own: DeviceId | None
    last_ms: dict[tuple[str, MemoryId], int] = field(default_factory=dict)
    waiting: Counter[tuple[str, DeviceId | None]] = field(default_factory=Counter)
    on_own: Counter[str] = field(default_factory=Counter)
    today: Counter[str] = field(default_factory=Counter)

    def note(self, kind: str, rid: MemoryId, raised_ms: int, *, waits: bool) -> None:
        self.last_ms[kind, rid] = max(raised_ms, self.last_ms.get((kind, rid), raised_ms))
        self.waiting[self._told_by(kind, rid)] += waits
        self.on_own[kind] += waits and self._is_own(rid)
        self.today[kind] += self.now_ms - raised_ms < DAY_MS

    def lets(self, candidate: TriggerCandidate) -> bool:
        kind = candidate.kind
        last_ms = self.last_ms.get((kind.name, candidate.rid))
        cooled = last_ms is None or not kind.cool_down_ms or self.now_ms - last_ms >= kind.cool_down_ms
        if kind.a_day_max is not None and self.today[kind.name] >= kind.a_day_max:
            return False
        has_room = self.waiting[self._told_by(kind.name, candidate.rid)] < kind.pending_max
        return cooled and (has_room or (self._is_own(candidate.rid) and not self.on_own[kind.name]))

    def _is_own(self, rid: MemoryId) -> bool:
        return self.own is not None and self.of.get(rid) == self.own

    def _told_by(self, kind: str, rid: MemoryId) -> tuple[str, DeviceId | None]:
        return kind, self.of.get(rid) if kind == REMINDER.name else None


def choose(
    found: Iterable[TriggerCandidate],
    held: Iterable[TriggerState],
    now_ms: int,
    thresholds: Thresholds,
    of: Mapping[MemoryId, DeviceId] | None = None,
    own: DeviceId | None = None,
) -> list[TriggerCandidate]:
    """Return the candidates that are to be raised, the most urgent first. Pure.

    `of`: who told each memory; `own`: who raises.
    Where more is due than may be raised at once, the devices that told of it take turns.
    """
    of = of or {}
    restraint = _Restraint(now_ms, of, own)
    known = set()
    for raised in held:
        known.add(raised.id)
        if raised.is_ahead(now_ms):
            continue  # it would be of today, and hold others back, for years
        waits = raised.status(now_ms, thresholds.lifetime_ms) is TriggerStatus.PENDING
        restraint.note(kind_of(raised.kind).name, raised.rid, raised.raised_ms, waits=waits)
    chosen: list[TriggerCandidate] = []
    for candidate in _in_turns(most_urgent(list(found)), of):
        if candidate.id not in known and len(chosen) < RAISED_MAX and restraint.lets(candidate):
            known.add(candidate.id)
            restraint.note(candidate.kind.name, candidate.rid, now_ms, waits=True)
            chosen.append(candidate)
    return chosen


def _in_turns(candidates: list[TriggerCandidate], of: Mapping[MemoryId, DeviceId]) -> list[TriggerCandidate]:
    if len(candidates) <= RAISED_MAX:
        return candidates
    seen: Counter[DeviceId | None] = Counter()
    turns: list[tuple[int, int]] = []
    for at, candidate in enumerate(candidates):
        device = of.get(candidate.rid)
        turns.append((seen[device], at))
        seen[device] += 1
    return [candidates[at] for _, at in sorted(turns)]


def _due_again(connection: sqlite3.Connection, candidate: TriggerCandidate) -> int | None:
    """Return when what repeats is due next, behind the time that was raised."""
    for it in memories_called(connection, (candidate.rid,)):
        return following(int(it.memory.fields["event_start"]), rule_of(it.memory), candidate.window)
    return None


def _leave_void(connection: sqlite3.Connection, found: Iterable[TriggerCandidate], now_ms: int) -> None:
    """Take what was put off until now off the list where nothing follows: it was dealt with, or never put off.

    A member may note any number of such, and the first so many that are looked at would be those for ever.
    """
    followed = {(each.rid, each.written_kind) for each in found if each.follows_up}
    connection.executemany(
        "DELETE FROM due WHERE id = ? AND kind = ?",
        [
            (it.id, f"{SNOOZED}{one.kind}")
            for it in put_off(connection, now_ms)
            for one in snoozes_of(it.memory)
            if one.until_ms <= now_ms and (it.rid, one.kind) not in followed
        ],
    )


def _settle(connection: sqlite3.Connection, found: Iterable[TriggerCandidate], known: set[bytes]) -> None:
    """Take what was raised, here or elsewhere, off the lists of what is due."""
    for candidate in found:
        if candidate.id not in known:
            continue
        again_ms = _due_again(connection, candidate) if candidate.kind is REMINDER else None
        kind = f"{SNOOZED}{candidate.written_kind}" if candidate.follows_up else candidate.kind.name
        named = (kind, candidate.rid)
        if again_ms is None:
            connection.execute(
                "DELETE FROM due WHERE kind = ? AND id = (SELECT id FROM shown_memory WHERE rid = ?)", named
            )
        else:
            connection.execute(
                "UPDATE due SET at_ms = ? WHERE kind = ? AND id = (SELECT id FROM shown_memory WHERE rid = ?)",
                (again_ms, *named),
            )
    raised = {each.subject for each in found if each.kind is PATTERN and each.id in known}
    held_back = {each.subject for each in found if each.id not in known}
    looked_at = not_raised(connection, PATTERNS_LOOKED_AT)
    mark_raised(connection, [each for each in looked_at if each.id in raised or each.id not in held_back])
    connection.executemany(
        "UPDATE loose_topic SET looked = memories WHERE topic = ?",
        [
            (topic,)
            for (topic,) in connection.execute("SELECT topic FROM loose_topic WHERE memories != looked")
            if topic.encode() not in held_back
        ],
    )

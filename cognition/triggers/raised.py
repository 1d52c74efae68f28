"""Read the triggers that devices have raised, and say of each what it is about and how urgent it is by now.

The op that raised one says its kind and its memories and no more. Words and urgency follow from the memories as
they are now, so they are right on a device that did not raise it, they change when the memories do, and nothing of
them has to be erased. A trigger whose reason is gone (the memory was recalled, the goal is reached, the question
settled) is *moot*.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice, zip_longest
from typing import Final, NamedTuple

from cognition.days import DAY_MS
from cognition.decay import TYPE_DEFAULT
from cognition.memories import Shown
from cognition.patterns.words import pattern_reason
from cognition.reminding.repeating import latest, rule_of
from cognition.triggers import contradictions
from cognition.triggers.goals import read_goal
from cognition.triggers.kinds import (
    CONSOLIDATION,
    ESCALATION,
    KINDS,
    PATTERN,
    PROGRESS,
    PROGRESS_URGENCY,
    REMINDER,
    REVIEW,
    STAGNATION,
    Thresholds,
    consolidation_urgency,
    pattern_urgency,
    reminder_urgency,
    review_urgency,
    stagnation_urgency,
    trigger_id,
)
from cognition.triggers.lattice import TriggerState, TriggerStatus, joined
from cognition.triggers.snoozing import snoozes_of
from cognition.triggers.tables import half_life_ms_of, read_found, since_ms
from replica import DeviceId, MemoryId, lately_raised, memories_called, read_triggers, read_triggers_named
from replica.fields import MS_MAX
from replica.hlc import COUNTER_BITS, HLC_MAX, OWN_AHEAD_MS_MAX

# Triggers of one kind that are looked at where it is said what waits: as many as a device lets wait of any. Each takes
# some queries to say why it is there.
LIVE_OF_A_KIND_MAX: Final = REMINDER.pending_max
# Of any other kind a device lets five wait. Why a goal is there is found among what was told since, which takes longer.
LIVE_OF_OTHER_KINDS_MAX: Final = 200
# As much of a memory as a reason quotes.
QUOTED_CHARACTERS: Final = 80


class Reason(NamedTuple):
    """Why a trigger is there, for people, and how urgent it is from 0 to 1."""

    text: str
    urgency: float


class Described(NamedTuple):
    """A trigger, how it stands, and its reason; none where it is moot. `snoozed_ms`: until when it was put off."""

    raised: TriggerState
    status: TriggerStatus
    reason: Reason | None
    snoozed_ms: int | None = None


def read_raised(connection: sqlite3.Connection, trigger: bytes | None = None) -> list[TriggerState]:
    """Return every trigger that was ever raised here or on a peer; or only the one of that id."""
    return joined(read_triggers(connection, trigger))


def read_live(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds = Thresholds()
) -> list[TriggerState]:
    """Return what was raised lately enough to wait, or to count against what may: so many of each kind at most.

    Of more, those on the memories of each device take turns: whoever has ten thousand memories to be reminded of crowds
    out nobody else's. Of one device's, what was found here too comes first, so ten thousand raised on them crowd out
    nothing; then the latest. What a clock raised that was years ahead comes last: it would come first for as long.
    Kinds that this version does not know are one kind.
    """
    since_ms, ahead_ms = (
        min(max(0, ms), MS_MAX)  # whatever the clock shows
        for ms in (now_ms - max(thresholds.lifetime_ms, DAY_MS), now_ms + OWN_AHEAD_MS_MAX)
    )
    since, ahead = since_ms << COUNTER_BITS, ahead_ms << COUNTER_BITS
    by_device: dict[str, dict[DeviceId, list[bytes]]] = {}
    for trigger, kind, device in chain(
        lately_raised(connection, since, ahead), lately_raised(connection, ahead + 1, HLC_MAX)
    ):
        name = kind.partition(":")[0]
        known = name if name in KINDS else ""
        by_device.setdefault(known, {}).setdefault(device, []).append(trigger)
    chosen: dict[bytes, None] = {}
    found = read_found(connection)
    for known, of_kind in by_device.items():
        foremost = [sorted(each, key=lambda trigger: trigger not in found) for each in of_kind.values()]
        in_turn = chain.from_iterable(zip_longest(*foremost))
        most = LIVE_OF_A_KIND_MAX if known == REMINDER.name else LIVE_OF_OTHER_KINDS_MAX
        chosen.update(dict.fromkeys(islice(filter(None, in_turn), most)))
    return read_raised_of(connection, chosen)


def read_raised_of(connection: sqlite3.Connection, triggers: Iterable[bytes]) -> list[TriggerState]:
    """Return those of the triggers that were raised here or on a peer."""
    return joined(read_triggers_named(connection, list(triggers)))


def described(
    connection: sqlite3.Connection,
    now_ms: int,
    thresholds: Thresholds = Thresholds(),
    *,
    among: list[TriggerState] | None = None,
) -> list[Described]:
    """Return triggers with their reasons, the most urgent first."""
    found = []
    for raised in read_raised(connection) if among is None else among:
        status = raised.status(now_ms, thresholds.lifetime_ms)
        until_ms = None if status is not TriggerStatus.DISMISSED else put_off_until(connection, raised)
        if until_ms is not None and until_ms <= now_ms:
            until_ms = None
        reason = reason_of(connection, raised, now_ms, thresholds)
        found.append(Described(raised, status, reason, until_ms))
    return sorted(found, key=lambda one: (-(one.reason.urgency if one.reason else -1.0), one.raised.id))


def put_off_until(connection: sqlite3.Connection, raised: TriggerState) -> int | None:
    """Return until when, in ms, a trigger was put off; None where it was not."""
    first = _read(connection, (raised.rid,)).get(raised.rid)
    found = [] if first is None else [one for one in snoozes_of(first.memory) if one.trigger == raised.id]
    return found[0].until_ms if found else None


def reason_of(
    connection: sqlite3.Connection, raised: TriggerState, now_ms: int, thresholds: Thresholds
) -> Reason | None:
    """Return why a trigger is there by now; none where that is no longer so."""
    memories = _read(connection, raised.memories)
    first = memories.get(raised.rid)
    if first is None or first.memory.fields.get("archived"):
        return None
    about = _About(connection, raised, first, list(memories.values()), now_ms, thresholds)
    kind = raised.kind.partition(":")[0]
    return _REASONS[kind](about) if kind in _REASONS else Reason(raised.kind, 0.0)


class _About(NamedTuple):
    connection: sqlite3.Connection
    raised: TriggerState
    first: Shown
    memories: list[Shown]
    now_ms: int
    thresholds: Thresholds


def _review(about: _About) -> Reason | None:
    memory = about.first.memory
    importance = memory.fields.get("importance")
    if importance is None:
        return None
    ratio = 2.0 ** (-max(0, about.now_ms - since_ms(memory)) / half_life_ms_of(memory))
    if importance * ratio > about.thresholds.review_strength:
        return None
    return Reason(f"{quoted(memory.text)} matters, and is fading", review_urgency(importance, ratio))


def _reminder(about: _About) -> Reason | None:
    memory = about.first.memory
    due = memory.fields.get("event_start")
    if due is None:
        return None
    due = latest(due, rule_of(memory), about.now_ms)
    known = {trigger_id(REMINDER.name, about.first.rid, due)}
    known.update(each for one in snoozes_of(memory) for each in (one.trigger, one.follow_up))
    if about.raised.id not in known:
        return None  # it has another time, or needs no reminding any more
    return Reason(f"{quoted(memory.text)} is due", reminder_urgency(about.now_ms - due))


def _consolidation(about: _About) -> Reason | None:
    topic = about.first.memory.fields.get("topic")
    loose = [it for it in about.memories if it.memory.fields.get("type", TYPE_DEFAULT) == "episodic"]
    if topic is None or not loose:
        return None
    count = len(loose)
    urgency = consolidation_urgency(count, about.thresholds.consolidation_count)
    return Reason(f"{count} memories about {topic} could be tidied up into one", urgency)


def _progress(about: _About) -> Reason | None:
    goal = read_goal(about.connection, about.first.rid)
    if goal is None or goal.status != "open":
        return None
    news = max(
        (it for it in about.memories if it.rid != goal.rid), key=lambda it: it.memory.created, default=None
    )
    told = "" if news is None else f": {quoted(news.memory.text)}"
    return Reason(f"progress on {quoted(goal.text)}{told}", PROGRESS_URGENCY)


def _stagnation(about: _About) -> Reason | None:
    goal = read_goal(about.connection, about.first.rid)
    if goal is None or not goal.is_stagnant(about.now_ms):
        return None
    silent_ms = about.now_ms - goal.last_ms
    days = silent_ms // 86_400_000
    return Reason(f"nothing was told of {quoted(goal.text)} for {days} days", stagnation_urgency(silent_ms))


def _pattern(about: _About) -> Reason | None:
    memories = [it.memory for it in about.memories]
    text = pattern_reason(about.raised.kind.partition(":")[2], memories)
    return None if text is None else Reason(text, pattern_urgency(len(memories)))


def _escalation(about: _About) -> Reason | None:
    found = contradictions.reason(about.connection, about.raised.memories, about.now_ms, about.thresholds)
    return None if found is None else Reason(*found)


_REASONS: Final[Mapping[str, Callable[[_About], Reason | None]]] = {
    REVIEW.name: _review,
    REMINDER.name: _reminder,
    CONSOLIDATION.name: _consolidation,
    ESCALATION.name: _escalation,
    PROGRESS.name: _progress,
    STAGNATION.name: _stagnation,
    PATTERN.name: _pattern,
}


def quoted(text: str) -> str:
    """Return the beginning of a text on one line, in quotes."""
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= QUOTED_CHARACTERS else f"“{line[: QUOTED_CHARACTERS - 1]}…”"


def _read(connection: sqlite3.Connection, rids: tuple[MemoryId, ...]) -> dict[MemoryId, Shown]:
    return {it.rid: it for it in memories_called(connection, rids)}

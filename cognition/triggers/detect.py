"""Find what may be brought up now: each kind from tables that hold little more than what is due.

Whether it is, is for `cognition.triggers.step` to say; here only the conditions are checked.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from cognition.days import DAY_MS
from cognition.memories import CHARACTERS_MAX, Shown, read_memories
from cognition.patterns.found import not_raised, raised_before, shown_by
from cognition.patterns.miners import Miner
from cognition.reminding.repeating import latest, rule_of
from cognition.triggers import contradictions
from cognition.triggers.goals import Goal, open_goals
from cognition.triggers.kinds import (
    CONSOLIDATION,
    PATTERN,
    PROGRESS,
    PROGRESS_URGENCY,
    REMINDER,
    REVIEW,
    STAGNATION,
    Thresholds,
    TriggerCandidate,
    consolidation_urgency,
    kind_of,
    pattern_urgency,
    reminder_urgency,
    review_urgency,
    stagnation_urgency,
    trigger_id,
)
from cognition.triggers.lattice import TriggerStatus
from cognition.triggers.raised import read_live, read_raised, read_raised_of, reason_of
from cognition.triggers.snoozing import SNOOZED, snoozes_of
from cognition.triggers.tables import half_life_ms_of, since_ms
from cognition.triggers.told_once import told_once
from replica import MemoryId

# Of what is due, so much is looked at in one cycle; the rest waits for those before it to be raised.
LOOKED_AT: Final = 200
# Patterns are brought up a few at a time, and each look at one reads its memories.
PATTERNS_LOOKED_AT: Final = 10
# Memories that a trigger on a topic names.
_NAMED_MAX: Final = 50

# The oldest first, but by turns among the devices that told of them: whoever fills the list crowds out nobody else.
_DUE: Final = """SELECT id FROM (
    SELECT id, at_ms, row_number() OVER (PARTITION BY device ORDER BY at_ms, id) AS turn FROM (
        SELECT due.id AS id, min(at_ms) AS at_ms, f.device AS device
        FROM due JOIN shown_memory m ON m.id = due.id JOIN known_feed f ON f.no = m.feed
        WHERE kind BETWEEN ? AND ? AND at_ms <= ? GROUP BY due.id
    )
) ORDER BY turn, at_ms, id LIMIT ?"""
_LOOSE: Final = """SELECT rid FROM shown_memory WHERE topic = ? AND ifnull(type, 'episodic') = 'episodic'
    AND ifnull(archived, 0) = 0 AND id NOT IN (SELECT id FROM summary_member) ORDER BY created, rid"""

Detector = Callable[[sqlite3.Connection, int, Thresholds], Iterator[TriggerCandidate]]


def reviews(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> Iterator[TriggerCandidate]:
    """Return what matters and has faded (YD-60); its window is since when it fades."""
    for it in _due(connection, REVIEW.name, now_ms):
        importance = float(it.memory.fields["importance"])
        since = since_ms(it.memory)
        ratio = 2.0 ** (-max(0, now_ms - since) / half_life_ms_of(it.memory))
        if importance * ratio <= thresholds.review_strength:
            yield TriggerCandidate(REVIEW, it.rid, since, review_urgency(importance, ratio))


def reminders(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> Iterator[TriggerCandidate]:
    """Return what was intended and is due (ML-86); its window is when that is, of what repeats the last time."""
    for it in told_once(connection, _due(connection, REMINDER.name, now_ms)):
        due = latest(int(it.memory.fields["event_start"]), rule_of(it.memory), now_ms)
        yield TriggerCandidate(REMINDER, it.rid, due, reminder_urgency(now_ms - due))


def snoozed(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> Iterator[TriggerCandidate]:
    """Return what was put off until now; its window is until when. Nothing that somebody asked for is held back."""
    for it in put_off(connection, now_ms):
        for one in snoozes_of(it.memory):
            found = read_raised(connection, one.trigger)
            if one.until_ms > now_ms or not found or found[0].held.status != TriggerStatus.DISMISSED:
                continue
            (raised,) = found
            reason = reason_of(connection, raised, now_ms, thresholds)
            if reason is None:
                continue
            kind, _, detail = one.kind.partition(":")
            unheld = replace(kind_of(kind), cool_down_ms=0, pending_max=REMINDER.pending_max, a_day_max=None)
            yield TriggerCandidate(
                unheld,
                it.rid,
                one.until_ms,
                reason.urgency,
                raised.about,
                one.trigger,
                detail,
                follows_up=True,
            )


def put_off(connection: sqlite3.Connection, now_ms: int) -> list[Shown]:
    """Return memories of which something was put off until now, as many as are looked at in one cycle."""
    return _due(connection, SNOOZED, now_ms, f"{SNOOZED}\U0010ffff")


def _due(connection: sqlite3.Connection, kind: str, now_ms: int, last_kind: str | None = None) -> list[Shown]:
    rows = connection.execute(_DUE, (kind, last_kind or kind, now_ms, LOOKED_AT))
    return list(read_memories(connection, [number for (number,) in rows], characters=CHARACTERS_MAX))


def loose_topics(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> Iterator[TriggerCandidate]:
    """Return topics of which many memories lie loose (YD-61); the window counts how often that many have come."""
    wanted = thresholds.consolidation_count
    topics = connection.execute(
        "SELECT topic FROM loose_topic WHERE memories / ? > looked / ? ORDER BY memories DESC, topic LIMIT ?",
        (wanted, wanted, LOOKED_AT),
    ).fetchall()
    for (topic,) in topics:
        rids = [MemoryId(rid) for (rid,) in connection.execute(_LOOSE, (topic,))]
        if len(rids) >= wanted:
            oldest, *others = rids[:_NAMED_MAX]
            yield TriggerCandidate(
                CONSOLIDATION,
                oldest,
                len(rids) // wanted,
                consolidation_urgency(len(rids), wanted),
                tuple(sorted(others)),
                topic.encode(),
            )


def goals(connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds) -> Iterator[TriggerCandidate]:
    """Return goals that something was told of, or that have gone quiet (YD-64)."""
    for goal in open_goals(connection, LOOKED_AT):
        yield from _of_goal(goal, now_ms)


def _of_goal(goal: Goal, now_ms: int) -> Iterator[TriggerCandidate]:
    """Progress has the day of the news as its window, silence when it began."""
    if goal.progress:
        day = goal.progress[0].created_ms // DAY_MS
        news = sorted(each.rid for each in goal.progress if each.created_ms // DAY_MS == day)
        yield TriggerCandidate(PROGRESS, goal.rid, day, PROGRESS_URGENCY, tuple(news))
    if goal.is_stagnant(now_ms):
        yield TriggerCandidate(STAGNATION, goal.rid, goal.last_ms, stagnation_urgency(now_ms - goal.last_ms))


def patterns(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> Iterator[TriggerCandidate]:
    """Return patterns that nobody was told of (YD-63); each has one window, so it comes up once.

    Themes overlap, since each is what lies around one memory: of those that share most of their memories one comes up.
    """
    themes: list[frozenset[MemoryId]] | None = None
    for pattern in not_raised(connection, PATTERNS_LOOKED_AT):
        rids = shown_by(connection, pattern)
        if rids and pattern.miner is Miner.THEME:
            themes = _themes_told(connection, now_ms, thresholds) if themes is None else themes
            if any(_is_one(frozenset(rids), each) for each in themes):
                continue
            themes.append(frozenset(rids))
        if rids:
            yield TriggerCandidate(
                PATTERN,
                rids[0],
                0,
                pattern_urgency(pattern.support),
                tuple(sorted(rids[1:])),
                pattern.id,
                pattern.miner.value,
            )


def _themes_told(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> list[frozenset[MemoryId]]:
    """Return the memories of each theme that was brought up: here at any time, on other devices lately."""
    written = f"{PATTERN.name}:{Miner.THEME.value}"
    here = [trigger_id(written, pattern, 0) for pattern in raised_before(connection, Miner.THEME, LOOKED_AT)]
    told = {
        each.id: frozenset(each.memories)
        for each in (*read_raised_of(connection, here), *read_live(connection, now_ms, thresholds))
        if each.kind == written
    }
    return list(told.values())


def _is_one(theme: frozenset[MemoryId], other: frozenset[MemoryId]) -> bool:
    """Say whether two themes are one to whoever is told of them: they share more than half of the smaller."""
    return 2 * len(theme & other) > min(len(theme), len(other))


DETECTORS: Final[tuple[Detector, ...]] = (
    snoozed,
    reminders,
    contradictions.candidates,
    reviews,
    goals,
    loose_topics,
    patterns,
)

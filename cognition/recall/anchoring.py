"""Prefer what lies before, during or after the event by which a question names a time.

Which event "before the move" means is found among the memories like anything else. It has to be found surely, or
nothing changes. The memory says when it was, or else it was when that was told; and what was told, or happens, on the
side that is asked for comes first by as much as for a date that is named. Nothing is left out.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from typing import Final

from cognition.days import DAY_MS
from cognition.ranking.events import EventPhrase, EventSide, event_in
from cognition.ranking.pool import CandidateRow, Column, Pool
from cognition.times import Window, as_meant, windows
from replica import MemoryId
from replica.values import dataclass

NAME: Final = "anchored"
# How sure it has to be that a memory tells of the event. On the two lives that were looked at, 0.5 finds the same, and
# 0.7 and more leave out events that were meant.
SURE_MIN: Final = 0.6
# A text that names a longer time than this does not say when it happens; as in `ranking.signals.during`.
_NAMED_DAYS_MAX: Final = 45.0
# What is told so many days beside an event may be of it: people write of a journey when they are home.
BESIDE_DAYS: Final = 3


@dataclass(frozen=True, slots=True)
class Anchor:
    """The event that was taken for what a question names, by the memory that tells of it, and when it happened."""

    event: EventPhrase
    number: int
    """The memory's, among the rows."""
    rid: MemoryId
    text: str
    time: Window

    @property
    def span(self) -> Window | None:
        """The time during which it was, with what is told shortly beside it; None where another side is asked for."""
        if self.event.side is not EventSide.DURING:
            return None
        return Window(self.time.start_ms - BESIDE_DAYS * DAY_MS, self.time.end_ms + BESIDE_DAYS * DAY_MS)

    def takes(self, time: Window) -> bool:
        """Say whether a time lies on the side of the event that is asked for."""
        match self.event.side:
            case EventSide.BEFORE:
                return time.end_ms < self.time.start_ms
            case EventSide.UNTIL:
                return time.start_ms <= self.time.end_ms
            case EventSide.AFTER:
                return time.start_ms > self.time.end_ms
            case EventSide.SINCE:
                return time.end_ms >= self.time.start_ms
            case EventSide.DURING:
                span = self.span
                return span is not None and span.meets(time)


def anchor_among(
    pool: Pool, order: Sequence[int], sureness: Callable[[], Column], event: EventPhrase
) -> Anchor | None:
    """Return the anchor that the best memory for the words of an event is; None where it tells of no event surely.

    `sureness` says how likely each row is to be about these words; it is asked last, since it takes a millisecond. What
    happens again and again is no event, and what itself tells of a time before or after such a one is not the one. In
    talk, what came before and after an event is told beside it, in the same conversation: a turn is no anchor.
    """
    if not order:
        return None
    row = pool.rows[order[0]]
    if row.position is not None or row.repeats is not None or event_in(row.text) is not None:
        return None
    if sureness()[order[0]] < SURE_MIN:
        return None
    return Anchor(event, row.id, MemoryId(row.rid), row.text, time_of(row, pool.zone))


def time_of(row: CandidateRow, zone: tzinfo = UTC) -> Window:
    """Return when it was that a memory tells of: the time that it happens, or names, or else when it was told."""
    told_ms = as_meant(row.time_ms, zone)
    if row.event_start is not None:
        event = Window(row.event_start, max(row.event_start, row.event_end or 0))
        if event.days <= _NAMED_DAYS_MAX:
            return event
    return min(
        _named(row, told_ms, zone),
        key=lambda each: abs((each.start_ms + each.end_ms) / 2 - told_ms),
        default=Window(told_ms, told_ms),
    )


def _named(row: CandidateRow, told_ms: int, zone: tzinfo) -> list[Window]:
    return [each for each in windows(row.text, told_ms, zone) if each.days <= _NAMED_DAYS_MAX]


def preferred(pool: Pool, anchor: Anchor) -> Column:
    """Return 1 for each candidate that was told, or names a time, on the side of the event that is asked for.

    What tells of the event itself says what it was, and not what was before it or after.
    """
    inside = anchor.event.side is EventSide.DURING

    def is_there(row: CandidateRow) -> bool:
        told_ms = as_meant(row.time_ms, pool.zone)
        return anchor.takes(Window(told_ms, told_ms)) or any(
            map(anchor.takes, _named(row, told_ms, pool.zone))
        )

    return pool.column([(inside or row.id != anchor.number) and is_there(row) for row in pool.rows])

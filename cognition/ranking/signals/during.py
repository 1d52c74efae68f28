"""A question that names a time is answered by what was told then, happens then, or held then as far as is known."""

import numpy as np

from cognition.days import DAY_MS
from cognition.ranking.pool import CandidateRow, Column, Pool
from cognition.ranking.signal import Signal
from cognition.reminding.repeating import is_on
from cognition.times import Window, windows

# A time that is this long, in days, says hardly anything; up to a month it says all.
_WHOLE = 31.0
_LONGEST = 400.0
# What is on each week is on in July as in every month, and says less of it than what is on then alone.
_EACH_TIME = 0.5
# A text that names a longer time than this does not say when it happens.
_NAMED_DAYS_MAX = 45.0


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it was told, happens or held at the time that was asked for."""
    asked = [each for each in windows(pool.query.text, pool.now_ms) if each.days <= _LONGEST]
    if not asked and not pool.then:
        return pool.none
    column = pool.column([number in pool.then for number in pool.all_of("id")])
    if pool.then:  # of what held then, what is about something else is not meant
        column *= pool.alike.max(axis=1, initial=0.0)
    for i, row in enumerate(pool.rows if asked else ()):
        named = [each for each in windows(row.text, row.time_ms) if each.days <= _NAMED_DAYS_MAX]
        for window in asked:
            if window.holds(row.time_ms) or any(map(window.meets, named)) or _happens(row, window):
                says = min(1.0, (_WHOLE / max(window.days, 1.0)) ** 0.5)
                column[i] = max(column[i], says * (_EACH_TIME if _happens_each_time(row, window) else 1.0))
    return np.minimum(column, 1.0)


def _happens(row: CandidateRow, asked: Window) -> bool:
    """Say whether what a memory tells of happens at a time, for the first time or again, as far as that is known."""
    if row.event_start is None:
        return False
    lasts_ms = max(0, (row.event_end or row.event_start) - row.event_start)
    if lasts_ms > _NAMED_DAYS_MAX * DAY_MS:
        return False
    return is_on(row.event_start, lasts_ms, row.repeats, asked.start_ms, asked.end_ms)


def _happens_each_time(row: CandidateRow, asked: Window) -> bool:
    """Say whether a memory tells of what happens again and again, and in the stretch before this one as well."""
    length_ms = asked.end_ms - asked.start_ms
    before = Window(asked.start_ms - length_ms, asked.start_ms)
    return row.repeats is not None and _happens(row, before)


SIGNAL = Signal(
    "during",
    "was told, happens or held at the time that was asked for",
    of,
    weight=3.84,
)

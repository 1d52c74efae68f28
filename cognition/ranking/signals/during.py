"""A question that names a time is answered by what was told then, happens then, or held then as far as is known."""

import numpy as np

from cognition.days import DAY_MS
from cognition.ranking.pool import CandidateRow, Column, Pool
from cognition.ranking.signal import Signal
from cognition.reminding.repeating import is_on, turn_ms
from cognition.times import Window, as_meant, in_days_of_utc, windows

# A time that is this long, in days, says hardly anything; up to a month it says all.
_WHOLE = 31.0
_LONGEST = 400.0
# What is on each week is on in July as in every month, and says half as much of it as what is on then alone; of a day
# it says nearly as much. Of reminders by strangers, asked for by their day, single ones come first for 251 of 432 and
# repeating ones for 86 of 134, instead of 247 and 83 with a half for what is on the day before as well; in the half
# that was left out 267 of 440 and 94 of 141, instead of 259 and 84.
_EACH_TIME = 0.5
# A text that names a longer time than this does not say when it happens.
_NAMED_DAYS_MAX = 45.0


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it was told, happens or held at the time that was asked for.

    Confidence asks for it, too, and each text is looked through for times.
    """
    return pool.once(_then)


def _then(pool: Pool) -> Column:
    zone = pool.zone
    asked = [each for each in windows(pool.query.text, pool.now_ms, zone) if each.days <= _LONGEST]
    if not asked and not pool.then:
        return pool.none
    column = pool.column([number in pool.then for number in pool.all_of("id")])
    if pool.then:  # of what held then, what is about something else is not meant
        column *= pool.alike.max(axis=1, initial=0.0)
    by_utc = [in_days_of_utc(window, zone) for window in asked]
    for i, row in enumerate(pool.rows if asked else ()):
        told_ms = as_meant(row.time_ms, zone)
        named = [each for each in windows(row.text, told_ms, zone) if each.days <= _NAMED_DAYS_MAX]
        for window, happening in zip(asked, by_utc if _is_of_days(row) else asked, strict=True):
            says = min(1.0, (_WHOLE / max(window.days, 1.0)) ** 0.5)
            if window.holds(told_ms) or any(map(window.meets, named)):
                column[i] = max(column[i], says)
            elif _happens(row, happening):
                column[i] = max(column[i], says * (1.0 - _EACH_TIME * _share_of_times(row, happening)))
    return np.minimum(column, 1.0)


def _is_of_days(row: CandidateRow) -> bool:
    """Say whether what a memory tells of lasts whole days, by UTC as what was imported has them."""
    if row.event_start is None or row.event_end is None or row.event_start % DAY_MS:
        return False
    return row.event_end > row.event_start and row.event_end % DAY_MS in {0, DAY_MS - 1}


def _happens(row: CandidateRow, asked: Window) -> bool:
    """Say whether what a memory tells of happens at a time, for the first time or again, as far as that is known."""
    if row.event_start is None:
        return False
    lasts_ms = max(0, (row.event_end or row.event_start) - row.event_start)
    if lasts_ms > _NAMED_DAYS_MAX * DAY_MS:
        return False
    return is_on(row.event_start, lasts_ms, row.repeats, asked.start_ms, asked.end_ms)


def _share_of_times(row: CandidateRow, asked: Window) -> float:
    """Return in which share of such stretches of time what is on in this one happens, if it began before it."""
    if row.event_start is None or row.event_start >= asked.start_ms:
        return 0.0
    turn = turn_ms(row.event_start, row.repeats, asked.end_ms)
    return 0.0 if turn is None else min(1.0, asked.days * DAY_MS / turn)


SIGNAL = Signal(
    "during",
    "was told, happens or held at the time that was asked for",
    of,
    weight=3.84,
)

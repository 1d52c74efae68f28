"""Say how long a day is, in the unit of all our times, and when something happens, as a person writes it.

What loads next to nothing asks for no more than this.
"""

from contextlib import suppress
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Final

DAY_MS: Final = 86_400_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


def happening(start_ms: int, end_ms: int | None, zone: tzinfo | None = UTC) -> str:
    """Return when something happens: "2026-07-14 to 2026-07-28", or "2026-03-10 18:00 to 20:00 UTC".

    Times are in ms since 1970, and the end may be unknown. Whole days are days of UTC, as what was imported has them,
    or of this machine, as what was told here; all else is told in `zone`, this machine's where that is None. What no
    calendar has gives an empty text.
    """
    last_ms = start_ms if end_ms is None else max(start_ms, end_ms)
    try:
        if last_ms > start_ms and (days := _days(start_ms, last_ms, UTC) or _days(start_ms, last_ms, None)):
            return " to ".join(dict.fromkeys(days))
        begins, ends = (_at(ms, zone) for ms in (start_ms, last_ms))
    except (OverflowError, OSError, ValueError):
        return ""
    told = f"{begins:%Y-%m-%d %H:%M}"
    if f"{ends:%Y-%m-%d %H:%M}" != told:
        told += f" to {ends:%H:%M}" if ends.date() == begins.date() else f" to {ends:%Y-%m-%d %H:%M}"
    return f"{told} UTC" if zone is UTC else told


def day_of(moment_ms: int) -> str | None:
    """Return the day of which a time in ms since 1970 is the first moment, by UTC or by this machine's clock.

    None where it is the first moment of no day, or beyond what a calendar has.
    """
    with suppress(OverflowError, OSError, ValueError):
        for zone in (UTC, None):
            if (begins := _at(moment_ms, zone)).time() == time():
                return f"{begins:%Y-%m-%d}"
    return None


def shown_at(moment_ms: int, zone: tzinfo) -> int:
    """Return what the clock of a zone shows at a time, as the time at which that of UTC shows it; ms since 1970.

    `OverflowError` beyond the years of a calendar.
    """
    return (_at(moment_ms, zone).replace(tzinfo=UTC) - _EPOCH) // _MS


def moment_shown(shown_ms: int, zone: tzinfo) -> int:
    """Return when the clock of a zone shows what that of UTC shows at a time, both in ms since 1970.

    The first time where it shows that twice; what it leaves out counts by the clock as it was before. `OverflowError`
    beyond the years of a calendar.
    """
    return ((_EPOCH + timedelta(milliseconds=shown_ms)).replace(tzinfo=zone) - _EPOCH) // _MS


def _days(start_ms: int, last_ms: int, zone: tzinfo | None) -> list[str]:
    """Return the first and the last day of a stretch of whole ones by a clock; none where it is no such stretch."""
    end_ms = last_ms + (last_ms % 1_000 == 999)
    if any(_at(ms, zone).time() != time() for ms in (start_ms, end_ms)):
        return []
    return [f"{_at(ms, zone):%Y-%m-%d}" for ms in (start_ms, last_ms - 1)]


def _at(moment_ms: int, zone: tzinfo | None) -> datetime:
    return (_EPOCH + timedelta(milliseconds=moment_ms)).astimezone(zone)

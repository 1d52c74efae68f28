"""Say how long a day is, in the unit of all our times, and when something happens, as a person writes it.

What loads next to nothing asks for no more than this.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

DAY_MS: Final = 86_400_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def happening(start_ms: int, end_ms: int | None, zone: tzinfo | None = UTC) -> str:
    """Return when something happens: "2026-07-14 to 2026-07-28", or "2026-03-10 18:00 to 20:00 UTC".

    Times are in ms since 1970, and the end may be unknown. Whole days are days of UTC, as they are stored; all else is
    told in `zone`, this machine's where that is None. What no calendar has gives an empty text.
    """
    last_ms = start_ms if end_ms is None else max(start_ms, end_ms)
    try:
        if start_ms % DAY_MS == 0 and last_ms > start_ms and last_ms % DAY_MS in (0, DAY_MS - 1):
            first, last = (_EPOCH + timedelta(milliseconds=ms) for ms in (start_ms, last_ms - 1))
            days = [f"{day:%Y-%m-%d}" for day in (first, last)]
            return " to ".join(dict.fromkeys(days))
        begins, ends = ((_EPOCH + timedelta(milliseconds=ms)).astimezone(zone) for ms in (start_ms, last_ms))
    except (OverflowError, OSError, ValueError):
        return ""
    told = f"{begins:%Y-%m-%d %H:%M}"
    if f"{ends:%Y-%m-%d %H:%M}" != told:
        told += f" to {ends:%H:%M}" if ends.date() == begins.date() else f" to {ends:%Y-%m-%d %H:%M}"
    return f"{told} UTC" if zone is UTC else told

"""Read times as people type them, and show stamps as times.

A time without a zone is this machine's; a date alone is the whole day, so that `--until 2023-05-08` holds
that day.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from samemind.errors import Usage

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SPAN: Final = re.compile(r"([0-9]{1,6})\s*([mhd])")
_SPAN_MS: Final = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_OR_WORDS: Final = "a time such as 2023-05-08T13:56, words such as 'last March', or '2h ago'"
# "90m", "2h ago", "1 hour ago": so long before now, to the moment; longer words are read as days.
_AGO: Final = re.compile(
    r"([0-9]{1,6})\s*(?:(m|h|d)(?:\s+ago)?|(min|minute|hour)s?\s+ago)", re.ASCII | re.IGNORECASE
)
_HOUR: Final = re.compile(r"\d[:.h]\d\d|\b(?:at|um|à|om|kl|las|alle|às)\s+\d{1,2}\b", re.IGNORECASE)
_DATE_ONLY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}")


def read_time(text: str, *, name: str) -> int:
    """Return a time in ms since 1970; a date alone is its first moment."""
    return _milliseconds(_moment(text, name), text, name)


def is_in_words(text: str) -> bool:
    """Say whether a time is told otherwise than in digits, so that what is read of it is worth saying."""
    try:
        read_time(text, name="time")
    except Usage:
        return True
    return False


def read_since(text: str, *, name: str, now_ms: int) -> int:
    """Return since when something holds, in ms since 1970.

    It is a time, "2h" (that long ago), or words for one that is over, such as "last March". Words of ten languages
    are read as a question's are; of a stretch its first moment counts, of several the latest.
    """
    if (ago_ms := _ago(text, now_ms)) is not None:
        return ago_ms
    try:
        return read_time(text, name=name)
    except Usage:
        begun = [start_ms for start_ms, _ in _stretches(text, now_ms) if start_ms <= now_ms]
        if not begun:
            raise _bad(_OR_WORDS, text, name) from None
        return max(begun)


def read_when(text: str, *, name: str, now_ms: int) -> int:
    """Return when something was or is to be, in ms since 1970: a time, "2h ago", or words such as "tomorrow at 9".

    Words that name an hour to come are read as those of a reminder are; others as a stretch, of which the first moment
    counts: the latest that has begun, else the first to come.
    """
    if (ago_ms := _ago(text, now_ms)) is not None:
        return ago_ms
    try:
        return read_time(text, name=name)
    except Usage:
        from cognition.reminding.due_fields import zoned_moment  # it takes a while to load

        stretches = _stretches(text, now_ms)
        begun = [start_ms for start_ms, _ in stretches if start_ms <= now_ms]
        told = datetime.fromtimestamp(now_ms / 1_000, UTC).astimezone().replace(tzinfo=None)
        if (moment := zoned_moment(text, told)) is not None:
            moment_ms = round(moment.timestamp() * 1_000)
            if not begun or any(
                start_ms <= min(now_ms, moment_ms) and moment_ms < end_ms for start_ms, end_ms in stretches
            ):
                return moment_ms
        # A stretch that is over has no hours: none is left out unsaid.
        if not stretches or _HOUR.search(text):
            raise _bad(f"{_OR_WORDS}, or 'tomorrow at 9'", text, name) from None
        return max(begun) if begun else min(start_ms for start_ms, _ in stretches)


def read_before(text: str, *, name: str, now_ms: int) -> int:
    """Return the first ms behind a stretch up to a time; of words such as "last March", behind all that they mean."""
    if (ago_ms := _ago(text, now_ms)) is not None:
        return ago_ms
    try:
        return read_until(text, name=name)
    except Usage:
        over = [end_ms for start_ms, end_ms in _stretches(text, now_ms) if start_ms <= now_ms]
        if not over:
            raise _bad(_OR_WORDS, text, name) from None
        return max(over)


def read_end_of(text: str, *, name: str, now_ms: int) -> int:
    """Return the first ms after a time that is over; of words such as "last March", behind all that they mean.

    Of a stretch that is not over ("this month") what has been of it counts.
    """
    if (ago_ms := _ago(text, now_ms)) is not None:
        return ago_ms + 1
    try:
        return read_end(text, name=name)
    except Usage:
        return min(read_before(text, name=name, now_ms=now_ms), now_ms + 1)


def read_later(text: str, *, name: str, now_ms: int) -> int:
    """Return a time to come, in ms since 1970: a time, a stretch from now on (30m, 2h, 1d), or words for one.

    Words are those of ten languages by which people ask to be reminded: "tomorrow at 9", "in zwei Stunden".
    """
    span = _SPAN.fullmatch(text.strip())
    if span is not None:
        later_ms = now_ms + int(span[1]) * _SPAN_MS[span[2]]
    else:
        try:
            later_ms = read_time(text, name=name)
        except Usage:
            from cognition.reminding.due_fields import zoned_moment  # it takes a while to load

            told = datetime.fromtimestamp(now_ms / 1_000, UTC).astimezone().replace(tzinfo=None)
            moment = zoned_moment(text, told)
            if moment is None:
                raise _bad(
                    "a time to come such as 30m, 2h, 2030-05-08T13:56 or 'tomorrow at 9'", text, name
                ) from None
            later_ms = round(moment.timestamp() * 1_000)
    if later_ms <= now_ms or at_ms(later_ms) is None:
        raise _bad("a time that is still to come", text, name)
    return later_ms


def read_end(text: str, *, name: str) -> int:
    """Return the first ms after a time; after a date alone, that of the next day."""
    moment = _moment(text, name)
    if _DATE_ONLY.fullmatch(text.strip()):
        # The next day itself need not be one that can be written: none comes after 9999-12-31.
        moment = moment.replace(hour=23, minute=59, second=59, microsecond=999_000)
    return _milliseconds(moment, text, name) + 1


def read_until(text: str, *, name: str) -> int:
    """Return the first ms behind a stretch up to a time: the time itself, or after a date alone the next day."""
    return read_end(text, name=name) if _DATE_ONLY.fullmatch(text.strip()) else read_time(text, name=name)


def read_span(text: str, *, name: str, least_ms: int, most_ms: int) -> int:
    """Return a stretch of time, as 90m, 24h or 1d, in ms."""
    found = _SPAN.fullmatch(text.strip())
    span_ms = int(found[1]) * _SPAN_MS[found[2]] if found else 0
    if not least_ms <= span_ms <= most_ms:
        least, most = (f"{each // 60_000}m" for each in (least_ms, most_ms))
        raise _bad(f"a time from {least} to {most}, such as 90m or 24h", text, name)
    return span_ms


def at_ms(milliseconds: int) -> datetime | None:
    """Return a time from ms since 1970; None beyond the years that can be written (1 to 9999)."""
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def at_stamp(hlc: int) -> datetime:
    """Return the physical part of a stamp as a time.

    The last moment that can be written where it lies beyond.
    """
    return at_ms(hlc >> 16) or datetime.max.replace(tzinfo=UTC)


def _stretches(text: str, now_ms: int) -> list[tuple[int, int]]:
    """Return the stretches that words name by this machine's clock: the first ms of each, and the first behind."""
    from cognition.own_zone import own_zone
    from cognition.times import windows  # most times are told in digits, and this takes a while to load

    return [(each.start_ms, each.end_ms + 1) for each in windows(text, now_ms, own_zone())]


def _ago(text: str, now_ms: int) -> int | None:
    """Return the moment so many minutes, hours or days before now; None where the text says something else."""
    found = _AGO.fullmatch(text.strip())
    if found is None:
        return None
    unit = (found[2] or found[3]).lower()[0]
    return max(0, now_ms - int(found[1]) * _SPAN_MS[unit])


def _moment(text: str, name: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise _bad("a time such as 2023-05-08T13:56", text, name) from None


def _milliseconds(moment: datetime, text: str, name: str) -> int:
    try:
        # Down to the ms in which it lies: rounded up, the moment would come after what happened right behind it.
        return round(moment.replace(microsecond=0).timestamp()) * 1_000 + moment.microsecond // 1_000
    except (OverflowError, OSError, ValueError):
        raise _bad("a time that this machine can count to", text, name) from None


def _bad(expected: str, text: str, name: str) -> Usage:
    return Usage(f"{name}: expected {expected}, got {text!r:.60}", code="invalid")

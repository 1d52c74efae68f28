"""Say when something that repeats is due: a pure function of when it first was and of its rule.

Days are counted by the clock of UTC, so that devices in other zones agree on each time. Where clocks are set forward
and back, what repeats at nine is due an hour beside that from then on.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from cognition.days import DAY_MS
from replica import Memory

REPEATS: Final = "repeats"
"""The entry of a memory's metadata that holds the rule."""
_DAYS: Final = {"DAILY": 1, "WEEKLY": 7}
_MONTHS: Final = {"MONTHLY": 1, "YEARLY": 12}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def rule_of(memory: Memory) -> object:
    """Return the rule by which a memory's reminder repeats; None where it does not."""
    meta = memory.fields.get("meta")
    return meta.get(REPEATS) if isinstance(meta, dict) else None


def latest(first_ms: int, rule: object, now_ms: int) -> int:
    """Return the last time by now at which something was due; the first, where it does not repeat or is yet to come."""
    step = _frequency(rule)
    if step is None or now_ms < first_ms:
        return first_ms
    if step in _DAYS:
        period = _DAYS[step] * DAY_MS
        return first_ms + (now_ms - first_ms) // period * period
    count = 0
    while (following := _months_on(first_ms, (count + 1) * _MONTHS[step])) <= now_ms:
        count += 1
        if following <= first_ms:  # beyond what a calendar has
            break
    return _months_on(first_ms, count * _MONTHS[step])


def following(first_ms: int, rule: object, after_ms: int) -> int | None:
    """Return the next time behind another at which something is due; None where it does not repeat."""
    step = _frequency(rule)
    if step is None:
        return None
    if after_ms < first_ms:
        return first_ms
    if step in _DAYS:
        return latest(first_ms, rule, after_ms) + _DAYS[step] * DAY_MS
    count = 1
    while _months_on(first_ms, count * _MONTHS[step]) <= after_ms:
        count += 1
    return _months_on(first_ms, count * _MONTHS[step])


def _frequency(rule: object) -> str | None:
    if not isinstance(rule, str) or not rule.startswith("FREQ="):
        return None
    step = rule.removeprefix("FREQ=").partition(";")[0]
    return step if step in _DAYS or step in _MONTHS else None


def _months_on(first_ms: int, months: int) -> int:
    """Return the same day so many months on, or the last of a shorter month."""
    first = _EPOCH + timedelta(milliseconds=first_ms)
    month = first.year * 12 + first.month - 1 + months
    for back in range(4):
        try:
            found = first.replace(year=month // 12, month=month % 12 + 1, day=first.day - back)
        except ValueError:
            continue
        return (found - _EPOCH) // timedelta(milliseconds=1)
    return first_ms

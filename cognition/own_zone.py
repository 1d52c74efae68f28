"""This machine's clock as a zone, by which who tells and who asks here mean a day.

It is asked anew each time, so that a machine may be taken to another zone while a store is open.
"""

import time
from datetime import UTC, datetime, timedelta, tzinfo


class _OwnZone(tzinfo):
    """The clock of this machine, in summer and in winter: a day in May has the offset of May, whenever it is told."""

    def __init__(self) -> None:
        self._said = (time.timezone, time.altzone, time.tzname)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OwnZone) and self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)

    def utcoffset(self, moment: datetime | None) -> timedelta:
        return _ahead(datetime.now(UTC) if moment is None else moment.replace(tzinfo=None))

    def dst(self, moment: datetime | None) -> None:
        """Leave unsaid how much of it is for the summer: nobody asks."""

    def tzname(self, moment: datetime | None) -> str:
        return self._said[2][0]

    def fromutc(self, moment: datetime) -> datetime:
        return moment + _ahead(moment.replace(tzinfo=UTC))


def _ahead(moment: datetime) -> timedelta:
    """Return how far this machine's clock is ahead of UTC at a time; of one without a zone, as that clock shows it."""
    try:
        ahead = moment.astimezone().utcoffset()
    except (OSError, OverflowError, ValueError):  # before 1970 on Windows, or at the ends of all years
        ahead = datetime.now(UTC).astimezone().utcoffset()
    return ahead or timedelta()


def own_zone() -> tzinfo:
    """Return the zone of this machine: days are those of who tells, and of who asks."""
    return _OwnZone()

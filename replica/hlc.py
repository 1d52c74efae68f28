"""Stamp ops so that what was known comes before what was learnt from it, whatever the clocks say.

A hybrid logical clock (Kulkarni et al., 2014) in one integer: 48 bits of milliseconds since 1970, then a
16-bit counter. Adding one to a full counter carries into the milliseconds, so a burst of more than 65,536 ops
in one millisecond borrows from the next instead of repeating a stamp.

Nothing here reads a clock: physical time is an argument. A remote stamp further ahead than `AHEAD_MS_MAX` is
not absorbed, or one device with a wrong year would drag every other device into it; the op itself is still
taken, since a check against the local clock may delay an op but never discard it.
"""

from collections.abc import Iterable
from typing import Final, NewType

from replica.errors import ClockDrift

Hlc = NewType("Hlc", int)

COUNTER_BITS: Final = 16
# A day covers every time zone mistake and every battery that ran flat overnight.
AHEAD_MS_MAX: Final = 24 * 3_600_000
# One hour more than what may be absorbed: only then does my own clock run ahead of what any peer could
# explain.
OWN_AHEAD_MS_MAX: Final = 25 * 3_600_000
# Stamps are stored as signed 64-bit integers: this is the year 6429.
HLC_MAX: Final = 2**63 - 1
_YEAR_MS: Final = 31_556_952_000


def tick(last: Hlc, now_ms: int) -> Hlc:
    """Return the stamp of the next op: after `last`, and not before the wall clock."""
    return Hlc(max(now_ms << COUNTER_BITS, last + 1))


def absorb(last: Hlc, remote: int, now_ms: int) -> Hlc:
    """Return the clock after seeing a remote stamp; a stamp too far ahead changes nothing."""
    return absorb_all(last, [remote], now_ms)


def absorb_all(last: Hlc, remote: Iterable[int], now_ms: int) -> Hlc:
    """Return the clock after seeing some remote stamps, each on its own."""
    limit = (now_ms + AHEAD_MS_MAX) << COUNTER_BITS
    return Hlc(max([last, *[stamp for stamp in remote if stamp <= limit]]))


def runs_ahead(last: Hlc, now_ms: int) -> bool:
    """Say whether my stamps are so far ahead of a corrected clock that a new incarnation must begin."""
    return last > latest_plausible(now_ms)


def latest_plausible(now_ms: int) -> Hlc:
    """Return the latest stamp that can be right; a later one is of a clock that was days or years ahead."""
    return Hlc(min(HLC_MAX, (now_ms + OWN_AHEAD_MS_MAX) << COUNTER_BITS))


def drift(now_ms: int) -> ClockDrift:
    """Return what to say of a clock that no stamp has room for."""
    return ClockDrift(
        f"expected a clock between the years 1970 and 6429, it shows the year {year_of(now_ms)}: set the clock"
    )


def year_of(ms: int) -> int:
    """Return in which year a moment is, also one that no calendar reaches; for messages: right but for a day."""
    return 1970 + ms // _YEAR_MS


def milliseconds(hlc: int) -> int:
    """Return the physical part of a stamp: milliseconds since 1970."""
    return hlc >> COUNTER_BITS


def at_end_of(ms: int) -> Hlc:
    """Return the last stamp of a millisecond, so that `hlc <= at_end_of(t)` means "by time t"."""
    return Hlc((ms << COUNTER_BITS) | ((1 << COUNTER_BITS) - 1))

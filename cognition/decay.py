"""How memories fade. Three published curves, as named profiles; a memory's own half-life overrides any of them.

Nothing fades to nothing, and no ranking removes a memory: what was faint is found by asking for it exactly.
Time runs from the last thing that happened to a memory, and what that is differs: memlocal counts from the
last change, yantrik from the last recall or else the beginning, memori from the last recall only, so that
what was never recalled is not punished for its age.
"""

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from cognition.scoring import DAY_MS

# memlocal: the share lost a day, at the start.
RATES: Final[Mapping[str, float]] = {
    "episodic": 0.005,
    "factual": 0.002,
    "semantic": 0.002,
    "procedural": 0.002,
    "social": 0.003,
    "spatial": 0.005,
    "prospective": 0.020,
    "affective": 0.005,
}
# yantrik: days in which strength halves. It knows three types; the others are taken as their nearest.
HALF_LIVES: Final[Mapping[str, float]] = {
    "episodic": 30.0,
    "semantic": 180.0,
    "procedural": 365.0,
    "factual": 180.0,
    "social": 180.0,
    "spatial": 180.0,
    "prospective": 30.0,
    "affective": 30.0,
}
# A memory that nobody typed is something that happened; so is one of a type that only a later version knows.
TYPE_DEFAULT: Final = "episodic"
# What every candidate of a recall asks for.
_HALF_LIVES_S: Final = {name: days * DAY_MS / 1_000 for name, days in HALF_LIVES.items()}
# memori: the share lost a day since the last recall, whatever the type.
MEMORI_RATE: Final = 0.01


class Life(NamedTuple):
    """What decay depends on. Times are ms since 1970; `last_access` is None where nobody recalled it yet."""

    type: str | None
    created_ms: int
    updated_ms: int
    last_access_ms: int | None = None
    half_life_s: float | None = None


Profile = Callable[[Life, int], float]


def memlocal(life: Life, now_ms: int) -> float:
    """Return e^(-rate x days since the last change)."""
    days = _days(now_ms - life.updated_ms)
    if life.half_life_s is not None:
        return _halved(days, life.half_life_s)
    return math.exp(-RATES[known_type(life.type)] * days)


def yantrik(life: Life, now_ms: int) -> float:
    """Return 2^(-days since the last recall, or since it was made / half-life)."""
    _, created_ms, _, last_access_ms, half_life_s = life
    began_ms = created_ms if last_access_ms is None else max(created_ms, last_access_ms)
    return _halved(_days(now_ms - began_ms), half_life_s or _HALF_LIVES_S[known_type(life.type)])


def memori(life: Life, now_ms: int) -> float:
    """Return e^(-0.01 x days since the last recall); 1 for what was never recalled."""
    if life.last_access_ms is None:
        return 1.0
    days = _days(now_ms - life.last_access_ms)
    return math.exp(-MEMORI_RATE * days) if life.half_life_s is None else _halved(days, life.half_life_s)


PROFILES: Final[Mapping[str, Profile]] = {"memlocal": memlocal, "yantrik": yantrik, "memori": memori}
PROFILE_DEFAULT: Final = "yantrik"


def known_type(name: str | None) -> str:
    """Return the type that a memory fades as."""
    return TYPE_DEFAULT if name is None or name not in HALF_LIVES else name


def _days(elapsed_ms: int) -> float:
    return max(0, elapsed_ms) / DAY_MS


def _halved(days: float, half_life_s: float) -> float:
    return float(2 ** (-days * DAY_MS / 1_000 / half_life_s))

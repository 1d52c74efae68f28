"""How memories fade. Three published curves, as named profiles; a memory's own half-life overrides any of them.

Nothing fades to nothing, and no ranking removes a memory: what was faint is found by asking for it exactly.
Time runs from the last thing that happened to a memory, and what that is differs: memlocal counts from the
last change, yantrik from the last recall or else the telling, memori from the last recall only, so that
what was never recalled is not punished for its age.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from cognition.days import DAY_MS
from replica.values import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

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
    """What decay depends on. Times are ms since 1970; `told_ms` is when it was told, and not when it was brought in;
    `last_access_ms` is NaN where nobody recalled it yet."""

    type: str | None
    told_ms: float
    updated_ms: float
    last_access_ms: float = math.nan
    half_life_s: float | None = None


class Lives(NamedTuple):
    """The same of many memories, a column each; `half_life_s` is NaN where it is that of the type."""

    type: Sequence[str | None]
    told_ms: "Column"
    updated_ms: "Column"
    last_access_ms: "Column"
    half_life_s: "Column"


@dataclass(frozen=True, slots=True)
class DecayProfile:
    """A curve of forgetting: from a moment on strength halves in so many seconds, by type."""

    moments: tuple[str, ...]
    """Fields of a `Life`: time runs from the latest of them. Where none of them was yet, nothing fades."""
    half_lives_s: Mapping[str, float]

    def __call__(self, life: Life, now_ms: int) -> float:
        """Return what is left of a memory's strength, 0 to 1: 2^(-time / half-life)."""
        half_life_s = life.half_life_s or self.half_lives_s[known_type(life.type)]
        passed_ms = math.inf
        for name in self.moments:
            at_ms: float = getattr(life, name)
            if now_ms - at_ms < passed_ms:  # never where it is NaN
                passed_ms = now_ms - at_ms
        if passed_ms <= 0 or passed_ms == math.inf:
            return 1.0
        return math.exp2(-passed_ms / 1_000 / half_life_s)

    def column(self, lives: Lives, now_ms: int) -> "Column":
        """Return what is left of the strength of many."""
        import numpy as np  # here: whoever shows memories one by one does not wait for it

        each = {name: self.half_lives_s[known_type(name)] for name in set(lives.type)}
        of_type: float | Column = next(iter(each.values()), 1.0)
        if len(each) > 1:
            of_type = np.array([each[name] for name in lives.type], np.float64)
        half_life_s = np.where(lives.half_life_s > 0, lives.half_life_s, of_type)
        since_ms = np.fmax.reduce([getattr(lives, name) for name in self.moments])
        left: Column = np.exp2(-np.fmax(0.0, now_ms - since_ms) / 1_000 / half_life_s)
        return left


def _halves_in_s(rate: float) -> float:
    """Return in how long half is lost of which a share is lost a day: e^(-rate x days) is one half then."""
    return math.log(2) / rate * DAY_MS / 1_000


# e^(-rate x days since the last change).
memlocal: Final = DecayProfile(("updated_ms",), {name: _halves_in_s(rate) for name, rate in RATES.items()})
# 2^(-days since the last recall, or since it was told / half-life).
yantrik: Final = DecayProfile(("told_ms", "last_access_ms"), _HALF_LIVES_S)
# e^(-0.01 x days since the last recall); 1 for what was never recalled.
memori: Final = DecayProfile(("last_access_ms",), dict.fromkeys(HALF_LIVES, _halves_in_s(MEMORI_RATE)))

PROFILES: Final[Mapping[str, DecayProfile]] = {"memlocal": memlocal, "yantrik": yantrik, "memori": memori}
PROFILE_DEFAULT: Final = "yantrik"


def known_type(name: str | None) -> str:
    """Return the type that a memory fades as."""
    return TYPE_DEFAULT if name is None or name not in HALF_LIVES else name

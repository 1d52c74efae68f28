"""Say what a candidate is worth beside what it says: whether it matters, has not faded, is new, and feels as asked.

This is the composite score of YantrikDB's paper, taken apart: a weighted sum of similarity, strength and recency (and
of the graph, where it was followed), raised by importance as far as the memory is relevant at all, times a factor for
its mood. Its parts stand in the table of signals as they stand in that score, so that each has a name, can be switched
off, and shows in an explanation. Together with the similarity, which other signals say better, they add up to it.

Importance is what somebody set. Where nobody did, it is the salience that follows from what became of a memory: how
sure its source was, how often it was told again and recalled, and how much of it has not faded.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cognition.decay import Lives
from cognition.ranking import scoring

if TYPE_CHECKING:
    from cognition.ranking.pool import Column, Pool


class Worth(NamedTuple):
    """The parts, a column each, and the whole score."""

    strength: "Column"
    recency: "Column"
    importance: "Column"
    mood: "Column"
    composite: "Column"


def worth_of(pool: "Pool") -> Worth:
    """Return what the candidates of a pool are worth."""
    now_ms = pool.now_ms
    decay = pool.profile.column(_lives(pool), now_ms)
    derived = scoring.salience(
        confidence=pool.numbers("certainty", 1.0),
        reinforcements=_told_again(pool.all_of("mentions")),
        accesses=pool.numbers("accesses"),
        decay=decay,
    )
    told = pool.numbers("importance", np.nan)
    importance = np.where(np.isnan(told), derived, told)
    signals = {
        "similarity": pool.meaning,
        "decay": importance * decay,
        "recency": scoring.recency(now_ms - pool.numbers("time_ms")),
    }
    weights = scoring.BASE_WEIGHTS
    if pool.connected:
        signals["graph"] = np.array([number in pool.connected for number in pool.all_of("id")], np.float64)
        weights = scoring.GRAPH_WEIGHTS
    base = scoring.base(signals, weights)
    raised = scoring.amplified(base, similarity=pool.meaning, importance=importance)
    valence, felt = pool.numbers("valence"), raised
    if valence.any():  # few memories say how they feel
        felt = raised * scoring.valence_boost(valence, _alignment(valence, pool.query.mood))
    return Worth(signals["decay"], signals["recency"], raised - base, felt - raised, felt)


def _alignment(valence: "Column", mood: int) -> "Column":
    """Return 1 where moods agree and -1 where they oppose; a neutral question agrees with both (YD-21)."""
    agrees: Column = np.where(valence * mood < 0, -1.0, 1.0)
    return agrees


def _told_again(mentions: Sequence[object]) -> "Column":
    """Return how often each was told again: 0 where whoever labelled it meant something else by mentions."""
    column: Column = np.zeros(len(mentions))
    if mentions.count(None) < len(mentions):  # few stores tell anything twice
        column[:] = [count - 1 if type(count) is int and count > 0 else 0 for count in mentions]
    return column


def _lives(pool: "Pool") -> Lives:
    """Return what strength depends on; a recall that a wrong clock stamped ahead of now does not count."""
    recalled_ms = pool.numbers("last_access")
    return Lives(
        pool.all_of("type"),
        pool.numbers("time_ms"),
        pool.numbers("updated_ms"),
        np.where((recalled_ms > 0) & (recalled_ms <= pool.now_ms), recalled_ms, np.nan),
        pool.numbers("half_life_s", np.nan),
    )

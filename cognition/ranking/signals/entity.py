"""PM-06, PM-24: the share of the people and things named that the text, its speaker and its labels do not name."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.ranking.stem import stem

# What is missing where somebody is called otherwise.
CALLED_OTHERWISE = 0.5


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it does not name whom or what was named."""
    if not pool.query.proper_nouns:
        return pool.none
    missing = []
    for name in pool.query.proper_nouns:
        lacks = pool.column(~(pool.said.with_stem(name) | pool.spoken_by({stem(name)})))
        if others := pool.query.called.get(name, frozenset()):
            # Elizabeth for Liz, who may be somebody else.
            otherwise = (pool.called[name] > 0) | pool.spoken_by(frozenset(map(stem, others)))
            lacks[otherwise] = np.minimum(lacks[otherwise], CALLED_OTHERWISE)
        missing.append(lacks)
    return pool.of_facts(np.mean(missing, axis=0))


SIGNAL = Signal(
    "entity",
    "does not name whom or what was named",
    of,
    weight=-0.83,
    published=-1.5,
    rule="PM-06",
)

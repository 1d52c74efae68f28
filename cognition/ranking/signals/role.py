"""Who did it to whom is told the other way round."""

import numpy as np

from cognition.ranking import roles
from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.words import words


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it tells it the other way round: who did it is whom it was done to."""
    names = pool.query.proper_nouns | {words(name)[0] for name in pool.names}
    asked = roles.asked(pool.query.text, names)
    if asked is None:
        return pool.none
    called = {asked.name} | pool.query.called.get(asked.name, frozenset())
    contradicts = pool.blank()
    for i in np.flatnonzero(pool.said.with_stem(asked.verb)).tolist():
        row = pool.rows[i]
        speaks = not called.isdisjoint(words(row.speaker)) if row.speaker else None
        contradicts[i] = roles.contradicts(asked, row.text, called, speaks)
    # In talk, what somebody did is often told by whoever was there.
    return contradicts if asked.of_people else pool.of_facts(contradicts)


SIGNAL = Signal(
    "role",
    "tells it the other way round: who did it is whom it was done to",
    of,
    weight=-5.0,
    prior=True,
    published=-5.0,
)

"""Who asks for a name is answered by what holds one that the question does not."""

from cognition.ranking.phrasing import asks_who, phrasing
from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.ranking.stem import stem
from cognition.words import words


def of(pool: Pool) -> Column:
    """Return, for each candidate, whether it names somebody, as was asked."""
    column = pool.blank()
    if asks_who(pool.query.folded):
        said = {stem(word) for word in words(pool.query.text)}
        for i in pool.leading:
            column[i] = bool(phrasing(pool.rows[i].text).names - said)
    return pool.of_facts(column)


SIGNAL = Signal(
    "somebody",
    "names somebody, as was asked",
    of,
    weight=0.0,
)

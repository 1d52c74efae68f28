"""PM-12: a policy is asked for, and this decides rather than mentions."""

import re

from cognition.ranking.pool import Column, Pool
from cognition.ranking.query import ASKS_POLICY
from cognition.ranking.signal import Signal

_DECISION = re.compile(
    r"\b(policy|decided|decision|agreed|always|never|must|should|we (use|chose|require|prefer)|rule|convention)\b"
)


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it decides, as a policy does."""
    if ASKS_POLICY.search(pool.query.folded) is None:
        return pool.none
    return pool.column([_DECISION.search(row.text.casefold()) is not None for row in pool.rows])


SIGNAL = Signal(
    "policy",
    "decides, as a policy does",
    of,
    weight=0.0,
    published=1.0,
    rule="PM-12",
)

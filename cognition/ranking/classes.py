"""Say which kind of question this is: how many candidates it deserves, and how much of a prompt its answer.

Cues overlap ("when … before …"), so the classes are asked in an order: temporal, multi-hop, open-ended; a question
without a cue is a simple one.
"""

import re
from typing import Final, NamedTuple


class QueryClass(NamedTuple):
    """One class: its name, its cues, how many candidates are brought, and how many memories a context holds."""

    name: str
    cues: re.Pattern[str]
    pool: int
    context: int


def _any(*cues: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(cues)})\b")


TEMPORAL: Final = QueryClass("Temporal", _any("before", "after", "during", "dates?"), 140, 24)
MULTI_HOP: Final = QueryClass("MultiHop", _any("when", "how long", "both"), 120, 18)
OPEN_ENDED: Final = QueryClass("OpenEnded", _any("would", "could", "should"), 100, 15)
SINGLE_HOP: Final = QueryClass("SingleHop", re.compile(""), 80, 15)
CLASSES: Final = (TEMPORAL, MULTI_HOP, OPEN_ENDED, SINGLE_HOP)


def classify(text: str) -> QueryClass:
    """Return the first class with a cue in the text."""
    folded = text.casefold()
    return next(kind for kind in CLASSES if kind.cues.search(folded))

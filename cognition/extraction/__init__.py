"""From talk to facts, without a model: what a text states, of whom, and when."""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.extraction.dates import find_dates
    from cognition.extraction.engine import extract
    from cognition.extraction.names import proper_nouns
    from cognition.extraction.values import CONFIDENCE_MIN, FACTS_MAX, Extraction, Fact, Triple, When

__all__ = [
    "CONFIDENCE_MIN",
    "FACTS_MAX",
    "Extraction",
    "Fact",
    "Triple",
    "When",
    "extract",
    "find_dates",
    "proper_nouns",
]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "dates": ("find_dates",),
            "engine": ("extract",),
            "names": ("proper_nouns",),
            "values": ("CONFIDENCE_MIN", "FACTS_MAX", "Extraction", "Fact", "Triple", "When"),
        },
    )

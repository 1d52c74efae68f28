"""From talk to facts, without a model: what a text states, of whom, and when."""

from cognition.extraction.dates import find_dates
from cognition.extraction.engine import FACTS_MAX, extract
from cognition.extraction.names import names, proper_nouns
from cognition.extraction.sentences import sentences
from cognition.extraction.values import CONFIDENCE_MIN, Extraction, Fact, Triple, When

__all__ = [
    "CONFIDENCE_MIN",
    "FACTS_MAX",
    "Extraction",
    "Fact",
    "Triple",
    "When",
    "extract",
    "find_dates",
    "names",
    "proper_nouns",
    "sentences",
]

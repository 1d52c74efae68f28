"""Say in a few sentences what several memories say. Pure, and made of their own sentences: nothing is invented.

The most important memory leads, whole. Of each of the others, in the order of their importance, the sentences follow
that hold something new, while there is room. Where the memories have more than one speaker, each sentence is given to
its own, so that "I" is never somebody else; one speaker of all is the summary's, as a memory has one.

A summary's text is computed whenever it is shown and never stored: what a forgotten memory said is in no summary.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cognition.extraction.sentences import sentences
from cognition.ranking.stem import stem
from cognition.words import STOP_WORDS, words

# What fits on a card, and in a prompt, beside other memories.
CHARACTERS_MAX: Final = 600
# A sentence with fewer new telling words says what was said already.
NEW_WORDS_MIN: Final = 2
# Memories that nobody weighed are in the middle.
IMPORTANCE_DEFAULT: Final = 0.5
# A summary speaks for several memories, and comes before each of them.
IMPORTANCE_RAISE: Final = 0.1

_ENDS: Final = (".", "!", "?", "…", ":", ";")


class Source(NamedTuple):
    """One memory that a summary is made of."""

    rid: bytes
    text: str
    created: int
    importance: float | None = None
    speaker: str | None = None


def summarise(sources: Iterable[Source]) -> str:
    """Return the text of a summary; the same for the same sources, in whatever order they come."""
    ordered = in_order(sources)
    lead, *others = ordered
    named = len({source.speaker for source in ordered}) > 1
    summary = _said(lead.text.strip(), lead.speaker, named=named)
    known = _telling(lead.text)
    for source in others:
        for sentence in sentences(source.text):
            fresh = _telling(sentence) - known
            if len(fresh) < NEW_WORDS_MIN:
                continue
            longer = _joined(summary, _said(" ".join(sentence.split()), source.speaker, named=named))
            if len(longer) <= CHARACTERS_MAX:
                summary = longer
                known |= fresh
    return summary


def in_order(sources: Iterable[Source]) -> Sequence[Source]:
    """Return the sources by importance, the highest first, then by age."""
    return sorted(sources, key=lambda source: (-_weight(source), source.created, source.rid))


def raised(importances: Iterable[float | None]) -> float:
    """Return how much a summary matters: more than the most important of its sources."""
    weights = [IMPORTANCE_DEFAULT if weight is None else weight for weight in importances]
    return min(1.0, max(weights) + IMPORTANCE_RAISE)


def _weight(source: Source) -> float:
    return IMPORTANCE_DEFAULT if source.importance is None else source.importance


def _telling(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOP_WORDS}


def _said(text: str, speaker: str | None, *, named: bool) -> str:
    return f"{speaker}: {text}" if speaker and named else text


def _joined(one: str, other: str) -> str:
    return f"{one} {other}" if one[-1:] in _ENDS else f"{one}. {other}"

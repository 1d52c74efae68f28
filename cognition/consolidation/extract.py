"""Say in a few sentences what several memories say. Pure, and made of their own sentences: nothing is invented.

The most important memory leads, whole. Of each of the others, in the order of their importance, the sentences follow
that no sentence before them says in the same telling words in the same order (`cognition.ingest.sameness`). What is
within a longer sentence may say something else: that has a "not" in it. A memory for which there is no room is not in
this summary: what a summary stands for, it says. Where the memories have more than one speaker, each sentence is given
to its own, so that "I" is never somebody else; one speaker of all is the summary's, as a memory has one.

A summary's text is computed whenever it is shown and never stored: what a forgotten memory said is in no summary.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

# Fewer memories speak for themselves.
MEMBERS_MIN: Final = 3
# What fits on a card, and in a prompt, beside other memories.
CHARACTERS_MAX: Final = 600
# A longer text is a book: no summary has room for it beside others, and to take a hundred of them apart would keep the
# store's thread for a minute at each change of one.
SOURCE_CHARACTERS_MAX: Final = 20_000
# Memories that nobody weighed are in the middle.
IMPORTANCE_DEFAULT: Final = 0.5
# A summary speaks for several memories, and comes before each of them.
IMPORTANCE_RAISE: Final = 0.1

Words = tuple[str, ...]
_ENDS: Final = (".", "!", "?", "…", ":", ";")


class SummarySource(NamedTuple):
    """One memory that a summary is made of."""

    rid: bytes
    text: str
    created: int
    importance: float | None = None
    speaker: str | None = None


class SummaryText(NamedTuple):
    """A summary: its text, and the memories that it says."""

    text: str
    sources: tuple[SummarySource, ...]


def summarise(sources: Iterable[SummarySource]) -> SummaryText:
    """Return a summary of those that it has room for; the same for the same sources, in whatever order they come."""
    ordered = in_order(sources)
    return _summary(ordered, {source.rid: _sentences(source) for source in ordered})


def _summary(ordered: Sequence[SummarySource], sentences_of: Mapping[bytes, dict[str, Words]]) -> SummaryText:
    lead, *others = ordered
    named = len({source.speaker for source in ordered}) > 1
    summary = _said(lead.text.strip(), lead.speaker, named=named)
    told = {(lead.speaker, words) for words in sentences_of[lead.rid].values()}
    kept = [lead]
    for source in others:
        longer, more = summary, set[tuple[str | None, Words]]()
        for sentence, words in sentences_of[source.rid].items():
            if (source.speaker, words) not in told and (source.speaker, words) not in more:
                longer = _joined(longer, _said(" ".join(sentence.split()), source.speaker, named=named))
                more.add((source.speaker, words))
                if (
                    len(longer) > CHARACTERS_MAX
                ):  # of a book, the first sentence tells that there is no room for it
                    break
        else:
            summary = longer
            told |= more
            kept.append(source)
    return SummaryText(summary, tuple(kept))


def summaries_of(sources: Iterable[SummarySource], members_min: int) -> Iterator[SummaryText]:
    """Return as many summaries as it takes to say these memories, each of `members_min` or more; the rest has none.

    Nor has what is longer than `SOURCE_CHARACTERS_MAX`.
    """
    left = {source.rid: source for source in in_order(sources) if len(source.text) <= SOURCE_CHARACTERS_MAX}
    # Taken apart once: each summary that follows goes through all that is left.
    sentences_of = {source.rid: _sentences(source) for source in left.values()}
    while len(left) >= members_min:
        said = _summary([*left.values()], sentences_of)
        for source in said.sources:
            del left[source.rid]
        if len(said.sources) >= members_min:
            yield said


def in_order(sources: Iterable[SummarySource]) -> Sequence[SummarySource]:
    """Return the sources by importance, the highest first, then by age."""
    return sorted(sources, key=lambda source: (-_weight(source), source.created, source.rid))


def raised(importances: Iterable[float | None]) -> float:
    """Return how much a summary matters: more than the most important of its sources."""
    weights = [IMPORTANCE_DEFAULT if weight is None else weight for weight in importances]
    return min(1.0, max(weights) + IMPORTANCE_RAISE)


def _weight(source: SummarySource) -> float:
    return IMPORTANCE_DEFAULT if source.importance is None else source.importance


def _sentences(source: SummarySource) -> dict[str, Words]:
    # Here: whoever only asks what a summary stands for does not wait for the grammar.
    from cognition.extraction.sentences import sentences
    from cognition.ingest.sameness import telling_words

    return {sentence: telling_words(sentence) for sentence in sentences(source.text)}


def _said(text: str, speaker: str | None, *, named: bool) -> str:
    return f"{speaker}: {text}" if speaker and named else text


def _joined(one: str, other: str) -> str:
    return f"{one} {other}" if one[-1:] in _ENDS else f"{one}. {other}"

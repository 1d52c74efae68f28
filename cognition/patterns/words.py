"""Say a pattern in words, from the memories that show it.

Only the sort of a pattern and its memories travel; what they have in common is read from them again, so that a
device which found nothing itself can say it too, and nothing is said that the memories no longer do.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from cognition.extraction.names import NOT_NAMES, names
from cognition.patterns.miners import SHOWN_BY_MAX, THEME_WORDS_MIN, Miner, mood
from cognition.patterns.reading import EVERYTHING, TEXT_CHARACTERS_MAX, Noted, bucket_words, key_of, note
from cognition.words import words
from replica import Memory

_THEME_WORDS: Final = 3
# Texts whose words are remembered: a theme that grows is looked at again and again.
_TEXTS_KEPT: Final = 4_096
_MOODS: Final = {
    "rising": "has been getting better",
    "falling": "has been getting worse",
    "good": "keeps feeling good",
    "bad": "keeps feeling bad",
}


def pattern_reason(sort: str, memories: Sequence[Memory]) -> str | None:
    """Return what these memories show, as one line; None where they no longer do, or nobody here knows the sort."""
    says = _SAYS.get(sort)
    if says is None or not memories:
        return None
    return says(memories, [note(each.text, each.fields, each.created >> 16) for each in memories])


def _count(memories: Sequence[Memory]) -> str:
    """Return how many memories; a pattern names the first of many."""
    more = "" if len(memories) < SHOWN_BY_MAX else " or more"
    return f"{len(memories)}{more} memories"


def _common(noted: Sequence[Noted]) -> list[str]:
    """Return the names that every memory holds, as they are written."""
    shared = set(noted[0].names).intersection(*(each.names for each in noted))
    return [noted[0].names[key] for key in sorted(shared)]


def _together(memories: Sequence[Memory], noted: Sequence[Noted]) -> str | None:
    shared = _common(noted)
    if len(shared) < 2:
        return None
    return f"{' and '.join(shared[:2])} come up together in {_count(memories)}"


def _hub(memories: Sequence[Memory], noted: Sequence[Noted]) -> str | None:
    shared = _common(noted)
    if not shared:
        return None
    others = {key: name for each in noted for key, name in each.names.items() if key != key_of(shared[0])}
    names = ", ".join(others[key] for key in sorted(others)[:5])
    return f"{shared[0]} is at the centre of many: {names}"


def _subject(noted: Sequence[Noted]) -> str:
    """Return what all of them are about; something only if it is more than that they were told."""
    shared = set(noted[0].subjects).intersection(*(each.subjects for each in noted)) - {EVERYTHING}
    if not shared:
        return ""
    key = min(shared)
    return noted[0].names.get(key, key)


def _routine(memories: Sequence[Memory], noted: Sequence[Noted]) -> str | None:
    ((bucket, _),) = Counter(each.bucket for each in noted).most_common(1)
    return f"{_subject(noted) or 'what you tell'} comes up on {bucket_words(bucket)}"


def _mood(memories: Sequence[Memory], noted: Sequence[Noted]) -> str | None:
    felt = sorted((each.at_ms, each.valence) for each in noted if each.valence is not None)
    going = mood([valence for _, valence in felt])
    return None if going is None else f"{_subject(noted) or 'what you tell'} {_MOODS[going]}"


def theme_words(texts: Sequence[str]) -> list[str]:
    """Return the words that half of some texts share, the commonest first: neither names nor what fills any talk."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_telling(text[:TEXT_CHARACTERS_MAX]))
    often = [(word, count) for word, count in counts.items() if count >= len(texts) / 2]
    return [word for word, _ in sorted(often, key=lambda item: (-item[1], item[0]))]


@lru_cache(_TEXTS_KEPT)
def _telling(text: str) -> frozenset[str]:
    named = {word for name in names(text) for word in words(name)}
    return frozenset(words(text)) - named - NOT_NAMES


def _theme(memories: Sequence[Memory], noted: Sequence[Noted]) -> str | None:
    best = theme_words([each.text for each in memories])[:_THEME_WORDS]
    if len(best) < THEME_WORDS_MIN:
        return None
    return f"{_count(memories)} share a theme: {', '.join(best)}"


_SAYS: Final[Mapping[str, Callable[[Sequence[Memory], Sequence[Noted]], str | None]]] = {
    Miner.TOGETHER.value: _together,
    Miner.HUB.value: _hub,
    Miner.ROUTINE.value: _routine,
    Miner.MOOD.value: _mood,
    Miner.THEME.value: _theme,
}

"""Read how a short text says what it says: of what it is said, and whether somebody is named.

"My dentist is Dr Okafor" says what the dentist is; "the dentist next door closed" does not, though it has the word. The
small words of ten languages tell the one from the other; nothing else is known of them here.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.ranking.stem import stem

# Texts whose reading is remembered: candidates come back query after query.
_KEPT: Final = 8_192
# A longer text is a story; what it is about stands at its beginning.
_CHARACTERS_MAX: Final = 400
_TOKEN: Final = re.compile(r"[^\W_]+|[:=–—]")
# What says of the word before it what that is, or is called, or comes to.
_COPULAS: Final = """
    is are was were am s called named means costs equals ist sind war heißt heissen heißen lautet beträgt kostet es son
    era está llama llaman cuesta est sont était appelle appellent coûte è sono chiama costa é são chama custa to jest są
    nazywa wynosi kosztuje heet heten zijn kost зовут называется называют стоит это звати називається коштує це : = – —
"""
_SAYS: Final = frozenset(_COPULAS.casefold().split())
# How far behind a word it may stand: "the phone number of Ann is".
_BEHIND: Final = 2
_ASKS_WHO: Final = re.compile(
    r"\b(who|whom|whose|named?|called|wer|wem|wen|heisst|heissen|quién|quien|llaman?|qui|appelle|chi|chiama|quem|chama|kto"
    r"|kim|nazywa|heet|heten|кто|кого|кем|зовут|хто|звати|кому)\b"
)


class Phrasing(NamedTuple):
    """Stems of what is said to be something, and of the words that may be names."""

    said_of: frozenset[str]
    names: frozenset[str]


@lru_cache(_KEPT)
def phrasing(text: str) -> Phrasing:
    """Return how a text says what it says."""
    tokens = _TOKEN.findall(text[:_CHARACTERS_MAX])
    folded = [token.casefold() for token in tokens]
    said_of = {
        stem(back)
        for at, word in enumerate(folded)
        if word in _SAYS
        for back in folded[max(0, at - _BEHIND) : at]
    }
    return Phrasing(frozenset(said_of), frozenset(_names(tokens)))


def _names(tokens: list[str]) -> Iterator[str]:
    """Return the words with a capital that do not begin a text."""
    for token in tokens[1:]:
        if token[0].isupper():
            yield stem(token.casefold())


def asks_who(folded: str) -> bool:
    """Say whether a question, in small letters, asks for somebody, or what something is called."""
    return _ASKS_WHO.search(folded) is not None

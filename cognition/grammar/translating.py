"""Read a telling in the words of another: what is told in two languages shares no word, but its nouns mean the same.

The multilingual model puts "Stühle" beside "chairs" and "Miete" beside "rent", and "tables" and "salary" further off.
So before two readings in different languages are compared, each telling word of the newer that means what a word of
the older means is put in that one's place, and a name in other letters in the letters of the older. Where no model is
at hand nothing is put, and no more is found than before.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.grammar.typed import WORD, TypedClaim, TypedReading
from cognition.words import OWNER

# From here on two words mean one thing: "tractor" and "trekker" are at 0.75, "chair" and "table" at 0.52.
MEANT_ALIKE_MIN: Final = 0.7
# A note says what it is about in so many words; the rest of a long one is its story.
WORDS_MAX: Final = 40
_LETTERS_MIN: Final = 4
_NAME_LETTERS_MIN: Final = 3
# Words in two alphabets that begin with so many equal letters are one.
_STEM: Final = 7
# Kinds whose value is words of the text, and no name.
_WORDED: Final = frozenset(["allergy", "likes", "dislikes"])
_LATIN: Final = dict(zip("абвгґдеёзиіїйклмнопрстуфхцыэ", "abvhhdeeziiiiklmnoprstufhcye", strict=True)) | {
    "ж": "z",
    "ч": "c",
    "ш": "s",
    "щ": "s",
    "ъ": "",
    "ь": "",
    "є": "ie",
    "ю": "iu",
    "я": "ia",
}
# Letters that one name is written with in different countries.
_AS_ONE: Final = str.maketrans({"y": "i", "j": "i", "w": "v", "g": "h", "x": "h", "q": "k"})

VectorsOf = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns a vector of length 1 for each word."""


def in_words_of(
    older: TypedReading, newer: TypedReading, older_text: str, newer_text: str, vectors_of: VectorsOf
) -> TypedReading:
    """Return the newer reading with the words of the older for what means the same, if they share no language."""
    if older.languages & newer.languages and _is_cyrillic(older) == _is_cyrillic(newer):
        return newer
    put = _names_put(older, newer) | _words_put(older, newer, older_text, newer_text, vectors_of)
    if not put:
        return newer
    return newer._replace(
        claims=tuple(_put(claim, put) for claim in newer.claims),
        words=frozenset(put.get(word, word) for word in newer.words),
        names=frozenset(put.get(word, word) for word in newer.names),
    )


def _is_cyrillic(reading: TypedReading) -> bool:
    """Say whether a text is in those letters: of a short one nobody may know the language."""
    return any(not word.isascii() and word[0] in _LATIN for word in reading.words)


def _put(claim: TypedClaim, put: dict[str, str]) -> TypedClaim:
    def words(told: Sequence[str]) -> tuple[str, ...]:
        return tuple(put.get(word, word) for word in told)

    value = claim.value
    if claim.kind in _WORDED and isinstance(value, str):
        value = " ".join(words(value.split()))
    return claim._replace(
        value=value,
        subject=words(claim.subject),
        about=words(claim.about),
        names=frozenset(words(sorted(claim.names))),
    )


def _names_put(older: TypedReading, newer: TypedReading) -> dict[str, str]:
    """Return names that are written in other letters: "Данило" is "Danyło"."""
    known = {romanized(name): name for name in sorted(older.names) if len(name) >= _NAME_LETTERS_MIN}
    put = {
        name: known[plain]
        for name in sorted(newer.names)
        if name not in older.words and (plain := romanized(name)) in known
    }
    # What a medicine is called differs in its ending alone.
    stems = {romanized(word)[:_STEM]: word for word in sorted(older.words) if len(word) >= _STEM}
    for word in newer.words - newer.names - older.words:
        plain = romanized(word)
        if len(plain) >= _STEM and not word.isascii() and plain[:_STEM] in stems:
            put[word] = stems[plain[:_STEM]]
    return put


def romanized(word: str) -> str:
    """Return a leveled word in Latin letters, without what languages spell differently."""
    return "".join(_LATIN.get(letter, letter) for letter in word).translate(_AS_ONE).replace("ii", "i")


def _words_put(
    older: TypedReading, newer: TypedReading, older_text: str, newer_text: str, vectors_of: VectorsOf
) -> dict[str, str]:
    mine, theirs = _spelled(newer, newer_text), _spelled(older, older_text)
    if not mine or not theirs:
        return {}
    vectors = vectors_of([*mine.values(), *theirs.values()])
    alike = vectors[: len(mine)] @ vectors[len(mine) :].T
    best = alike.argmax(axis=1)
    known = list(theirs)
    return {
        word: known[at]
        for word, at, row in zip(mine, best.tolist(), alike, strict=True)
        if row[at] >= MEANT_ALIKE_MIN and word != known[at]
    }


def _spelled(reading: TypedReading, text: str) -> dict[str, str]:
    """Return telling words that are no names, each as the text spells it: a model knows "Stühle", and not "stuhle"."""
    found: dict[str, str] = {}
    for match in WORD.finditer(reading.plain):
        word = match[0]
        is_telling = word in reading.words and len(word) >= _LETTERS_MIN and not word[0].isdecimal()
        # In German every noun begins large.
        if is_telling and word != OWNER and (word not in reading.names or "de" in reading.languages):
            found.setdefault(word, text[match.start() : match.end()])
    return dict(list(found.items())[:WORDS_MAX])

"""Put right what was mistyped in a question, by the words that memories hold.

Only a word that no memory holds is looked at: whatever is held may be meant. It is taken for the word that differs
by one slip (two in long words) and begins with the same letter. A name is put right more carefully: a slip leaves a
letter out, doubles it or swaps two; where one letter stands for another, "Maria" and "Marie" are two people. And a
common word is meant as it stands: who "likes" chess does not ask who "lives".

The vocabulary is that of the full text index, which holds stems; the whole word is read from a memory that has it.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol
from unicodedata import combining, normalize

from cognition.ranking.stem import is_form_of
from cognition.ranking.vocabulary import Tables
from cognition.search.postings import Postings, stems_of
from cognition.words import STOP_WORDS, any_of, words

# In shorter words one slip makes another word as often as not.
LETTERS_MIN: Final = 5
LETTERS_TWO_SLIPS: Final = 9
# A question with more unknown words than this is about something else.
UNKNOWN_MAX: Final = 3
# Stems that come closest, and memories that are read for the whole word.
_STEMS_MAX: Final = 8
_TEXTS_MAX: Final = 3
# Endings that a stem may have lost.
_ENDING: Final = 3
# Endings that a common word may have; not "ing", before which a slip leaves a word as often as not.
_OF_COMMON: Final = ("", "s", "d", "ed")


class CommonWords(Protocol):
    """Knows common words."""

    def knows(self, word: str) -> bool:
        """Say whether a word is one of them."""
        ...


def corrected(
    connection: sqlite3.Connection,
    text: str,
    tables: Tables,
    lexicon: CommonWords | None,
    postings: Postings,
) -> str:
    """Return a question with the words that no memory holds put right, where it is clear which are meant.

    A word that stands for others is meant as it is, and so is a common one. `postings` remembers who holds a word for
    whoever looks for it next.
    """
    unknown = [
        word
        for word in _unknown(connection, words(text), postings)
        if not tables.spell(word) and not _is_common(word, lexicon)
    ]
    if not unknown or len(unknown) > UNKNOWN_MAX:
        return text
    for word in unknown:
        typed = re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
        if typed is None:
            continue
        meant = _meant(connection, word, is_name=typed[0][0].isupper() and typed.start() > 0)
        if meant is not None:
            text = text[: typed.start()] + meant + text[typed.end() :]
    return text


def slips(one: str, other: str) -> int:
    """Return how many letters were left out, added, changed or swapped with their neighbour between two words."""
    return _slips_of_beginnings(one, other)[-1]


def _slips_of_beginnings(one: str, other: str) -> list[int]:
    """Return the slips between each beginning of a word, from none of it to all, and another."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    found = row[-1:]
    for i, letter in enumerate(one, start=1):
        before, last, row = row, before, [i]
        for j, wanted in enumerate(other, start=1):
            cost = before[j - 1]
            if letter != wanted:
                cost = 1 + min(cost, before[j], row[j - 1])
                if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                    cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        found.append(row[-1])
    return found


def _unknown(connection: sqlite3.Connection, asked: Sequence[str], postings: Postings) -> list[str]:
    """Return the words that no memory holds, each once, of those that are long enough to be put right."""
    some = [
        word
        for word in dict.fromkeys(asked)
        if len(word) >= LETTERS_MIN and word.isalpha() and word not in STOP_WORDS
    ]
    stems = dict(zip(some, stems_of(some), strict=True))
    held = postings.holders(connection, {word: stem for word, stem in stems.items() if stem is not None})
    return [word for word in some if not (held[word] if word in held else _is_held(connection, word))]


def _is_held(connection: sqlite3.Connection, word: str) -> bool:
    found = connection.execute(
        "SELECT 1 FROM memory_text WHERE memory_text MATCH ? LIMIT 1", (any_of([word]),)
    )
    return found.fetchone() is not None


def _is_common(word: str, lexicon: CommonWords | None) -> bool:
    return lexicon is not None and any(
        lexicon.knows(word.removesuffix(ending)) for ending in _OF_COMMON if word.endswith(ending)
    )


def _meant(connection: sqlite3.Connection, word: str, *, is_name: bool) -> str | None:
    allowed = 2 if len(word) >= LETTERS_TWO_SLIPS else 1
    plain = _plain(word)  # as the index folds its words
    letters = Counter(plain)
    different = {*plain}
    near: list[tuple[int, int, str]] = []
    for stem, memories in connection.execute(
        "SELECT term, doc FROM memory_word WHERE term >= ? AND term < ?",
        (plain[0], chr(ord(plain[0]) + 1)),
    ):
        if not -_ENDING - allowed <= len(stem) - len(word) <= allowed:
            continue
        # Both cheaper than counting slips, the first of them by far, and rarely wrong.
        if len({*stem} - different) > allowed or sum((Counter(stem) - letters).values()) > allowed:
            continue
        # What is as long as the stem, and what has one letter more.
        apart = min(_slips_of_beginnings(plain[: len(stem) + 1], stem)[min(len(stem), len(plain)) :])
        if apart <= allowed:
            near.append((apart, -memories, stem))
    found: list[tuple[int, int, str]] = []
    for _, memories, stem in sorted(near)[:_STEMS_MAX]:
        # By the stem itself: asked for as a word, it would be stemmed again, and be another.
        for (text,) in connection.execute(
            """SELECT m.text FROM (SELECT DISTINCT doc FROM memory_word_at WHERE term = ? LIMIT ?) i
               JOIN shown_memory m ON m.id = i.doc""",
            (stem, _TEXTS_MAX),
        ):
            for held in words(text):
                if is_form_of(held, word):
                    return None  # another form of it, which the ranking knows
                apart = slips(word, held) if held[0] == word[0] else allowed + 1
                if apart <= allowed and not (is_name and _is_another(word, held)):
                    found.append((apart, memories, held))
    return min(found)[2] if found else None


def _plain(word: str) -> str:
    """Return a word without the marks on its letters."""
    return "".join(letter for letter in normalize("NFD", word) if not combining(letter)) or word


def _is_another(word: str, held: str) -> bool:
    """Say whether a letter stands for another one, as it does between the names of two people."""
    return len(word) == len(held) and Counter(word) != Counter(held)

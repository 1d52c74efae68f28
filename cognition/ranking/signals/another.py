"""PM-64: the asker asks of themselves, and this is said of somebody else.

"Ben's car is a red Opel" has the words of "What car do I have?", and "I drive a blue Golf" has none of them. Who has or
does something is read at the beginning of a text, by the words of ten languages that speak of oneself, of relatives,
and of what people do. The other way round, the asker's own note where Ben is asked of, it took more than it gave.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.extraction.names import is_name
from cognition.grammar.lexicon import languages_of, level, words_of
from cognition.ranking.phrasing import asks_who
from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# Texts whose reading is remembered: candidates come back query after query.
_KEPT: Final = 8_192
# Only what words and meaning put first can come before the asker's own; reading a text takes some 20 µs.
_FIRST: Final = 16
# Whom a text is about stands among so many words at its beginning; a longer one is a story.
_WORDS_MAX: Final = 8
_CHARACTERS_MAX: Final = 400
_WORD: Final = re.compile(r"([^\W_]+)(?:['’ʼ]s(?!\w))?")
_ENDS: Final = re.compile(r"[.!?…:;,\n]")
# Behind "my", who is meant stands so near: "my little sister".
_NEAR: Final = 2
# Where every noun begins large, a capital tells no name.
_CAPITALS: Final = "de"


class Whose(NamedTuple):
    """Whether the one who speaks is spoken of, and who else has or does something."""

    own: bool
    others: frozenset[str]


def of(pool: Pool) -> Column:
    """Return, for each candidate, 1 where it is said of another than who asks, with a word of the question."""
    query = pool.query
    if query.asked is not None or asks_who(query.folded):
        return pool.none  # `tells` knows of whom it is said, or somebody else is the answer
    languages = languages_of(level(query.text))
    asked = asked_of(query.text, languages)
    if not asked.own or asked.others:
        return pool.none
    column = pool.blank()
    for i in pool.leading[:_FIRST]:
        if pool.exact[i].any():
            told = told_of(pool.rows[i].text, languages)
            column[i] = bool(told.others) and not told.own
    return pool.of_facts(column)


def asked_of(question: str, languages: tuple[str, ...]) -> Whose:
    """Return of whom a question asks: it names somebody beside what they do, or in any place but its first."""
    said = _SaidOf(question, languages)
    return said.whose(said.listed("own"), lambda at: said.owns(at) or said.is_asked_of(at))


@lru_cache(_KEPT)
def told_of(text: str, languages: tuple[str, ...]) -> Whose:
    """Return of whom a text tells that may be in other languages than the question."""
    said = _SaidOf(text, languages_of(level(text[:_CHARACTERS_MAX])))
    own = said.listed("own") | said.listed("ours") | words_of("own", languages)
    return said.whose(own, lambda at: at < said.head and (said.owns(at) or said.does(at)))


class _SaidOf:
    """The words of a text, without capitals and accents, and what is known of them in its languages."""

    def __init__(self, text: str, languages: tuple[str, ...]) -> None:
        text = text[:_CHARACTERS_MAX]
        matches = list(_WORD.finditer(text))
        self.languages = languages
        self._written = [match[0] for match in matches]
        self.words = [level(match[1]) for match in matches]
        self._begins = [
            not at or _ENDS.search(text, matches[at - 1].end(), match.start()) is not None
            for at, match in enumerate(matches)
        ] + [True]
        self.head = min(_WORDS_MAX, self._begins.index(True, 1)) if matches else 0

    def listed(self, name: str) -> frozenset[str]:
        """Return the words of a list in these languages."""
        return words_of(name, self.languages)

    def whose(self, own_words: frozenset[str], is_told_of: Callable[[int], bool]) -> Whose:
        """Return of whom it speaks: "my sister" is another, and so is whoever is named where that is told of them."""
        own, others = False, set[str]()
        for at, word in enumerate(self.words):
            if word in own_words:
                near = self.listed("people").intersection(self.words[at + 1 : at + 1 + _NEAR])
                others |= near
                own = own or not near
            elif self._is_name(at) and is_told_of(at):
                others.add(word)
        return Whose(own, frozenset(others))

    def _is_name(self, at: int) -> bool:
        written = self._written[at]
        return written[0].isupper() and is_name(written) and self.words[at] not in self.listed("small")

    def owns(self, at: int) -> bool:
        """Say whether something is told to be somebody's: "Ben's car", "la voiture de Paul", "samochód Kasi"."""
        word, before, begins = self.words[at], self.words[at - 1] if at else "", self._begins[at]
        if len(self._written[at]) > len(word):
            return not self._begins[at + 1]
        if begins:
            following = self._written[at + 1 : at + 2]
            return bool(following) and following[0][0].isupper() and self._ends(word, "owner_before")
        return before in self.listed("of") or (
            before not in self.listed("small") and self._ends(word, "owner_behind")
        )

    def _ends(self, word: str, name: str) -> bool:
        return word.endswith(tuple(self.listed(name)))

    def does(self, at: int) -> bool:
        """Say whether somebody is told to have or do something."""
        may_be = self._begins[at] or _CAPITALS not in self.languages
        return may_be and not self.listed("does").isdisjoint(self.words[at + 1 : at + 2])

    def is_asked_of(self, at: int) -> bool:
        """Say whether a question may ask of somebody: behind what they do, or wherever a capital tells a name."""
        if _CAPITALS not in self.languages:
            return at > 0
        return not self.listed("does").isdisjoint(self.words[max(0, at - 1) : at])


SIGNAL = Signal(
    "another",
    "is said of another than who asks",
    of,
    weight=-5.07,
)

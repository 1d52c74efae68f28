"""The words of ten languages by which claims are told.

They are written in a file each, `data/*.toml`, and read from one that is made of all (`python -m
samemind._tools.generate`): Python takes twenty times as long to read TOML as JSON, and every recall reads them. There a
list is one text with a line for each phrase: ten thousand strings take twice as long to read.

Nobody says which language a note is in: its small words do, and where they do not, all ten may be meant.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk")
_TOLD: Final = Path(__file__).with_name("data") / "all.json"
_FLAT: Final = {"ł": "l", "’": "'", "ʼ": "'", "ß": "s", "œ": "o", "æ": "a", "ø": "o", "đ": "d", "ı": "i"}
# Lists whose words tell a language as its small words do.
_TELLING: Final = (
    "lives",
    "born",
    "owned",
    "allergic",
    "works",
    "likes",
    "dislikes",
    "every",
    "opens",
    "closes",
    "my_name",
    "i_have",
    "siblings",
    "address",
)
# The name under which the ways to tell a quarter or half of an hour stand together.
CLOCKS: Final = "clocks"
# And those under which stand the words of all trades, and of all that is celebrated once.
TRADES: Final = "trades"
FEASTS: Final = "feasts"
_STEM: Final = 3
# How many minutes lie between an hour that is named and the time that is meant.
_BESIDE_HOUR: Final = {"half_past": 30, "quarter_past": 15, "quarter_to": -15, "half_to": -30}
_NO_LISTS: Final = _BESIDE_HOUR.keys() | {"small"}
_HOUR: Final = r"(?P<hour>\d{1,2}|[^\W\d_]+)"
_NUMBER: Final = r"(?:\d{1,3}|[^\W\d_]+)"
_RUN: Final = re.compile(r"[^\W\d_]+")
# The letter of "5e étage" is no word.
_ALONE: Final = re.compile(r"(?<!\d)[^\W\d_]+")
# What has this share of the likeliest language's small words may be meant, too.
_AS_LIKELY: Final = 0.6
# Sets of languages whose tables are kept: most notes are in one, and few stores hold more than four.
_SETS_KEPT: Final = 32
# Phrases whose patterns are kept: more than any list has in all languages.
_PHRASES_KEPT: Final = 1_024
_SPECIAL: Final = {"N": _NUMBER, "H": _HOUR}


class _Heads(NamedTuple):
    """Of which lists a phrase begins with a word, by that word; with a stem, by its beginning; or with anything."""

    begins: Mapping[str, frozenset[str]]
    stems: Mapping[str, Sequence[tuple[str, str]]]
    others: frozenset[str]


class NamedPatterns:
    """Patterns over leveled text by name, each made when it is first asked for: most texts need none of them."""

    def __init__(self, told: Sequence[Mapping[str, Any]], table: str) -> None:
        self._phrases: dict[str, list[str]] = {}
        for each in told:
            for name, phrases in each[table].items():
                self._phrases.setdefault(name, []).append(phrases)
        self._made: dict[str, re.Pattern[str]] = {}

    def __iter__(self) -> Iterator[tuple[str, "re.Pattern[str]"]]:
        """Give all of them."""
        return ((name, self._of(name)) for name in self._phrases)

    def among(self, names: frozenset[str]) -> tuple[tuple[str, "re.Pattern[str]"], ...]:
        """Return those of these names, in the order of all."""
        return tuple((name, self._of(name)) for name in self._phrases if name in names)

    def _of(self, name: str) -> "re.Pattern[str]":
        pattern = self._made.get(name)
        if pattern is None:
            pattern = self._made[name] = _any_of("\n".join(self._phrases[name]).splitlines())
        return pattern


class PatternLexicon:
    """Patterns over leveled text by the name of their list, and what single words mean, in some languages."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._told = [_told()[name] for name in languages]
        self._heads = (_heads(),) if languages == LANGUAGES else tuple(map(_heads_in, languages))
        self._others = frozenset[str]().union(*(heads.others for heads in self._heads))
        self.lists: Mapping[str, re.Pattern[str]] = lists_of(languages)
        self.roles = NamedPatterns(self._told, "kin")
        self.trades = NamedPatterns(self._told, "trade")
        self.feasts = NamedPatterns(self._told, "once")
        self.numbers: Mapping[str, int] = _numbers(self._told, "numbers")
        self.nth: Mapping[str, int] = _numbers(self._told, "nth")

    @cached_property
    def beside_hour(self) -> tuple[tuple["re.Pattern[str]", int], ...]:
        """The ways to tell a quarter or half of an hour, each with its minutes."""
        return tuple(
            (re.compile(rf"(?<!\w){_phrase(phrase)}(?!\w)"), minutes)
            for name, minutes in _BESIDE_HOUR.items()
            for each in self._told
            for phrase in _phrases(each, name)
        )

    def named_in(self, text: str) -> frozenset[str]:
        """Return the lists of which a leveled text may hold a word: those of which a phrase begins like a word of it.

        To look at its words takes a tenth of the time of looking for every phrase.
        """
        return self._others | _begun(self._heads, text)


class _NamesByWord(dict[str, frozenset[str]]):
    """Names for each word, in sets that words share: few differ, and one for each would take two megabytes."""

    def __init__(self) -> None:
        super().__init__()
        self._sets: dict[frozenset[str], frozenset[str]] = {}

    def add(self, word: str, name: str) -> None:
        names = self.get(word, frozenset()) | {name}
        self[word] = self._sets.setdefault(names, names)


def level(text: str) -> str:
    """Return a text small and without accents, each letter at its own place."""
    if text.isascii():
        return text.lower()
    return "".join(map(_leveled, text))


@lru_cache(1_024)
def _leveled(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", _FLAT.get(letter, letter))[:1].lower()
    return _FLAT.get(plain, plain) if len(plain) == 1 else letter


@lru_cache(1)
def _told() -> Mapping[str, Mapping[str, Any]]:
    told: Mapping[str, Mapping[str, Any]] = json.loads(_TOLD.read_bytes())
    return told


def _phrases(told: Mapping[str, Any], name: str) -> list[str]:
    phrases: str = told.get(name, "")
    return phrases.splitlines()


@lru_cache(1)
def _small() -> Mapping[str, frozenset[str]]:
    found = _NamesByWord()
    for name, told in _told().items():
        for word in _ALONE.findall(level(" ".join((told["small"], *(told[key] for key in _TELLING))))):
            found.add(word, name)
    return found


def languages_of(plain: str) -> tuple[str, ...]:
    """Return the languages that a leveled text may be in: those of most of its words, all where it has none of any.

    A word says more of its language the fewer have it. Who mixes two writes each with its own small words.
    """
    small = _small()
    points = dict.fromkeys(LANGUAGES, 0.0)
    for word in _ALONE.findall(plain):
        for name in small.get(word, ()):
            points[name] += 1 / len(small[word])
    most = max(points.values())
    if most <= 0:
        return LANGUAGES
    return tuple(name for name in LANGUAGES if points[name] >= _AS_LIKELY * most)


class _Lists(dict[str, "re.Pattern[str]"]):
    """The pattern of each list of some languages, made when it is first asked for: of all of them a tenth of a second.

    Who recalls one thing in a process of its own asks for one.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        super().__init__()
        self._told = [_told()[name] for name in languages]

    def __missing__(self, name: str) -> "re.Pattern[str]":
        if name in _NO_LISTS or not any(isinstance(each.get(name), str) for each in self._told):
            raise KeyError(name)
        pattern = self[name] = _any_of(phrase for each in self._told for phrase in _phrases(each, name))
        return pattern


@lru_cache(_SETS_KEPT)
def lists_of(languages: tuple[str, ...]) -> Mapping[str, "re.Pattern[str]"]:
    """Return patterns over leveled text of some languages, by the name of their list."""
    return _Lists(languages)


@lru_cache(_SETS_KEPT)
def lexicon(languages: tuple[str, ...] = LANGUAGES) -> PatternLexicon:
    """Return the words of some languages as one table."""
    return PatternLexicon(languages)


def holds(name: str, plain: str) -> bool:
    """Say whether a leveled text holds a phrase of a list, in a language that it may be in.

    Looked for are those that begin with a word of it: the pattern of all would try each at every letter, and to make it
    takes as long as several recalls.
    """
    heads = _phrase_heads(name)
    begun = heads.others | _begun([heads], plain)
    found = {phrase for phrase in begun if _phrase_pattern(phrase).search(plain)}
    return bool(found) and any(
        not found.isdisjoint(_phrases(_told()[language], name)) for language in languages_of(plain)
    )


@lru_cache(1)
def _phrase_heads(name: str) -> _Heads:
    """Return the phrases of a list in all languages, as if each were the name of a list."""
    return _beginnings((phrase, phrase) for told in _told().values() for phrase in _phrases(told, name))


@lru_cache(_PHRASES_KEPT)
def _phrase_pattern(phrase: str) -> "re.Pattern[str]":
    return _any_of([phrase])


def _begun(heads: Iterable[_Heads], plain: str) -> set[str]:
    """Return the lists of which a phrase begins with a word of a leveled text."""
    found = set[str]()
    for word in set(_RUN.findall(plain)):
        for begins, stems, _ in heads:
            if (names := begins.get(word)) is not None:
                found |= names
            for stem, name in stems.get(word[:_STEM], ()):
                if word.startswith(stem):
                    found.add(name)
    return found


@lru_cache(1)
def _heads() -> _Heads:
    return _beginnings(_listed_phrases(_told()[name] for name in LANGUAGES))


@lru_cache(len(LANGUAGES))
def _heads_in(language: str) -> _Heads:
    return _beginnings(_listed_phrases([_told()[language]]))


@lru_cache(8 * _SETS_KEPT)
def words_of(name: str, languages: tuple[str, ...] = LANGUAGES) -> frozenset[str]:
    """Return the leveled words of the phrases of a list, in some languages."""
    return frozenset(
        word for language in languages for word in _RUN.findall(level(_told()[language].get(name, "")))
    )


def _beginnings(listed: Iterable[tuple[str, str]]) -> _Heads:
    """Return by the first word of each phrase its list: by whole words, by stems, and lists that begin with any."""
    begins = _NamesByWord()
    stems: dict[str, list[tuple[str, str]]] = {}
    others: set[str] = set()
    for name, phrase in listed:
        head, *rest = phrase.split()
        first = _RUN.search(level(head.partition("*")[0]))
        if phrase[0] in "NH" and not phrase[1:2].isalpha():
            second = _RUN.search(level(rest[0]))
            assert second is not None
            begins.add(second[0], name)
        elif first is None:
            others.add(name)
        elif "*" not in head:
            begins.add(first[0], name)
        elif len(first[0]) < _STEM:
            others.add(name)
        else:
            stems.setdefault(first[0][:_STEM], []).append((first[0], name))
    return _Heads(begins, stems, frozenset(others))


def _listed_phrases(told: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Give each phrase of each list of each language, after the name of its list."""
    for each in told:
        lists = [(name, value) for name, value in each.items() if isinstance(value, str)]
        lists += each["kin"].items()
        for table, name in (("trade", TRADES), ("once", FEASTS)):
            lists += [(name, phrases) for phrases in each[table].values()]
        lists += [(CLOCKS, each.get(name, "")) for name in _BESIDE_HOUR]
        for name, phrases in lists:
            for phrase in phrases.splitlines():
                yield name, phrase


def _numbers(told: Iterable[Mapping[str, Any]], name: str) -> dict[str, int]:
    return {level(word): number for each in told for word, number in each[name].items()}


def _any_of(phrases: Iterable[str]) -> "re.Pattern[str]":
    ordered = sorted({_phrase(phrase) for phrase in phrases}, key=lambda each: (-len(each), each))
    within = [each if each.startswith("'") else rf"(?<!\w){each}" for each in ordered]
    return re.compile(rf"(?:{'|'.join(within)})(?!\w)")


def _phrase(phrase: str) -> str:
    """Return the expression of a phrase: N is a number, H an hour, a star any ending."""
    return r"\s+".join(map(_word, phrase.split()))


def _word(word: str) -> str:
    if word in _SPECIAL:
        return _SPECIAL[word]
    head, star, rest = word.partition("*")
    return re.escape(level(head)) + (r"\w*" if star else "") + re.escape(level(rest))

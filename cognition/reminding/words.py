"""The words of reminders: `words.toml`, and numbers from `numbers.toml`, each read once."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from cognition.grammar.attributes import seconds_of
from cognition.times import folded, meanings

DAYS_MAX: Final = 31
MONTHS: Final = 12
TOKEN: Final = re.compile(r"\d+|[^\W\d_]+")
ISO: Final = re.compile(r"(?<![\d.-])(\d{4})[-.](\d\d)[-.](\d\d)(?![\d.-]\d|\d)")
# What of the table asks, tells or names an hour: where a text has nothing else of it, no day is named.
_NO_DAYS_WORDS: Final = """
    asks asks_around recalls refuses duties tells called_off tasks articles
    at hours noon half_past half_to and_half quarter_past quarter_to halves parts
    morning_after month_day
    other unclear_repeats until_day between_days of_words of_month short_units either in_month by_hour evenings
    month_start month_middle month_end ends_repeat starting moving_feasts quarter_into appointments about_days
    imperatives deadlines musts by_days surely_by takes_place departs over begins copulas no_tells
    no_infinitives no_pasts purposes romance german weeks_on short_dutch no_dutch
    dutch surely_ahead always one_oclock days_of_month no_parts german_else dutch_else english_else joined_halves
    parts_of_days
"""
_NO_DAYS: Final = frozenset(_NO_DAYS_WORDS.split())
# Lists of which single words are asked for.
_SINGLE_WORDS: Final = """
    tells called_off tasks articles only_days english_days until_day between_days of_words in_month either appointments
    imperatives copulas no_infinitives no_pasts purposes romance german dutch one_oclock short_dutch no_dutch
    days_of_month german_else dutch_else english_else joined_halves parts_of_days
"""
# A few hundred words are most of what anybody tells.
_WORDS_KEPT: Final = 4_096
_JOINED_DAY: Final = re.compile("tag|dag|morgen|^що")
# Words of English that no other of the ten languages has.
_ENGLISH: Final = re.compile(
    r"\b(?:the|remind|reminder|my|and|with|forget|tomorrow|tmrw|today|tonight|at|every|next|week|weeks|month|this|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|morning|evening|afternoon)s?\b"
)


@dataclass(frozen=True, slots=True)
class ReminderWords:
    """The table, as it is asked."""

    lists: "_ReminderLists"
    single: Mapping[str, frozenset[str]]
    parts: Sequence[tuple["re.Pattern[str]", int, bool]]
    weekdays: Mapping[str, int]
    ordinals: Mapping[str, int]
    month_days: Sequence["re.Pattern[str]"]
    around: Sequence[tuple[str, str]]
    joined: Sequence[str]
    numbers: Mapping[str, int]
    units: Mapping[str, int]
    spans: Sequence[tuple[int, "re.Pattern[str]"]]
    spelled: Mapping[str, int]
    ordinals_spelled: Mapping[str, int]
    short: Mapping[str, str]
    few: Mapping[str, int]
    feasts: Sequence[tuple[int, int, "re.Pattern[str]"]]
    firsts: Mapping[str, frozenset[str]]
    """The first words of the phrases of each list."""
    days: frozenset[str]
    """How what names a day may begin, but for digits and what `meanings` knows."""


class _ReminderLists(dict[str, "re.Pattern[str]"]):
    """The pattern of each list, made when it is first asked for: most texts have a word of few, and of none in most
    languages."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        super().__init__()
        self._phrases = {name: "\n".join(words) for name, words in told.items() if isinstance(words, list)}

    def __missing__(self, name: str) -> "re.Pattern[str]":
        pattern = self[name] = _any_of(self._phrases[name].splitlines())
        return pattern

    @property
    def names(self) -> Iterable[str]:
        """Return the names of all lists."""
        return self._phrases


@lru_cache(1)
def table() -> ReminderWords:
    import tomllib  # here, as in `cognition.grammar.attributes`

    told: Mapping[str, Any] = tomllib.loads(
        Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    )
    lists = _ReminderLists(told)
    single = {name: frozenset(map(folded, told[name])) for name in _SINGLE_WORDS.split()}
    parts = [(_any_of(part["words"]), part["hour"], part["after"]) for part in told["parts"].values()]
    weekdays = {folded(word): int(day) for day, words in told["weekdays"].items() for word in words}
    ordinals = {folded(word): int(day) for day, words in told["ordinals"].items() for word in words}
    days = [
        re.compile(rf"(?<!\w)(?:{pattern.replace('N', '(?P<n>[0-9]{1,2})', 1)})")
        for pattern in told["month_day"]["patterns"]
    ]
    numbers, units = (
        {plain(w): int(n) for n, ws in told[name].items() for w in ws} for name in ("numbers", "units")
    )
    spans = sorted(((int(n), _any_of(words)) for n, words in told["spans"].items()), reverse=True)
    around = [(plain(before), plain(behind)) for before, behind in told["asks_around"]["pairs"]]
    import tomllib

    spelled = tomllib.loads(Path(__file__).with_name("numbers.toml").read_text(encoding="utf-8"))
    cardinals, ordinal, struck = (
        {word: int(n) for n, ws in spelled[name].items() for word in ws}
        for name in ("numbers", "ordinals", "struck")
    )
    feasts = [
        (int(day.partition("-")[0]), int(day.partition("-")[2]), _any_of(words))
        for day, words in told["feasts"].items()
    ]
    short = {
        word: name
        for told_short in ("months", "weekdays")
        for name, ws in told["short"][told_short].items()
        for word in ws
    }
    return ReminderWords(
        lists, single, parts, weekdays, ordinals, days, around, told["day_parts"],
        cardinals | struck | numbers, units, spans, cardinals | {w: n for w, n in struck.items() if " " in w},
        ordinal, short, {plain(word): int(n) for n, ws in told["few"].items() for word in ws}, feasts,
        {name: frozenset(_first_words(told[name])) for name in (*lists.names, "feasts")},
        frozenset(_first_words([spelled, {name: told[name] for name in told if name not in _NO_DAYS}])),
    )  # fmt: skip


def _first_words(told: object) -> Iterator[str]:
    """Give the first word of each phrase in a part of the table."""
    match told:
        case str():
            yield from TOKEN.findall(plain(told))[:1]
        case Mapping():
            for each in told.values():
                yield from _first_words(each)
        case list():
            for each in told:
                yield from _first_words(each)


def find(name: str, said: str, words: Set[str]) -> "re.Match[str] | None":
    """Return where a text says a phrase of a list; `words` are those of the text, which soon rules most lists out."""
    known = table()
    return None if known.firsts[name].isdisjoint(words) else known.lists[name].search(said)


def may_name_day(words: Sequence[str]) -> bool:
    """Say whether a text of these words may name a day; of most of what is told this is soon ruled out.

    Days that are one word with what stands beside them count too: "donnerstagabend", "zaterdagochtend", "щовівторка".
    """
    return any(map(_may_name_day, words))


@lru_cache(_WORDS_KEPT)
def _may_name_day(word: str) -> bool:
    return (
        word in table().days
        or word[0].isdecimal()
        or bool(meanings(word))
        or _JOINED_DAY.search(word) is not None
    )


def number_of(word: str) -> int | None:
    """Return the number that a word is, in digits or spelled."""
    if word.isdecimal():
        return int(word) if len(word) <= 4 else None
    number = table().numbers.get(word, meanings(word).get("number"))
    return number if isinstance(number, int) else None


def span_seconds_of(word: str) -> float | None:
    return table().units.get(word) or seconds_of(word)


def _any_of(words: Sequence[str]) -> "re.Pattern[str]":
    ordered = sorted({plain(word) for word in words}, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)")


def plain(text: str) -> str:
    """Return a text small and without accents; a date keeps its hyphens, which other words lose."""
    return folded(ISO.sub(r"\1.\2.\3", text)).replace("…", " ")


@lru_cache(64)
def is_english(said: str) -> bool:
    """Say whether a text is in English, where what it says means something else than in other languages."""
    return _ENGLISH.search(said) is not None


def weekday_of(word: str) -> int | None:
    """Return the weekday that a word names, Monday as 0."""
    weekday = meanings(word).get("weekday")
    return weekday if isinstance(weekday, int) else table().weekdays.get(word)

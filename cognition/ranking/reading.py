"""Read what memories say, as far as the signals want to know it.

Cutting a text into words costs more than anything else that is done with a candidate, and in a large memory most
candidates have not been seen before. So words are numbered, a text is read once into the numbers of its words, and all
that can be said of a word is said once, in columns by those numbers: what is asked of all candidates is asked of a
column of all their words.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.ranking.query import SELF_WORDS
from cognition.ranking.stem import stem
from cognition.ranking.vocabulary import WordGroups
from cognition.words import SILENT_WORDS, silent_in, words, words_of_each

# A number for each of some words, or what is known of each; 32 bits, since every recall joins thousands.
Numbers = NDArray[np.int32]

# Four digits are most likely a year.
_YEAR_DIGITS: Final = 4
# Texts whose words are remembered, since candidates come back query after query. Half a kilobyte each, mostly the text.
_READINGS_KEPT: Final = 8_192
# A rich vocabulary. When it is full, a new one is begun.
WORDS_MAX: Final = 32_768
_LABELS_KEPT: Final = 4_096

_TIME: Final = """
    yesterday last ago week weeks month months year years day days today tonight tomorrow next since recently soon
    weekend monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december summer winter spring autumn
    mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays daily weekly monthly yearly
    ayer hoy mañana semana mes año gestern heute morgen woche monat jahr
    lunes martes miércoles jueves viernes sábado sábados domingo domingos
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
    montags dienstags mittwochs donnerstags freitags samstags sonntags
    januar februar märz mai juni juli oktober dezember
    вчера сегодня завтра неделю месяц год вчора сьогодні тиждень місяць рік
    понедельник вторник среду четверг пятницу субботу воскресенье
    понедельникам вторникам средам четвергам пятницам субботам воскресеньям
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    понеділок вівторок середу четвер пятницю суботу неділю щопонеділка щовівторка щосереди щочетверга щосуботи щонеділі
    січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
"""
_TIME_WORDS: Final = frozenset(_TIME.split())
_NUMBER: Final = (
    "one two three four five six seven eight nine ten once twice couple few dozen hundred thousand"
)
_NUMBER_WORDS: Final = frozenset(_NUMBER.split())

# What a word may name, a bit each.
TIME: Final = 1
NUMBER: Final = 2
SELF: Final = 4
# What is a word of a label names nothing of these: labels say what a memory is about.
LABEL: Final = 8
# What is no word of a text but of its labels, and what says nothing in most texts but tells in this one: these are
# numbered apart. No word begins so.
_LABEL: Final = "#"
_TELLING: Final = "+"
# The number of the stem of a word that says nothing.
NO_STEM: Final = -1
UNTOLD: Final = -2


def telling(text: str) -> list[str]:
    """Return the words of a text that say something, each once."""
    some = dict.fromkeys(words(text))
    silent = silent_in(text, some)
    return [word for word in some if word not in silent]


@lru_cache(_READINGS_KEPT)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something."""
    return frozenset(map(stem, telling(text)))


class _Numbered(dict[str, int]):
    """Numbers what is asked for: telling new from known beforehand would look each up twice."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[str] = []

    def __missing__(self, entry: str) -> int:
        number = self[entry] = len(self.entries)
        self.entries.append(entry)
        return number


class _Known:
    """What is known of each entry, found out when it is first asked for."""

    def __init__(self, of: Callable[[str], int]) -> None:
        self._of, self._column = of, np.zeros(0, np.int32)

    def __call__(self, entries: Sequence[str]) -> Numbers:
        new = entries[len(self._column) :]
        if new:
            self._column = np.concatenate([self._column, np.array([*map(self._of, new)], np.int32)])
        return self._column


class Glossary:
    """Words by number, and what is known of each. Takes no locks: one thread uses it at a time."""

    def __init__(self) -> None:
        self._at = _Numbered()
        self._spelled: list[str] = []
        self._stems = _Numbered()
        self._stem_of = _Known(self._number_stem)
        self._named_by = _Known(_named_by)
        self._groups: dict[WordGroups, tuple[dict[frozenset[str], int], _Known]] = {}
        self._readings: dict[str | tuple[str, str], bytes] = {}  # by the text, and its labels if it has some

    @property
    def is_full(self) -> bool:
        """Whether it is time for a new one."""
        return len(self._at) > WORDS_MAX

    def stem(self, word: str) -> int:
        """Return the number of a word's stem; UNTOLD where no text has it."""
        return self._stems.get(stem(word), UNTOLD)

    def any_of(self, some: Iterable[str]) -> NDArray[np.bool_]:
        """Return which stems are those of some words; two more, at the end, are for NO_STEM and UNTOLD."""
        which = np.zeros(len(self._stems) + 2, np.bool_)
        which[[*map(self.stem, some)]] = True
        return which

    def stems(self) -> Numbers:
        """Return the number of each word's stem; NO_STEM for a word that says nothing."""
        return self._stem_of(self._at.entries)

    def names(self) -> Numbers:
        """Return what each word may name, in bits."""
        return self._named_by(self._at.entries)

    def meets(self, table: WordGroups, asked: frozenset[str]) -> NDArray[np.bool_]:
        """Return which words say something and belong to any of some groups."""
        if table not in self._groups:
            sets: dict[frozenset[str], int] = {}
            self._groups[table] = (
                sets,
                _Known(lambda entry: sets.setdefault(_groups(table, entry), len(sets))),
            )
        sets, known = self._groups[table]
        of = known(self._at.entries)
        return np.array([not asked.isdisjoint(each) for each in sets], np.bool_)[of]

    def spelled(self, numbers: Iterable[int]) -> list[str]:
        """Return words as they are spelled."""
        self._spelled += map(_word, self._at.entries[len(self._spelled) :])
        return [self._spelled[number] for number in numbers]

    def read(self, texts: Sequence[str], labels: Sequence[str]) -> list[bytes]:
        """Return for each text the numbers of its words and of its labels: each word once, 32 bits each."""
        known = self._readings
        each = [(text, about) if about else text for text, about in zip(texts, labels, strict=True)]
        for reading in [*islice(known, max(0, len(known) - _READINGS_KEPT))]:  # those that came first
            del known[reading]
        # Each is looked up once, as most are known.
        read = [*map(known.get, each)]
        unread = {
            key: (text, about)
            for key, text, about, reading in zip(each, texts, labels, read, strict=True)
            if reading is None
        }
        if unread:
            self._read(unread)
        return [known[key] if reading is None else reading for key, reading in zip(each, read, strict=True)]

    def _read(self, unread: Mapping[str | tuple[str, str], tuple[str, str]]) -> None:
        number = self._at.__getitem__
        numbers: list[int] = []
        ends = [0]
        cuts = words_of_each([text for text, _ in unread.values()])
        for (text, about), cut in zip(unread.values(), cuts, strict=True):
            some = dict.fromkeys(cut)
            silent = silent_in(text, some)
            numbers += map(
                number, some if silent is SILENT_WORDS else [_as_told(word, silent) for word in some]
            )
            if about:
                numbers += [number(_LABEL + word) for word in _labels(about) if word not in some]
            ends.append(len(numbers))
        stream, size = array("i", numbers).tobytes(), array("i").itemsize
        for each, start, end in zip(unread, ends, ends[1:], strict=False):
            self._readings[each] = stream[start * size : end * size]

    def _number_stem(self, entry: str) -> int:
        return NO_STEM if entry in SILENT_WORDS else self._stems[stem(_word(entry))]


class TextWords:
    """The words of some texts, text after text: the number of each word, and of its text."""

    def __init__(self, glossary: Glossary, texts: Sequence[str], labels: Sequence[str]) -> None:
        each = glossary.read(texts, labels)
        self.count = len(each)
        self.glossary = glossary
        self.words: Numbers = np.frombuffer(b"".join(each), np.int32)
        counts = np.fromiter(map(len, each), np.int64, self.count) // self.words.itemsize
        self.texts = np.repeat(np.arange(self.count), counts)
        self.stems: Numbers = glossary.stems()[self.words]

    @cached_property
    def _names(self) -> Numbers:
        return self.glossary.names()[self.words]

    def which(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which texts hold any of some of the words."""
        found = np.zeros(self.count, np.bool_)
        found[self.texts[held]] = True
        return found

    def with_stem(self, word: str) -> NDArray[np.bool_]:
        """Return which texts hold a form of a word."""
        return self.which(self.stems == self.glossary.stem(word))

    def with_any(self, some: Iterable[str]) -> NDArray[np.bool_]:
        """Return which texts hold a form of any of some words."""
        return self.which(self.glossary.any_of(some)[self.stems])

    def naming(self, what: int) -> NDArray[np.bool_]:
        """Return which texts name a time, a number or the one who speaks."""
        return self.which((self._names & what) != 0)

    def meeting(self, table: WordGroups, asked: frozenset[str]) -> NDArray[np.bool_]:
        """Return which texts have a word of any of some groups."""
        return self.which(self.glossary.meets(table, asked)[self.words])

    def shared_with(self, text: int) -> tuple[NDArray[np.int64], int]:
        """Return how many words of each text have the stem of a telling word of one of them, and how many that one has.

        Without the words of labels: many memories bear the same.
        """
        said = (self.stems != NO_STEM) & (self._names != LABEL)
        stems, texts = self.stems[said], self.texts[said]
        held = np.zeros(int(stems.max(initial=0)) + 1, np.bool_)
        held[stems[texts == text]] = True
        return np.bincount(texts[held[stems]], minlength=self.count), int(held.sum())

    def telling(self, text: int) -> list[str]:
        """Return the words of one text that say something."""
        return self.glossary.spelled(self.words[(self.texts == text) & (self.stems != NO_STEM)])


@lru_cache(_LABELS_KEPT)
def _labels(about: str) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(words(about)) if word not in SILENT_WORDS)


def _as_told(word: str, silent: frozenset[str]) -> str:
    return _TELLING + word if word in SILENT_WORDS and word not in silent else word


def _word(entry: str) -> str:
    return entry[1:] if entry[0] in (_LABEL, _TELLING) else entry


def _named_by(entry: str) -> int:
    if entry.startswith(_LABEL):
        return LABEL
    word = _word(entry)
    digits = word[0].isdecimal()
    return (
        TIME * (word in _TIME_WORDS or (digits and len(word) == _YEAR_DIGITS))
        | NUMBER * (digits or word in _NUMBER_WORDS)
        | SELF * (word in SELF_WORDS)
    )


def _groups(table: WordGroups, entry: str) -> frozenset[str]:
    return frozenset() if entry in SILENT_WORDS else table.of(_word(entry))
